// What changed functions called before and do not call themselves any more, in the architecture before and after.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string architecture_of(const std::string& before, const std::string& after) {
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", after}});
  const std::size_t begin = text.find("### 2.1");
  return text.substr(begin, text.find("### 2.2") - begin);
}

/// The part that draws one side.
std::string side_of(const std::string& text, const std::string& title) {
  const std::size_t begin = text.find("[\"" + title + "\"]");
  return text.substr(begin, text.find("    end\n", begin) - begin);
}

const std::string kCopies =
    "def copy_one(param, source):\n    param.data = source\n\n\ndef other(param):\n    return param\n\n\n";
const std::string kOld = "def sync(params, source):\n    for param in params:\n        copy_one(param, source)\n";
const std::string kNew = "def sync(params, source):\n    copy_all(params, source)\n";
const std::string kHelper =
    "def copy_all(params, source):\n    for param in params:\n        copy_one(param, source)\n\n\n";

TEST(GoneCalls, WhatAHelperCallsNowIsDrawnBefore) {
  const std::string text = architecture_of(kCopies + kOld, kCopies + kHelper + kNew);
  EXPECT_TRUE(says(side_of(text, "Before"), "copy_one")) << text;
  EXPECT_FALSE(says(text, "copy_one<br/>REMOVED")) << text;
  EXPECT_TRUE(says(text, "-->|\"calls, now through copy_all\"|")) << text;
  EXPECT_FALSE(says(text, "removed call")) << text;
  EXPECT_TRUE(says(side_of(text, "After"), "copy_one")) << text;
}

/// The helper may have been there; one that the function called before does not do it in its place.
TEST(GoneCalls, AHelperThatStoodThereTakesOver) {
  const std::string text = architecture_of(kCopies + kHelper + kOld, kCopies + kHelper + kNew);
  EXPECT_TRUE(says(text, "-->|\"calls, now through copy_all\"|")) << text;
  const std::string both = architecture_of(kCopies + kHelper + kOld + "    copy_all(params, source)\n",
                                           kCopies + kHelper + kNew + "    other(source)\n");
  EXPECT_TRUE(says(both, "-->|\"removed call\"|")) << both;
  EXPECT_FALSE(says(both, "now through")) << both;
}

TEST(GoneCalls, WhatTheFunctionStillCallsIsNotGone) {
  const std::string text =
      architecture_of(kCopies + kOld, kCopies + kHelper + kNew + "    copy_one(params[0], source)\n");
  EXPECT_FALSE(says(text, "now through") || says(text, "removed call")) << text;
}

/// A function that has another name now is the one that was called.
TEST(GoneCalls, WhatIsRenamedIsStillCalled) {
  const std::string body =
      "(x, y):\n    total = x + y\n    if total > 3:\n        total = total - y\n    return total * 2\n\n\n";
  const std::string text = architecture_of("def _add_up" + body + "def f(x):\n    return _add_up(x, 3)\n",
                                           "def add_up" + body + "def f(x):\n    return add_up(x, y=3)\n");
  EXPECT_FALSE(says(text, "removed call") || says(text, "new call")) << text;
}

/// More of them than three, as long as there is room.
TEST(GoneCalls, AllAreDrawnWhereThereIsRoom) {
  std::string functions;
  std::string calls;
  for (const std::string name : {"one", "two", "three", "four", "five", "six", "seven"}) {
    functions += "def " + name + "(x):\n    return x\n\n\n";
    calls += "    " + name + "(x)\n";
  }
  const std::string before = side_of(
      architecture_of(functions + "def f(x):\n" + calls + "    return x\n", functions + "def f(x):\n    return x\n"),
      "Before");
  EXPECT_TRUE(says(before, "\"five\"") && says(before, "\"six\"")) << before;
  EXPECT_FALSE(says(before, "\"seven\"")) << before;
}

const std::string kExchange = R"(import torch.distributed as dist


class Bridge:
    def send_forward(self, parts):
        for part in parts:
            OLD_SEND

    def send_backward(self, parts):
        for part in parts:
            OLD_SEND

    def recv_forward(self, parts):
        for part in parts:
            OLD_RECV

    def recv_backward(self, parts):
        for part in parts:
            OLD_RECV
)";

