// A new function that several changed functions take up is told once, of it; and a call that takes the place of another
// is told with the loop that it left or came into.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/document.h"
#include "report/language/language.h"

namespace lockstep::render {
namespace {

const std::string kBridge = R"(import logging

import torch.distributed as dist

logger = logging.getLogger(__name__)


class Bridge:
    """Connects two stages."""

    def __init__(self, group, peers):
        self.group = group
        self.peers = peers

    def send_forward(self, tensors):
        """Sends activations."""
        if self.peers:
            for peer, tensor in zip(self.peers, tensors):
                logger.debug("send %s", peer)
                dist.send(tensor, dst=peer, group=self.group)

    def recv_forward(self, tensors):
        """Receives activations."""
        received = []
        for peer, tensor in zip(self.peers, tensors):
            dist.recv(tensor, src=peer, group=self.group)
            received.append(tensor)
        return received

    def recv_backward(self, tensors):
        """Receives gradients."""
        received = []
        for peer, tensor in zip(self.peers, tensors):
            dist.recv(tensor, src=peer, group=self.group)
            received.append(tensor)
        return received

    def close(self, flags):
        """Ends it."""
        for flag in flags:
            flag.clear()
        return len(flags)


if __name__ == "__main__":
    bridge = Bridge(None, [1])
    bridge.send_forward([2])
    bridge.recv_forward([2])
    bridge.recv_backward([2])
    bridge.close([])
)";

/// The class with `_run_batched`, which the three methods call.
std::string batched_bridge() {
  std::string text = replace_all(kBridge, "                dist.send(tensor, dst=peer, group=self.group)\n",
                                 "            self._run_batched(tensors, \"send\")\n");
  text = replace_all(text,
                     "            dist.recv(tensor, src=peer, group=self.group)\n            received.append(tensor)\n",
                     "            received.append(tensor)\n        self._run_batched(received, \"recv\")\n");
  return replace_all(
      text, "    def close(",
      "    def _run_batched(self, tensors, op):\n"
      "        \"\"\"Runs one operation a peer in one batch.\"\"\"\n"
      "        made = dist.isend if op == \"send\" else dist.irecv\n"
      "        ops = [dist.P2POp(made, one, peer, self.group) for one, peer in zip(tensors, self.peers)]\n"
      "        for request in dist.batch_isend_irecv(ops):\n"
      "            request.wait()\n\n"
      "    def close(");
}

TEST(NewHelpers, WhatSeveralTakeUpIsToldOnceOfIt) {
  const std::string text = explain_of({{"bridge.py", kBridge}}, {{"bridge.py", batched_bridge()}});
  EXPECT_TRUE(says(text,
                   "- `Bridge._run_batched` (new, `bridge.py:38`): \u201cRuns one operation a peer in one batch.\u201d "
                   "Called now by `send_forward` (`bridge.py:20`), `recv_forward` (`bridge.py:27`) and `recv_backward` "
                   "(`bridge.py:35`), which no longer call `dist.recv` or `dist.send` in a loop themselves."))
      << text;
  for (const std::string& name :
       {std::string("send_forward"), std::string("recv_forward"), std::string("recv_backward")})
    EXPECT_FALSE(says(text, "- `Bridge." + name + "` (changed")) << text;
}

TEST(NewHelpers, WhoDoesSomethingElseTooKeepsAnItem) {
  const std::string now = replace_all(
      batched_bridge(), "        self._run_batched(received, \"recv\")\n        return received\n\n    def _run",
      "        self._run_batched(received, \"recv\")\n        return received[:2]\n\n    def _run");
  const std::string text = explain_of({{"bridge.py", kBridge}}, {{"bridge.py", now}});
  EXPECT_TRUE(says(text, "and `recv_backward` (`bridge.py:35`), which no longer call")) << text;
  EXPECT_TRUE(says(text, "- `Bridge.recv_backward` (changed")) << text;
  EXPECT_TRUE(says(text, "`received[:2]`")) << text;
  EXPECT_FALSE(says(text, "- `Bridge.recv_forward` (changed")) << text;
}

TEST(NewHelpers, WhatEachGivesUpOfAnotherKindIsNotToldOfAll) {
  // One of them still receives itself: it gives nothing up, and what the others do is not told of all.
  const std::string now = replace_all(
      batched_bridge(), "        self._run_batched(received, \"recv\")\n        return received\n\n    def _run",
      "            dist.recv(tensor, src=peer, group=self.group)\n        self._run_batched(received, \"recv\")\n"
      "        return received\n\n    def _run");
  const std::string text = explain_of({{"bridge.py", kBridge}}, {{"bridge.py", now}});
  EXPECT_TRUE(says(text, "Called now by")) << text;
  EXPECT_FALSE(says(text, "which no longer call")) << text;
  EXPECT_TRUE(says(text, "- `Bridge.recv_forward` (changed")) << text;
}

TEST(NewHelpers, OneCallerIsNone) {
  const std::string now = replace_all(kBridge, "        return len(flags)", "        return self._count(flags)");
  const std::string text =
      explain_of({{"bridge.py", kBridge}},
                 {{"bridge.py", replace_all(now, "    def close(",
                                            "    def _count(self, flags):\n        \"\"\"Counts.\"\"\"\n        return "
                                            "len(flags)\n\n    def close(")}});
  EXPECT_FALSE(says(text, "Called now by")) << text;
}

TEST(NewHelpers, TheConditionOfAllCallsIsTold) {
  const std::string body =
      "import hooks\n\n\ndef first(x, on):\n    if on:\n        hooks.reset()\n    return x\n\n\n"
      "def second(y, on):\n    if on:\n        hooks.reset()\n    return y\n\n\nif __name__ == \"__main__\":\n"
      "    first(1, True)\n    second(2, True)\n";
  const std::string hooks = "def reset(group=None):\n    print(group)\n";
  const std::string now =
      replace_all(replace_all(body, "        hooks.reset()\n", "        reset_for(GROUP)\n"), "def first(",
                  "GROUP = 1\n\n\ndef reset_for(group):\n    \"\"\"Resets for one.\"\"\"\n"
                  "    hooks.reset(group=group)\n\n\ndef first(");
  const std::string text = explain_of({{"a.py", body}, {"hooks.py", hooks}}, {{"a.py", now}, {"hooks.py", hooks}});
  EXPECT_TRUE(says(text,
                   "Called now by `first` (`a.py:14`) and `second` (`a.py:20`), which no longer call `hooks.reset` "
                   "themselves. Each of these calls stands where `on` is set."))
      << text;
  const std::string other = explain_of({{"a.py", body}, {"hooks.py", hooks}},
                                       {{"a.py", replace_all(now, "    if on:\n        reset_for(GROUP)\n    return y",
                                                             "    reset_for(GROUP)\n    return y")},
                                        {"hooks.py", hooks}});
  EXPECT_FALSE(says(other, "Each of these calls")) << other;
}

TEST(NewHelpers, OneThatGivesNothingUpAndWhatDidNothingKeepItems) {
  const std::string was =
      "def load(x, y):\n    total = x + y\n    return total\n\n\ndef step(x):\n    print(x)\n    return x\n\n\n"
      "def refresh(x):\n    \"\"\"Does nothing.\"\"\"\n\n\nif __name__ == \"__main__\":\n    load(1, 2)\n    step(1)\n"
      "    refresh(1)\n";
  const std::string helper = "def sync(x):\n    \"\"\"Brings all up to date.\"\"\"\n    x.update()\n\n\n";
  const std::string two =
      helper + replace_all(replace_all(was, "    return total\n", "    sync(total)\n    return total * 2\n"),
                           "    print(x)\n    return x\n", "    sync(x)\n    print(x)\n    return x\n");
  const std::string one_follows = explain_of({{"a.py", was}}, {{"a.py", two}});
  EXPECT_TRUE(says(one_follows, "Called now by `load` (`a.py:8`) and `step` (`a.py:13`).")) << one_follows;
  EXPECT_TRUE(says(one_follows, "- `step` (changed")) << one_follows;
  const std::string with_idle = replace_all(replace_all(two, "    return total * 2\n", "    return total\n"),
                                            "    \"\"\"Does nothing.\"\"\"\n", "    sync(x)\n");
  const std::string idle = explain_of({{"a.py", was}}, {{"a.py", with_idle}});
  EXPECT_TRUE(says(idle, "- `refresh` (changed, `a.py:18`): did nothing before")) << idle;
  EXPECT_FALSE(says(idle, "- `step` (changed")) << idle;
}

TEST(NewHelpers, OtherCallersAreNotPassedOver) {
  const std::string now =
      replace_all(batched_bridge(), "    def close(",
                  "    def flush(self):\n        \"\"\"Sends what is left.\"\"\"\n        self._run_batched([], "
                  "\"send\")\n\n    def close(");
  EXPECT_TRUE(says(explain_of({{"bridge.py", kBridge}}, {{"bridge.py", now}}),
                   "Called now, among others, by `send_forward` (`bridge.py:20`),"));
}

const std::string kCopies = R"(def copy_one(param, part):
    """Copies one."""
    param.copy_(part)


def sync(bucket):
    found = False
    for param in bucket.params:
        if param.skip:
            found = True
            break
        part = bucket.data[param.begin:param.end]
        copy_one(param, part)
    if found:
        return
    bucket.data.zero_()


if __name__ == "__main__":
    import buckets

