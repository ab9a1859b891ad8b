// What the documents say of conditions that go or come: only where nothing else in the code asks the same.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(Questions, WhatIsStillAskedInAnotherFormIsNotToldAsGone) {
  const std::string before =
      "def replay(pairs):\n    kept = []\n    for user, own in pairs:\n"
      "        if hasattr(own, 'can_skip') and own.can_skip:\n            kept.append(user)\n"
      "            assert user.data_ptr() == own.data_ptr()\n        own.copy_(user)\n    return kept\n";
  const std::string gone = explain_of({{"a.py", before}}, {{"a.py", R"(def replay(pairs):
    kept = []
    for user, own in pairs:
        assert user.data_ptr() == own.data_ptr()
        own.copy_(user)
    return kept
)"}});
  EXPECT_TRUE(says(gone, "no longer asks whether")) << gone;
  const std::string held = explain_of({{"a.py", before}}, {{"a.py", R"(def replay(pairs):
    kept = []
    for user, own in pairs:
        can_skip = getattr(own, 'can_skip', False) and getattr(user, 'can_skip', True)
        if can_skip:
            assert user.data_ptr() == own.data_ptr()
        own.copy_(user)
    return kept
)"}});
  EXPECT_FALSE(says(held, "no longer asks whether")) << held;
  EXPECT_FALSE(says(held, "let through")) << held;
}

TEST(Questions, WhatACalledFunctionAsksIsNotToldAsGone) {
  const std::string head = "HAVE_GRAPHS = False\n\n\n";
  const std::string before =
      "def capture(x):\n    if HAVE_GRAPHS:\n        x = weak(x)\n        x = x + 1\n    return x\n";
  const std::string now = "def capture(x):\n    x = weak(x)\n    return x\n";
  const std::string helper = "\n\ndef weak(x):\n    return x\n";
  const std::string asks = "\n\ndef weak(x):\n    if not HAVE_GRAPHS:\n        return x\n    return x.detach()\n";
  const std::string gone = explain_of({{"a.py", head + before + helper}}, {{"a.py", head + now + helper}});
  EXPECT_TRUE(says(gone, "no longer asks whether `HAVE_GRAPHS` is set")) << gone;
  const std::string moved = explain_of({{"a.py", head + before + helper}}, {{"a.py", head + now + asks}});
  EXPECT_FALSE(says(moved, "no longer asks whether")) << moved;
  const std::string handed =
      explain_of({{"a.py", head + before + helper}},
                 {{"a.py", head + replace_all(now, "x = weak(x)", "x = tree_map(weak, x)") + asks}});
  EXPECT_FALSE(says(handed, "no longer asks whether")) << handed;
}

TEST(Questions, TwoBranchesMadeOneRequireNothingNew) {
  const std::string nested =
      "def f(x, y):\n    y.begin()\n    if x.is_output:\n        if x.buffer is None:\n"
      "            x.buffer = y\n            y.count += 1\n    return y\n";
  const std::string merged =
      "def f(x, y):\n    y.begin()\n    if x.is_output and x.buffer is None:\n"
      "        x.buffer = y\n        y.count += 2\n    return y\n";
  const std::string text = explain_of({{"a.py", nested}}, {{"a.py", merged}});
  EXPECT_FALSE(says(text, "requires also")) << text;
  EXPECT_FALSE(says(text, "takes the branch when")) << text;
  const std::string back = explain_of({{"a.py", merged}}, {{"a.py", nested}});
  EXPECT_FALSE(says(back, "no longer requires")) << back;
  // With more in the outer branch the inner condition is new for that.
  const std::string more =
      "def f(x, y):\n    y.begin()\n    if x.is_output and x.is_ready and x.is_full:\n        y.mark()\n"
      "        y.start()\n        if x.buffer is None:\n            x.buffer = y\n    return y\n";
  const std::string other =
      explain_of({{"a.py", more}},
                 {{"a.py", replace_all(replace_all(more, "        if x.buffer is None:\n            x", "        x"),
                                       "is_full:", "is_full and x.buffer is None:")}});
  EXPECT_TRUE(says(other, "requires also that `x.buffer` is `None`")) << other;
}

// A step is free of a condition only where nothing else asks it now.
TEST(Freed, WhatIsAskedBeforeTheStepIsNotFree) {
  const std::string rest = "    print(x)\n    x = x + 1\n    return x\n";
  const std::string before = "def f(cfg, x):\n    if cfg.debug:\n        print(x)\n    x = x + 1\n    return x\n";
  const std::string main = "\n\ndef main(cfg):\n    f(cfg, 1)\n";
  const std::string freed = "comes to `print(x)` also where `cfg.debug` is not set";
  const std::string plain = explain_of({{"a.py", before + main}}, {{"a.py", "def f(cfg, x):\n" + rest + main}});
  EXPECT_TRUE(says(plain, freed)) << plain;
  const std::string exits =
      "import sys\n\n\ndef f(cfg, x):\n    if not cfg.debug:\n        sys.exit(2)\n" + rest + main;
  const std::string helper =
      "def need(cfg):\n    if not cfg.debug:\n        raise RuntimeError('debug')\n\n\ndef f(cfg, x):\n    "
      "need(cfg)\n" +
      rest + main;
  const std::string caller = "def f(cfg, x):\n" + rest + "\n\ndef main(cfg):\n    if cfg.debug:\n        f(cfg, 1)\n";
  const std::string decorator =
      "def only(fn):\n    def inner(cfg, x):\n        if not cfg.debug:\n            return x\n        return fn(cfg, "
      "x)\n\n    return inner\n\n\n@only\ndef f(cfg, x):\n" +
      rest + main;
  for (const std::string& after : {exits, helper, caller, decorator}) {
    const std::string text = explain_of({{"a.py", before + main}}, {{"a.py", after}});
    EXPECT_FALSE(says(text, freed)) << text;
  }
}

TEST(Freed, AFunctionThatIsMetNearerIsFollowedFarther) {
  const std::string before = "def f(cfg, x):\n    if cfg.debug:\n        print(x)\n    x = x + 1\n    return x\n";
  const std::string now = "def f(cfg, x):\n    start(cfg)\n    print(x)\n    x = x + 1\n    return x\n";
  const std::string freed = "comes to `print(x)` also where `cfg.debug` is not set";
  const auto text_with = [&](const std::string& last) {
    // By `a` and `b` nothing behind `deep` is looked at any more; by `start` itself it is.
    const std::string rest = "\n\ndef last(cfg):\n    " + last +
                             "\n\n\ndef deep(cfg):\n    last(cfg)\n\n\ndef b(cfg):\n    deep(cfg)\n\n\n"
                             "def a(cfg):\n    b(cfg)\n\n\ndef start(cfg):\n    a(cfg)\n    deep(cfg)\n";
    return explain_of({{"a.py", before + rest}}, {{"a.py", now + rest}});
  };
  EXPECT_TRUE(says(text_with("print(cfg)"), freed)) << text_with("print(cfg)");
  EXPECT_FALSE(says(text_with("assert cfg.debug"), freed)) << text_with("assert cfg.debug");
}

/// A call that gives one of two groups that belong together, and not the new other one, is asked about.
TEST(Questions, CallsWithoutTheSiblingOfTheirArgumentAreAskedAbout) {
  const std::string was = R"(class Linear:
    def __init__(self, size, remat_shard_group=None):
        self.size = size
        self.group = remat_shard_group


def one(g):
    return Linear(1, remat_shard_group=g.remat)


def two(g):
    return Linear(2, remat_shard_group=g.remat)


def three(g):
    return Linear(3, remat_shard_group=g.remat)


def none(g):
    return Linear(4)
)";
  const auto text_of = [&](const std::vector<std::string>& numbers) {
    std::string now = replace_all(was, "remat_shard_group=None):\n        self.size = size",
                                  "remat_shard_group=None, replica_shard_group=None):\n        self.size = size\n"
                                  "        self.replica = replica_shard_group");
    for (const std::string& number : numbers)
      now = replace_all(now, "Linear(" + number + ", remat_shard_group=g.remat)",
                        "Linear(" + number + ", remat_shard_group=g.remat, replica_shard_group=g.replica)");
    return explain_of({{"a.py", was}}, {{"a.py", now}});
  };
  const std::string text = text_of({"1", "2"});
  EXPECT_TRUE(says(text,
                   "`a.py:17` gives `remat_shard_group` and not the new `replica_shard_group`, which 2 calls that give "
                   "both do. Does it not need it?"))
      << text;
  for (const std::vector<std::string>& numbers : {std::vector<std::string>{"1"}, {"1", "2", "3"}})
    EXPECT_FALSE(says(text_of(numbers), "and not the new")) << text_of(numbers);
}

/// A comment that warned of a race and goes is asked about; one whose words the change says again is not.
TEST(Questions, WarningsThatGoAreAskedAbout) {
  const std::string before = R"(import torch


def dispatch(splits):
    # non_blocking is safe in eager, but a compiled copy can race with tolist() and give stale values.
    non_blocking = not torch.compiler.is_compiling()
    return splits.to("cpu", non_blocking=non_blocking)
)";
  const std::string after = R"(import torch


def dispatch(splits):
    return splits.to("cpu", non_blocking=True)
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(
      says(text,
           "In `dispatch` a comment is gone (`a.py:5` before the change): \u201cnon_blocking is safe in eager, "
           "but a compiled copy can race with tolist() and give stale values.\u201d Can that no longer happen?"))
      << text;
  const std::string again = R"(import torch


def dispatch(splits):
    # In eager, non_blocking is safe; a copy that is compiled can race with tolist(), which would give stale values.
    return splits.to("cpu", non_blocking=not torch.compiler.is_compiling())
)";
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", again}}), "a comment is gone"));
  // What was so on purpose and is otherwise now: the sentence that says so.
  const std::string meant = explain_of(
      {{"a.py",
        "def mark(x):\n    # Set both of them. NOTE: we intentionally do not mark the norm here. It follows.\n"
        "    x.dim = 0\n    return x\n"}},
      {{"a.py", "def mark(x):\n    x.dim = 1\n    x.norm = True\n    return x\n"}});
  EXPECT_TRUE(says(meant,
                   "In `mark` a comment is gone (`a.py:2` before the change): \u201cNOTE: we intentionally do not mark "
                   "the norm here.\u201d Does that no longer hold?"))
      << meant;
  // What is taken out with its code needs no warning.
  const std::string plain = "def dispatch(splits):\n    # The first of them.\n    x = splits[0]\n    return x\n";
  EXPECT_FALSE(says(explain_of({{"a.py", plain}}, {{"a.py", "def dispatch(splits):\n    return splits[0]\n"}}),
                    "a comment is gone"));
}