/// Where the drawing is of the data between functions, it has what they communicated before.
TEST(GoneCalls, CommunicationThatAHelperTakesOverIsDrawnBefore) {
  const std::string before = replace_all(replace_all(kExchange, "OLD_SEND", "dist.send(part, dst=1, group=self.pg)"),
                                         "OLD_RECV", "dist.recv(part, src=1, group=self.pg)");
  const std::string after =
      replace_all(replace_all(kExchange, "        for part in parts:\n            OLD_SEND",
                              "        self._run_batch(parts, op=\"send\")"),
                  "        for part in parts:\n            OLD_RECV", "        self._run_batch(parts, op=\"recv\")") +
      R"(
    def _run_batch(self, parts, *, op):
        ops = [dist.P2POp(dist.isend if op == "send" else dist.irecv, part, 1, self.pg) for part in parts]
        for request in dist.batch_isend_irecv(ops):
            request.wait()
)";
  const std::string text = architecture_of(before, after);
  const std::string old_side = side_of(text, "Before");
  EXPECT_TRUE(says(old_side, "Bridge.send_forward") && says(old_side, "Bridge.recv_forward")) << text;
  EXPECT_TRUE(says(old_side, "[\"send over") && says(old_side, "[\"recv over")) << text;
  EXPECT_FALSE(says(text, "nothing of what is NEW")) << text;
  const std::string new_side = side_of(text, "After");
  EXPECT_TRUE(says(new_side, "Bridge._run_batch")) << text;
  EXPECT_FALSE(says(new_side, "[\"recv over")) << text;
}

/// What still communicates in the same way, over another group, has not gone.
TEST(GoneCalls, AnotherGroupIsNoRemovedCall) {
  const std::string before =
      "import torch.distributed as dist\n\n\ndef gather(x, out):\n    dist.all_gather_object(out, x)\n    return out\n";
  const std::string after =
      replace_all(replace_all(before, "(x, out)", "(x, out, group=None)"), "(out, x)", "(out, x, group=group)");
  const std::string text = architecture_of(before, after);
  EXPECT_TRUE(says(side_of(text, "Before"), "all_gather_object")) << text;
  EXPECT_TRUE(says(text, "with another group now")) << text;
  EXPECT_FALSE(says(text, "removed call")) << text;
}

const std::string kMuon = R"(import torch
import torch.distributed as dist


class Muon:
HELPER    def step(self, grad, pg, other):
        size = dist.get_world_size(pg)
BODY
)";
const std::string kGather = R"(    @staticmethod
    def _gather(t, group, dim):
        shards = [torch.empty_like(t) for _ in range(dist.get_world_size(group))]
        dist.all_gather(shards, t.contiguous(), group)
        return torch.cat(shards, dim=dim)

)";
const std::string kGathers = R"(        shards = [torch.empty_like(grad) for _ in range(size)]
        dist.all_gather(shards, grad, pg)
        grad = torch.cat(shards, dim=0)
        return grad / size)";

std::string muon(const std::string& helper, const std::string& body) {
  return replace_all(replace_all(kMuon, "HELPER", helper), "BODY", body);
}

/// The helper takes the group as a parameter: over what it is given there, the collective is the one that was.
TEST(GoneCalls, ACollectiveOverTheGroupThatAHelperIsGivenMoved) {
  const std::string before = muon("", kGathers);
  const std::string moved = muon(kGather, "        grad = self._gather(grad, pg, 0)\n        return grad / size");
  const std::string text = architecture_of(before, moved);
  EXPECT_TRUE(says(side_of(text, "Before"), "[\"all_gather over")) << text;
  EXPECT_TRUE(says(side_of(text, "After"), "[\"all_gather over the group passed as group")) << text;
  EXPECT_FALSE(says(text, "removed call")) << text;
  const std::string dive = dive_of({{"a.py", before}}, {{"a.py", moved}});
  EXPECT_TRUE(says(dive, "# MOVED to a new function: dist.all_gather(shards, grad, pg)")) << dive;
  EXPECT_FALSE(says(dive, "# REMOVED: dist.all_gather")) << dive;
  // Over another group it is another one.
  const std::string other = muon(kGather, "        grad = self._gather(grad, other, 0)\n        return grad / size");
  EXPECT_TRUE(says(architecture_of(before, other), "removed call"));
  const std::string its_dive = dive_of({{"a.py", before}}, {{"a.py", other}});
  EXPECT_FALSE(says(its_dive, "MOVED to a new function: dist.all_gather")) << its_dive;
}

const std::string kAgents = R"(class Agent:
    def prepare(self, request):
        return request


class Loud(Agent):
    def prepare(self, request):
        return request + 1


class Last(Agent):
    def prepare(self, request):
        return request + 2


class Line:
    def __init__(self):
        self.agent = Loud()
        self.last = Last()

    def run(self, request, allocations):
        BODY
)";

std::string agents(const std::string& body) { return replace_all(kAgents, "BODY", body); }

/// On a receiver whose class is not known the method may be the one that was called.
TEST(GoneCalls, AMethodThatIsCalledOnAnotherReceiverIsNotGone) {
  const std::string known = agents("return self.agent.prepare(request)");
  const std::string open = agents("return allocations[0].prepare(request)");
  const std::string text = architecture_of(known, open);
  EXPECT_FALSE(says(text, "removed call")) << text;
  const std::string back = architecture_of(open, known);
  EXPECT_FALSE(says(back, "new call")) << back;
  // One of another class is another one.
  const std::string other = architecture_of(known, agents("return self.last.prepare(request)"));
  EXPECT_TRUE(says(other, "removed call") && says(other, "new call")) << other;
}

}  // namespace
}  // namespace lockstep::render