    sync(buckets.first())
)";

std::string copied_at_once() {
  std::string text =
      replace_all(kCopies, "        part = bucket.data[param.begin:param.end]\n        copy_one(param, part)\n",
                  "        params.append(param)\n        parts.append(bucket.data[param.begin:param.end])\n"
                  "    copy_many(params, parts)\n");
  text = replace_all(text, "    found = False\n", "    found = False\n    params = []\n    parts = []\n");
  return replace_all(text, "def sync(",
                     "def copy_many(params, parts):\n    \"\"\"Copies all.\"\"\"\n    for one, part in zip(params, "
                     "parts):\n        copy_one(one, part)\n\n\ndef sync(");
}

TEST(LoopPasses, OnceBehindALoopInPlaceOfOnceInEachPass) {
  const std::string text = explain_of({{"a.py", kCopies}}, {{"a.py", copied_at_once()}});
  EXPECT_TRUE(says(text,
                   "alls `copy_many(params, parts)` in place of `copy_one(param, part)`, once after the loop over "
                   "`bucket.params` and no longer in each pass of it"))
      << text;
  // The other way round.
  const std::string back = explain_of({{"a.py", copied_at_once()}}, {{"a.py", kCopies}});
  EXPECT_TRUE(says(back,
                   "alls `copy_one(param, part)` in place of `copy_many(params, parts)`, in each pass of the loop over "
                   "`bucket.params` and no longer once after it"))
      << back;
}