/// What one place no longer sets to a constant, another one may still set to it.
TEST(Questions, OtherPlacesThatStillSetWhatWasSetAreAskedAbout) {
  const std::string ready = "def ready(params):\n    for param in params:\n        param.overwrite = True\n";
  const std::string experts = "def set_up(weights):\n    for weight in weights:\n        weight.overwrite = True\n";
  const Files before = {{"ready.py", ready}, {"experts.py", experts}};
  const Files after = with_edit(before, "ready.py", "param.overwrite = True", "param.overwrite = len(params) > 1");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text,
                   "`overwrite` is still set to `True` at `experts.py:3`, as `ready` set it before the change. Is "
                   "it right there?"))
      << text;
  // Another value, or the object's own state, is another matter.
  const Files other = with_edit(before, "experts.py", "= True", "= False");
  EXPECT_FALSE(says(explain_of(other, with_edit(other, "ready.py", "param.overwrite = True", "param.overwrite = 1")),
                    "is still set to"));
}

/// What is filled in one step and emptied in a later one stays where a caller returns in between.
TEST(Questions, StateThatACallerLeavesBehindIsAskedAbout) {
  const auto text_of = [](const std::string& between, const std::string& emptied_too) {
    const std::string head = "class Optimizer:\n    def __init__(self):\n        self.kept = []\n\n";
    const std::string rest =
        "    def prepare(self, grads):\n        self.copy_grads(grads)\n        return check(grads)\n\n"
        "    def finish(self):\n        restore(self.kept)\n        self.kept.clear()\n\n" +
        emptied_too + "    def step(self, grads):\n        found_inf = self.prepare(grads)\n" + between +
        "        clip(grads)\n        self.finish()\n        return True\n";
    const std::string before = "    def copy_grads(self, grads):\n        pass\n\n";
    const std::string after =
        "    def copy_grads(self, grads):\n        assert not self.kept\n        for grad in grads:\n"
        "            self.kept.append(grad)\n\n";
    return explain_of({{"a.py", head + before + rest}}, {{"a.py", head + after + rest}});
  };
  const std::string way_out = "        if found_inf:\n            return False\n";
  const std::string text = text_of(way_out, "");
  EXPECT_TRUE(says(text,
                   "`Optimizer.copy_grads` requires that `self.kept` is empty and fills it, only `Optimizer.finish` "
                   "empties it, and `Optimizer.step` returns between them when `found_inf` is set (`a.py:21`). Can "
                   "that happen after it was filled? Then the next call fails."))
      << text;
  EXPECT_FALSE(says(text_of("", ""), "returns between them")) << "nothing returns";
  const std::string reset = "    def reset(self):\n        self.kept = []\n\n";
  EXPECT_FALSE(says(text_of(way_out, reset), "returns between them")) << "another method may empty it";
}

}  // namespace
}  // namespace lockstep::render