TEST(LoopPasses, BehindAContinueItIsNotEachPass) {
  const auto with_continue = [](const std::string& text) {
    return replace_all(text, "        if param.skip:\n",
                       "        if param.done:\n            continue\n        if param.skip:\n");
  };
  const std::string text = explain_of({{"a.py", with_continue(kCopies)}}, {{"a.py", with_continue(copied_at_once())}});
  EXPECT_TRUE(says(text, "once after the loop over `bucket.params` and no longer within it")) << text;
  EXPECT_FALSE(says(text, "in each pass")) << text;
}

TEST(LoopPasses, InTheSameLoopNothingIsSaidOfIt) {
  const std::string text = explain_of(
      {{"a.py", kCopies}},
      {{"a.py", replace_all(kCopies, "        copy_one(param, part)\n", "        bucket.copy(param, part)\n")}});
  EXPECT_FALSE(says(text, "the loop over")) << text;
}

TEST(LoopPasses, SeveralCallsInPlaceOfALoopAreItsRounds) {
  const std::string loop =
      "def make(grid):\n    return grid\n\n\ndef build(grid):\n    for dims in ([1], [2]):\n        grid.make(dims)\n  "
      "  return grid\n";
  const std::string unrolled =
      replace_all(loop, "    for dims in ([1], [2]):\n        grid.make(dims)\n", "    make([1])\n    make([2])\n");
  EXPECT_FALSE(says(explain_of({{"a.py", loop}}, {{"a.py", unrolled}}), "in each pass"));
}

TEST(NewHelpers, InChinese) {
  const auto chinese = [](const std::string& marked) {
    return report::text_of(report::in_language(report::prose(marked), "zh"));
  };
  using report::code;
  EXPECT_EQ(chinese("Called now by " + code("f") + " and " + code("g") + ", which no longer call " + code("x") +
                    " or " + code("y") + " in a loop themselves."),
            "现由 f 和 g 调用，它们不再在循环中自行调用 x 或 y。");
  EXPECT_EQ(chinese("Called now by " + code("f") + " and " + code("g") + "."), "现由 f 和 g 调用。");
  EXPECT_EQ(chinese("Calls " + code("f") + " in place of " + code("g") + ", once after the loop over " + code("xs") +
                    " and no longer in each pass of it, under the same condition."),
            "调用 f，取代 g，在对 xs 的循环之后只执行一次，不再在其每一轮中执行（条件同上）。");
}

}  // namespace
}  // namespace lockstep::render
