// What is told of code that stands elsewhere now, is handed on, or is left standing: each on a change small enough to
// see what would be false.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string parts_of_bodies(const std::string& before, const std::string& after) {
  return parts_of({{"a.py", before}}, {{"a.py", after}});
}

std::string explain_bodies(const std::string& before, const std::string& after) {
  return explain_of({{"a.py", before}}, {{"a.py", after}});
}

TEST(Changes, AHookIsRegisteredAndNotCalled) {
  const std::string body = R"(import torch


def hook(module, args):
    return 1


class Net(torch.nn.Module):
    def setup(self):
        self.register_forward_pre_hook(hook)


def main():
    Net().setup()


if __name__ == "__main__":
    main()
)";
  const std::string text = explain_bodies(body, replace_all(body, "return 1", "return 2"));
  EXPECT_TRUE(says(text, "`Net.setup` (`a.py:9`) → registers `hook` (`a.py:4`)")) << text;
  EXPECT_TRUE(says(text, "through a function that is registered to be called later")) << text;
  EXPECT_TRUE(says(text, "registers hook for later")) << text;
  EXPECT_FALSE(says(text, "-->>p0: 2")) << text;
}

TEST(Changes, WhatIsDoneInAnyCaseNowIsNotGone) {
  const std::string text = explain_bodies(
      "def f(x):\n    if x.wide:\n        first(x)\n        last(x)\n    else:\n        second(x)\n        last(x)\n"
      "    return x\n",
      "def f(x):\n    if x.wide:\n        first(x)\n    else:\n        second(x)\n    last(x)\n    return x\n");
  EXPECT_FALSE(says(text, "o longer calls `last(x)`")) << text;
}

TEST(Changes, WhatBothSidesOfANewBranchDoIsNotGone) {
  const std::string text =
      explain_bodies("def f(x):\n    save(x.first, x.second)\n    between(x)\n    return x\n",
                     "def f(x):\n    if x.wide:\n        grow(x)\n        save(x.first, x.second)\n    else:\n"
                     "        shrink(x)\n        save(x.first, x.second)\n    between(x)\n    return x\n");
  EXPECT_FALSE(says(text, "o longer calls `save")) << text;
}

TEST(Changes, ABranchWhoseCodeStaysOnlyAsksNoLonger) {
  const std::string text =
      explain_bodies("def f(x):\n    if x.wide:\n        first(x.a)\n        second(x.b)\n    return x\n",
                     "def f(x):\n    first(x.a)\n    second(x.b)\n    return x\n");
  EXPECT_FALSE(says(text, "rops the branch")) << text;
  EXPECT_TRUE(says(text, "omes to `first(x.a)` and `second(x.b)` also where `x.wide` is not set")) << text;
  EXPECT_TRUE(says(text, "o longer asks whether `x.wide` is set")) << text;
}

TEST(Changes, ABranchOfWhichNothingIsLeftIsDropped) {
  const std::string text =
      explain_bodies("def f(x):\n    if x.wide:\n        first(x.a)\n    else:\n        second(x.b)\n    return x\n",
                     "def f(x):\n    return x\n");
  EXPECT_TRUE(says(text, "rops the branch when `x.wide` is set")) << text;
}

TEST(Changes, ANewWayOutLeavesTheConditionAsItWas) {
  const std::string text = explain_bodies(
      "def f(x):\n    if x.wide:\n        first(x.a)\n        second(x.b)\n    return x\n",
      "def f(x):\n    if not x.wide:\n        return x\n    first(x.a)\n    second(x.b)\n    return x\n");
  EXPECT_FALSE(says(text, "also where")) << text;
}

TEST(Changes, WhatTheTemplateSaysIsNoReason) {
  const Files before = {{".github/PULL_REQUEST_TEMPLATE.md",
                         "### What does this PR do?\n\n### Test\n\n> For changes that can not be tested by CI (e.g., "
                         "algorithm implementation), validate by experiment(s).\n"},
                        {"a.py", "def f(x):\n    return x\n"}};
  Files after = before;
  after["a.py"] = "def f(x):\n    return x + 1\n";
  const std::string text =
      explain_of(before, after, "Count from one",
                 "### What does this PR do?\n\nThe index was off by one.\n\n### Test\n\n> For "
                 "changes that can not be tested by CI (e.g., algorithm\nimplementation), validate "
                 "by experiment(s).\n");
  EXPECT_TRUE(says(text, "The index was off by one.")) << text;
  EXPECT_FALSE(says(text, "For changes that")) << text;
}

TEST(Changes, AWayOutBeforeTheCallIsACondition) {
  const std::string body = R"(def grow(x):
    return 1


def step(x):
    try:
        if x.ready:
            return
        grow(x)
    finally:
        print(x)


if __name__ == "__main__":
    step(None)
)";
  const std::string text = explain_bodies(body, replace_all(body, "return 1", "return 2"));
  EXPECT_TRUE(says(text, "This way is taken when `x.ready` is not set (`a.py:7`)")) << text;
}

TEST(Changes, WhoStillUsesARemovedNameIsSaid) {
  const Files before = {{"a.py",
                         "class Agent:\n    def get_rollouts(self):\n        return 1\n\n    def run(self):\n"
                         "        return 2\n"},
                        {"b.py", "def serve(agent):\n    return agent.get_rollouts()\n"}};
  Files after = before;
  after["a.py"] = "class Agent:\n    def run(self):\n        return 2\n";
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "Code inside still uses `get_rollouts` at `b.py:2`")) << text;
}

TEST(Changes, AMethodThatABaseGivesIsNotGoneAndItsGuardIsAskedThere) {
  const Files before = {{"base.py",
                         "class Base:\n    def load(self, step):\n        raise NotImplementedError\n\n"
                         "    def close(self):\n        raise NotImplementedError\n"},
                        {"one.py",
                         "from base import Base\n\n\nclass One(Base):\n    def load(self, step):\n"
                         "        if not self.enable:\n            return False\n        print(step)\n"
                         "        print(self)\n        return self.read(step, 1, 2)\n"},
                        {"two.py",
                         "from base import Base\n\n\nclass Two(Base):\n    def load(self, step):\n"
                         "        if not self.enable:\n            return False\n"
                         "        raise ValueError(\"this one does not load\")\n\n"
                         "    def drop(self):\n        return 1\n"},
                        {"run.py", "def run(two):\n    two.load(1)\n    two.drop()\n"}};
  Files after = before;
  after["base.py"] =
      "class Base:\n    def load(self, step):\n        if not self.enable:\n            return False\n"
      "        return self._load(step)\n\n    def close(self):\n        if not self.enable:\n            return\n"
      "        raise NotImplementedError\n";
  after["one.py"] =
      "from base import Base\n\n\nclass One(Base):\n    def _load(self, step):\n"
      "        print(step)\n        print(self)\n        return self.read(step, 1, 2)\n";
  after["two.py"] =
      "from base import Base\n\n\nclass Two(Base):\n    def _load(self, step):\n"
      "        raise ValueError(\"this one does not load\")\n";
  const std::string text = explain_of(before, after) + dive_of(before, after);
  EXPECT_TRUE(says(text, "Removed from the importable names: `Two.drop`.")) << text;
  EXPECT_TRUE(says(text, "inherited now, from `Base`")) << text;
  EXPECT_FALSE(says(text, "still uses `load`")) << text;
  EXPECT_TRUE(says(text, "leaves it to `Base.load` to ask whether `self.enable` is false")) << text;
  EXPECT_FALSE(says(text, "o longer asks whether `self.enable` is false")) << text;
}

TEST(Changes, AGuardIsLeftToCallersOnlyWhereEveryWayGoesThroughIt) {
  const std::string work = "def work(x, on):\n    if not on:\n        return None\n    print(x)\n    return x + 1\n";
  const std::string run = "\n\ndef run(x, on):\n    y = work(x, on)\n    return y\n";
  const std::string again = "\n\ndef run_again(x, on):\n    z = work(x, on)\n    return z + 1\n";
  const std::string guard = "    if not on:\n        return None\n";
  const auto handed_over = [&](const std::string& old_callers, const std::string& new_callers) {
    const Files before = {{"a.py", work + old_callers}};
    const Files after = {{"a.py", replace_all(work, guard, "") + new_callers}};
    const std::string text = explain_of(before, after) + dive_of(before, after);
    const bool is_left = says(text, "leaves it to `run` to ask whether `on` is not set");
    EXPECT_NE(is_left, says(text, "drops the branch when `on` is not set")) << text;
    return is_left;
  };
  const auto guarded = [&](const std::string& caller, std::string_view call) {
    return replace_all(caller, call, guard + std::string(call));
  };
  EXPECT_TRUE(handed_over(run, guarded(run, "    y = ")));
  EXPECT_TRUE(handed_over(run + again, guarded(run, "    y = ") + guarded(again, "    z = ")));
  // Another function still calls it unasked.
  EXPECT_FALSE(handed_over(run + again, guarded(run, "    y = ") + again));
  // It is asked after the call, or on one side of a branch.
  EXPECT_FALSE(handed_over(run, guarded(run, "    return y")));
  EXPECT_FALSE(handed_over(
      run, replace_all(run, "    y = ", "    if x:\n        if not on:\n            return None\n    y = ")));
}

TEST(Changes, AFunctionInsideAnotherIsNoImportableName) {
  const std::string text = explain_bodies("def f(x):\n    def inner(y):\n        return y\n\n    return inner(x)\n",
                                          "def f(x):\n    return x\n");
  EXPECT_FALSE(says(text, "Removed from the importable names")) << text;
}

TEST(Changes, SidesOfADeepBranchAreAlternatives) {
  const std::string start = "import torch.distributed as dist\n\n\ndef f(xs, group, wide):\n    \"\"\"Sum.\"\"\"\n";
  const std::string body =
      "    for x in xs:\n        if wide:\n            for y in x:\n                if y.a:\n"
      "                    dist.all_reduce(y, group=group)\n                else:\n"
      "                    dist.broadcast(y, 0, group=group)\n";
  const std::string text = explain_bodies(start + "    return xs\n", start + body + "    return xs\n");
  EXPECT_TRUE(says(text, "alt when y.a is set")) << text;
  EXPECT_TRUE(says(text, "else otherwise")) << text;
}

TEST(Changes, AFlagThatOnlyGivesItsDefaultSwitchesNothing) {
  const std::string start = "def add_arguments(parser):\n    parser.add_argument(\"--old\", type=int, default=1)\n";
  const std::string text = explain_bodies(
      start + "    return parser\n",
      start +
          "    parser.add_argument(\"--enable-fusions\", action=\"store_true\", default=True)\n    return parser\n");
  EXPECT_TRUE(says(text, "which its argument cannot change")) << text;
}

TEST(Changes, ANewCheckStandsInBeforeAndAfter) {
  const std::string text = parts_of_bodies(
      "def f(x):\n    return x\n", "def f(x):\n    if x < 0:\n        raise ValueError(\"negative\")\n    return x\n");
  EXPECT_TRUE(says(text, "| `f`, check | — | When `x` is less than `0`, raises `ValueError`")) << text;
}

TEST(Changes, ManyCallsOfOneFunctionAreToldTogether) {
  const std::string start = "def add_arguments(group):\n    group.add_argument(\"--old\", type=int)\n";
  std::string more;
  for (const char* name : {"--one", "--two", "--three", "--four", "--five", "--six"})
    more += std::string("    group.add_argument(\"") + name + "\", type=int)\n";
  const std::string text = explain_bodies(start + "    return group\n", start + more + "    return group\n");
  EXPECT_TRUE(says(text,
                   "dds 6 calls of `group.add_argument`: with `\"--one\"`, `\"--two\"`, `\"--three\"`, "
                   "`\"--four\"` and 2 others"))
      << text;
}

TEST(Changes, AValueIsNotToldToBeNoneOfTheOthers) {
  const std::string text =
      explain_bodies("def f(x):\n    if x.kind == \"a\":\n        one(x)\n    elif x.kind == \"b\":\n        two(x)\n",
                     "def f(x):\n    if x.kind == \"a\":\n        one(x)\n    elif x.kind == \"b\":\n        two(x)\n"
                     "    elif x.kind == \"c\":\n        three(x)\n");
  EXPECT_TRUE(says(text, "hen `x.kind` is `\"c\"`, calls `three(x)`")) << text;
  EXPECT_FALSE(says(text, "is not `\"a\"`")) << text;
}

TEST(Changes, WhatIsSetInAnyCaseNowReplacesTheBranches) {
  const std::string text = explain_bodies(
      "def f(c):\n    if c.kind == 1:\n        c.fused = False\n        c.size = 1\n    else:\n"
      "        c.fused = False\n        c.size = 2\n    return c\n",
      "def f(c, fused=False):\n    c.fused = fused\n    if c.kind == 1:\n        c.size = 1\n    else:\n"
      "        c.size = 2\n    return c\n");
  EXPECT_FALSE(says(text, "o longer sets `c.fused`")) << text;
  EXPECT_TRUE(says(text, "| Sets `c.fused` to `False`. | Sets `c.fused` to `fused`. |")) << text;
}

TEST(Changes, ParenthesesAloneChangeNoStep) {
  const std::string text = explain_bodies("def f(x, y, z):\n    assert x == y + z, (x, y)\n    return x\n",
                                          "def f(x, y, z):\n    assert x == (y + z), (x, y)\n    return x + 1\n");
  EXPECT_FALSE(says(text, "nsists that")) << text;
  EXPECT_TRUE(says(text, "`x + 1`")) << text;
}

/// What is given by name now and was given by its place is no other argument.
TEST(Changes, AnArgumentThatGetsItsNameIsNoOther) {
  const auto text_of = [](const std::string& was, const std::string& now) {
    return explain_bodies("def f(x, y):\n    return g(" + was + ")\n", "def f(x, y):\n    return g(" + now + ")\n");
  };
  const std::string more = text_of("x, y.group", "x, group=y.group, other=y.other");
  EXPECT_TRUE(says(more, "also passes `other=y.other` to `g`")) << more;
  EXPECT_FALSE(says(more, "instead of `y.group`")) << more;
  EXPECT_TRUE(says(text_of("x, y", "x, group=y"), "gives `group` to `g` by name"));
  EXPECT_TRUE(says(text_of("x, y", "x, group=y + 1"), "passes `group=y + 1` to `g` instead of `y`"));
}

/// A branch that is turned round does what it did.
// What happens now only under one more condition is what happened before, in more cases.
TEST(Changes, WhatIsGuardedNowIsThePreviousBehaviour) {
  const std::string before =
      "def f(hidden, labels=None):\n    if labels is None:\n        return hidden\n    return loss(hidden, labels)\n";
  const std::string after =
      "def f(hidden, labels=None, ids=None):\n    if labels is None:\n        if ids is None:\n            return "
      "hidden\n"
      "        labels = roll(ids)\n    return loss(hidden, labels)\n";
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "What the code did before:\n\n- `f`: Returns `hidden` where `labels` is `None`.")) << text;
}

// Lines that were there are not new for the branch that comes around them.
TEST(Changes, WhatStaysInANewBranchIsNotMarkedAsNew) {
  const std::string before = R"(def plain(calls):
    normalized = []
    for call in calls or []:
        fn = field(call, "function", {}) or {}
        name = field(fn, "name")
        args = field(fn, "arguments", "")
        if name is None:
            continue
        if not isinstance(args, str):
            try:
                args = dump(args, ensure_ascii=False)
            except TypeError:
                args = str(args)
        normalized.append(
            {
                "id": str(field(call, "id", f"call_{uuid.uuid4().hex[:24]}")),
                "type": "function",
                "function": {"name": str(name), "arguments": args},
            }
        )
    return normalized
)";
  const std::string after = R"(def plain(calls, tools=None):
    schemas = _get_schemas(tools)
    normalized = []
    for call in calls or []:
        fn = field(call, "function", {}) or {}
        name = field(fn, "name")
        args = field(fn, "arguments", "")
        if name is None:
            continue
        if isinstance(args, str):
            try:
                parsed = loads(args)
            except (TypeError, ValueError):
                parsed = None
            if isinstance(parsed, dict):
                args = dump(
                    normal(
                        parsed, name, schemas
                    ),
                    ensure_ascii=False,
                )
        elif isinstance(args, dict):
            args = dump(
                normal(args, name, schemas),
                ensure_ascii=False,
            )
        else:
            try:
                args = dump(args, ensure_ascii=False)
            except TypeError:
                args = str(args)
        normalized.append(
            {
                "id": str(field(call, "id", f"call_{uuid.uuid4().hex[:24]}")),
                "type": "function",
                "function": {"name": str(name), "arguments": args},
            }
        )
    return guarded(normalized)
)";
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "[MOVED]: tries: sets `args` to `dump(args, ensure_ascii=False)`")) << text;
  EXPECT_TRUE(says(text, "[NEW]: otherwise, when `args` is an instance of `dict`")) << text;
}

// Several conditions that ask another object the same are one edit.
TEST(Changes, AnotherObjectAskedInSeveralConditionsIsToldOnce) {
  const std::string before =
      "def make(self, x):\n    if self.act == 'silu' and x.glu:\n        x.op = swiglu(x)\n"
      "    elif self.act == 'gelu' and x.glu:\n        x.op = geglu(x)\n    return x\n";
  const std::string asked = replace_all(before, "self.act", "self.config.act");
  const std::string after = replace_all(
      asked, "    return x\n", "    elif self.config.act == 'srelu':\n        x.op = srelu(x)\n    return x\n");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "asks `self.config.act` instead of `self.act` in 2 conditions")) << text;
  EXPECT_FALSE(says(text, "formerly when")) << text;
  // One alone is told whole, and so is what differs in more.
  const std::string one = explain_of({{"a.py", before}}, with_edit({{"a.py", before}}, "a.py", "if self.act == 'silu'",
                                                                   "if self.config.act == 'silu'"));
  EXPECT_TRUE(says(one, "formerly when")) << one;
  const std::string more = explain_of({{"a.py", before}}, {{"a.py", replace_all(asked, "x.glu", "not x.glu")}});
  EXPECT_FALSE(says(more, " in 2 conditions")) << more;
}

TEST(Changes, AConditionTurnedRoundIsNoOtherCase) {
  const std::string before =
      "def f(xs):\n    for x in xs:\n        if x.ready:\n            use(x)\n        else:\n            continue\n";
  const std::string after =
      "def f(xs):\n    for x in xs:\n        if not x.ready:\n            continue\n        use(x, 1)\n";
  const std::string text = explain_bodies(before, after);
  EXPECT_FALSE(says(text, "not when `x.ready` is set")) << text;
  // What a branch does is told only where it did the same before.
  const std::string same = explain_bodies("def f(x):\n    if x.a:\n        return 1\n    return 2\n",
                                          "def f(x):\n    if x.ab:\n        return 1\n    return 2\n");
  EXPECT_TRUE(says(same, "returns `1` when `x.ab` is set, formerly when `x.a` is set")) << same;
  const std::string other = explain_bodies("def f(x):\n    if x.a:\n        return 1\n    return 2\n",
                                           "def f(x):\n    if x.ab:\n        return 3\n    return 2\n");
  EXPECT_FALSE(says(other, "returns `3` when `x.ab` is set, formerly when")) << other;
}

/// Words of a branch that stand twice now: the branch that stands as deep as before is the old one.
TEST(Changes, TheBranchThatStandsAsDeepIsTheOldOne) {
  const std::string before =
      "def f(x):\n    record(x.old)\n    if x.debug:\n        time(x)\n        log(x)\n    return x\n";
  const std::string after =
      "def f(x):\n    if x.some:\n        record(x.new)\n        if x.debug:\n            time(x)\n    if x.debug:\n"
      "        log(x)\n    return x\n";
  const std::string text = parts_of_bodies(before, after);
  EXPECT_TRUE(says(text, "{\"x.debug is set?<br/>NEW\"}")) << text;
  EXPECT_EQ(text.find("x.debug is set?<br/>NEW"), text.rfind("x.debug is set?<br/>NEW")) << text;
  EXPECT_TRUE(says(text, "[\"time(x)<br/>MODIFIED\"]")) << text;
}

// What only moves within its function is not new.
TEST(Changes, WhatMovesIsNotDrawnAsNew) {
  const std::string before =
      "def f(x):\n    if x.quant:\n        report(x)\n    first(x)\n    second(x)\n    return x\n";
  const std::string after =
      "def f(x):\n    first(x)\n    second(x)\n    if x.quant:\n        report(x)\n        if x.teacher:\n"
      "            load(x)\n        if x.more:\n            go(x)\n    return x\n";
  const std::string text = explain_bodies(before, after);
  EXPECT_TRUE(says(text, "first(x)<br/>second(x)<br/>MODIFIED")) << text;
  EXPECT_TRUE(says(text, "{\"x.teacher is set?<br/>NEW\"}")) << text;
}

TEST(Changes, ALoopWithoutRoomInTheChartIsNotCalledUnchanged) {
  std::string before = "def f(xs, ys, n):\n";
  for (const char name : {'a', 'b', 'c', 'd'})
    before += std::string("    if n.") + name + ":\n        go_" + name + "(0)\n    between_" + name + "(n)\n";
  before += "    for x in xs:\n        keep(x)\n        use(x, 0)\n    return n\n";
  const std::string text = parts_of_bodies(before, replace_all(before, "0)", "1)"));
  EXPECT_TRUE(says(text, "for x in xs: \u2026 [MODIFIED inside]")) << text;
}

TEST(Changes, WhatACheckpointFunctionCallsAsksForOldCheckpoints) {
  const std::string before =
      "class Optimizer:\n    def sharded_state_dict(self):\n        return self.param_state(0)\n\n"
      "    def param_state(self, first):\n        return self.flat[first:]\n\n    def size(self, first):\n        "
      "return first\n";
  const std::string text = explain_bodies(before, replace_all(before, "first:]", "first + 1:]"));
  EXPECT_TRUE(says(text, "`Optimizer.param_state` (called by `Optimizer.sharded_state_dict`) changed: do checkpoints"))
      << text;
  EXPECT_FALSE(says(explain_bodies(before, replace_all(before, "return first\n", "return 1\n")), "do checkpoints"));
}

TEST(Changes, WhatAMethodDoesInPlaceFlowsOn) {
  const std::string before =
      "import torch\nimport torch.distributed as dist\n\n\ndef check(loss, group):\n    ok = torch.ones(())\n    "
      "return ok\n";
  const std::string after =
      "import torch\nimport torch.distributed as dist\n\n\ndef check(loss, group):\n    ok = torch.ones(())\n"
      "    ok.logical_and_(torch.isfinite(loss))\n    dist.all_reduce(ok, group=group)\n    return ok\n";
  const std::string text = dive_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "ok.logical_and_(torch.isfinite(loss))")) << text;
}

TEST(Changes, WhatSeveralFunctionsDoAlikeIsSaidOnce) {
  const std::string body = R"(class Column:
    def __init__(self, config):
        self.config = config
        self.grouped = config.expert_size != config.size


class Row:
    def __init__(self, config):
        self.grouped = config.expert_size != config.size


class Other:
    def __init__(self, config):
        self.grouped = config.expert_size != config.size
)";
  std::string after = body;
  const auto add = [&](std::string_view what, std::string_view more) {
    const std::size_t at = after.find(what);
    ASSERT_NE(at, std::string::npos);
    after.insert(at + what.size(), more);
  };
  const std::string more = " or config.expert_weight_shards != config.weight_shards";
  add("!= config.size", more);
  add("class Row:\n    def __init__(self, config):\n        self.grouped = config.expert_size != config.size", more);
  const std::size_t last = after.rfind("!= config.size");
  after.insert(last + std::string_view("!= config.size").size(), " or config.tied");
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "The same in `Row.__init__` (`a.py:8`).") ||
              says(text, "The same in `Column.__init__` (`a.py:2`)."))
      << text;
  EXPECT_FALSE(says(text, "The same in `Other")) << text;
}

TEST(Changes, OneElementOfALongTableIsTold) {
  std::string table = "VALUES = frozenset([\n";
  for (int i = 0; i < 20'000; ++i) table += "    'name" + std::to_string(i) + "',\n";
  table += "])\n";
  const std::string text = explain_of({{"a.py", table}}, {{"a.py", replace_all(table, "'name7'", "'other'")}});
  EXPECT_TRUE(says(text, "'name6', 'other', 'name8'")) << text;
}

TEST(Changes, WaysOutOfARoundAreDrawn) {
  const std::string before =
      "def f(xs, n):\n    for x in xs:\n        if x.skip:\n            continue\n        use(x, 0)\n        mid(x)\n"
      "        if x.late:\n            fix(x, 0)\n        last(x)\n    return n\n";
  const std::string text = parts_of_bodies(before, replace_all(before, "0)", "1)"));
  EXPECT_TRUE(says(text, "(1 step unchanged, may go on with the next round here)")) << text;
  // `continue` and `break` lead where they lead.
  const std::string added = parts_of_bodies(
      before, replace_all(before, "        last(x)\n", "        if x.end:\n            break\n        last(x)\n"));
  EXPECT_TRUE(says(added, "n4([\"break<br/>NEW\"])")) << added;
  EXPECT_TRUE(says(added, "n4 --> n6")) << added;
}

TEST(Changes, WhatIsNoLongerConditionalIsNoUnchangedStep) {
  const std::string before =
      "def f(model, inv):\n    if model.ready:\n        first(model)\n        if inv != 0.0:\n            "
      "model.scale(inv)\n    return model\n";
  const std::string after =
      replace_all(before, "        if inv != 0.0:\n            model.scale(inv)\n", "        model.scale(inv)\n");
  const std::string parts = parts_of_bodies(before, after);
  EXPECT_TRUE(says(parts, "model.scale(inv) [under fewer conditions]<br/>MODIFIED")) << parts;
  const std::string text = explain_bodies(before, after);
  EXPECT_TRUE(says(text, "comes to `model.scale(inv)` also where `inv` is `0.0`")) << text;
  // An earlier branch of an `elif` asks the same.
  const std::string nested = "def f(model, x):\n    if x.mode:\n        if x.grads:\n            model.scale(x)\n";
  const std::string chain =
      "def f(model, x):\n    if not x.grads:\n        pass\n    elif x.mode:\n        model.scale(x)\n";
  EXPECT_FALSE(says(explain_bodies(nested, chain), "also where")) << explain_bodies(nested, chain);
  // Where the name is set in another way now, what it cannot be any more is not said to be met.
  const std::string set = replace_all(after, "    if model.ready:", "    inv = one_over(inv)\n    if model.ready:");
  EXPECT_FALSE(says(explain_bodies(before, set), "also where `inv` is `0.0`"));
}

TEST(Changes, WhatMovesIsToldByTheCallsThatItPasses) {
  const auto text_of = [](const std::string& before, const std::string& after) {
    const std::string head = "def f(x, ev, opt):\n";
    return explain_of({{"a.py", head + before}}, {{"a.py", head + after}});
  };
  const std::string wait = "    ev.wait()\n";
  const std::string step = "    opt.step()\n    opt.zero_grad()\n";
  const std::string end = "    x = x + 1\n    return x\n";
  const std::string earlier = text_of(step + wait + end, wait + step + end);
  EXPECT_TRUE(says(earlier, "moves `ev.wait()` up, before `opt.step()`")) << earlier;
  const std::string later = text_of(wait + step + end, step + wait + end);
  EXPECT_TRUE(says(later, "moves `ev.wait()` down, behind `opt.zero_grad()`")) << later;
  const std::string plain = text_of(wait + end, "    x = x + 1\n" + wait + "    return x\n");
  EXPECT_FALSE(says(plain, ", behind") || says(plain, ", before")) << plain;
  // What only stands behind what went into a branch has not moved.
  const std::string block = "    if x.big:\n        opt.step()\n        opt.zero_grad()\n";
  const std::string made = "    opt.mesh = None\n    if x.some:\n        opt.mesh = x.mesh(1)\n";
  const std::string indented = "        opt.mesh = None\n        if x.some:\n            opt.mesh = x.mesh(1)\n";
  const std::string branched = text_of(
      "    opt.start()\n" + block + made + "    return x\n",
      "    opt.start()\n    if ev.on:\n        opt.mesh = x.all()\n    else:\n" + indented + block + "    return x\n");
  EXPECT_FALSE(says(branched, "oves `if x.big")) << branched;
}

TEST(Changes, AnArgumentThatWasOffIsToldBeforeOtherEdits) {
  const std::string before =
      "def f(x, y):\n    a = g(x)\n    b = h(x)\n    c = k(x)\n    d = m(x)\n    e = n(x)\n    p = s(x)\n"
      "    return run(x, initial_state=None, size=1)\n";
  std::string after = before;
  for (const char* name : {"g", "h", "k", "m", "n", "s"})
    after = replace_all(after, std::string(name) + "(x)", std::string(name) + "(y)");
  const std::string text =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(after, "initial_state=None", "initial_state=y")}});
  EXPECT_TRUE(says(text, "passes `initial_state=y` to `run` instead of `initial_state=None`; and 3 more edits."))
      << text;
  EXPECT_TRUE(says(text,
                   "| Where | Before | After |\n| --- | --- | --- |\n"
                   "| `f` | `return run(x, initial_state=None, size=1)` |"))
      << text;
  const std::string other = explain_of({{"a.py", before}}, {{"a.py", replace_all(after, "size=1", "size=2")}});
  EXPECT_FALSE(says(other, "| `f` | `return run(")) << other;
}

TEST(Changes, NamesOfLocalsAreNoBehaviour) {
  const auto text_of = [](const std::string& was, const std::string& now) {
    const std::string end = "        use(x)\n    return x\n";
    return explain_of({{"a.py", "def f(x):\n    y = 1\n" + was + end}},
                      {{"a.py", "def f(x):\n    y = 2\n" + now + end}});
  };
  for (const auto& [was, now] : {std::pair("    for _ in g(x):\n", "    for bucket in g(x):\n"),
                                 std::pair("    with c(x) as ctx:\n", "    with c(x) as grad_ctx:\n")}) {
    const std::string text = text_of(was, now);
    EXPECT_TRUE(says(text, "| `f` | `y = 1` | `y = 2` |")) << text;
    EXPECT_FALSE(says(text, "| `f` | `for ") || says(text, "| `f` | `with ")) << text;
  }
  for (const auto& [was, now] : {std::pair("    for _ in g(x):\n", "    for _ in h(x):\n"),
                                 std::pair("    for i in x.first:\n", "    for i in x.last:\n"),
                                 std::pair("    for i in g(n=1):\n", "    for i in g(m=1):\n"),
                                 std::pair("    for i in g(x):\n", "    for i in g(y):\n")}) {
    const std::string text = text_of(was, now);
    EXPECT_TRUE(says(text, "| `f` | `for ")) << text;
  }
}

TEST(Changes, ABranchThatGoesIsToldWithWhatItDid) {
  const std::string after = "def f(x, n):\n    g(x)\n    return x\n";
  const auto text_of = [&](const std::string& body) {
    return explain_of({{"a.py", replace_all(after, "    return x\n", "    if n > 0:\n" + body + "    return x\n")}},
                      {{"a.py", after}});
  };
  const std::string two = text_of("        warn('padded')\n        x = pad(x, n)\n");
  EXPECT_TRUE(says(two, "drops the branch when `n` is more than `0`, with `warn('padded')` and `x = pad(x, n)`."))
      << two;
  const std::string three = text_of("        h(x)\n        warn('padded')\n        x = pad(x, n)\n");
  EXPECT_TRUE(says(three, "more than `0`, which ended with `warn('padded')` and `x = pad(x, n)`.")) << three;
  const std::string moved = text_of("        pass\n");
  EXPECT_FALSE(says(moved, "more than `0`, with")) << moved;
}

TEST(Changes, ACallThatMovesIntoANewBranchIsToldWithWhatItStoodUnder) {
  const std::string before =
      "def f(x, size):\n    if size > 1:\n        if x.is_nccl:\n            allocate(x)\n        else:\n"
      "            width = x.a or x.b\n            reserve(x, width)\n";
  const std::string after =
      "def f(x, size):\n    if x.kind == 'nccl':\n        allocate(x)\n    elif size > 1:\n"
      "        width = x.a or x.b\n        reserve(x, width)\n    else:\n        start(x)\n";
  const std::string text = explain_bodies(before, after);
  EXPECT_TRUE(says(text,
                   "hen `x.kind` is `'nccl'`, calls `allocate(x)`, formerly when `size` is more than `1` and "
                   "`x.is_nccl` is true"))
      << text;
  // An earlier branch asks something else: what went may be ruled out by it.
  EXPECT_FALSE(says(text, "also where")) << text;
  // With steps of its own the branch is a new one.
  const std::string more = replace_all(after, "        allocate(x)\n", "        allocate(x)\n        start(x)\n");
  EXPECT_FALSE(says(explain_bodies(before, more), "formerly when")) << explain_bodies(before, more);
}

TEST(Changes, AChangedCheckIsToldWithWhatItStandsUnder) {
  const auto file = [](const std::string& asked) {
    return "class Config:\n    def __post_init__(self):\n        if self.wide:\n            if not self." + asked +
           ":\n                raise ValueError(\"no\")\n        self.done = 1\n";
  };
  const std::string text = explain_of({{"a.py", file("tp")}}, {{"a.py", file("pp")}});
  EXPECT_TRUE(says(text,
                   "`Config.__post_init__` refuses what it is given under the condition that `self.wide` is set: when "
                   "`self.pp` is not "
                   "set, no longer when `self.tp` is not set."))
      << text;
}

/// A check that asks for a new setting refuses nobody who was there before; one that asks that it is not set does.
TEST(Changes, ACheckThatANewSettingIsNotSetRefusesMore) {
  const auto file = [](const std::string& field, const std::string& asked) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    bias: bool = False\n" + field +
           "\n    def __post_init__(self):\n        self.done = 1\n" +
           (asked.empty() ? "" : "        if " + asked + ":\n            raise ValueError(\"no\")\n");
  };
  const auto text_of = [&](const std::string& asked) {
    return explain_of({{"a.py", file("", "")}}, {{"a.py", file("    grouped: bool = False\n", asked)}});
  };
  const std::string unset = text_of("self.bias and not self.grouped");
  EXPECT_TRUE(says(unset, "`Config.__post_init__` refuses more: ")) << unset;
  const std::string set = text_of("self.grouped and not self.bias");
  EXPECT_FALSE(says(set, "refuses more")) << set;
}

TEST(Changes, AnAlternativeThatComesOrGoesIsToldAlone) {
  const auto text_of = [](const std::string& was, const std::string& now) {
    const auto file = [](const std::string& asked) {
      return "class Config:\n    def __post_init__(self):\n        if " + asked +
             ":\n            raise ValueError(\"no\")\n        self.done = 1\n";
    };
    return explain_of({{"a.py", file(was)}}, {{"a.py", file(now)}});
  };
  const std::string one = "self.tp > 1";
  const std::string two = one + " or self.pp > 1";
  const std::string went = text_of(two, one);
  EXPECT_TRUE(says(went, "when `self.tp` is more than `1`, no longer when only `self.pp` is more than `1`")) << went;
  EXPECT_TRUE(says(went,
                   "`Config.__post_init__` no longer refuses what it is given: when only `self.pp` is more than "
                   "`1`. Unless another check refuses it, that is let through now."))
      << went;
  const std::string came = text_of(one, two);
  EXPECT_TRUE(says(came, "also when `self.pp` is more than `1`")) << came;
  EXPECT_TRUE(says(came,
                   "`Config.__post_init__` refuses more: also when `self.pp` is more than `1`. What passed there "
                   "before is refused now."))
      << came;
  const std::string other = text_of(two, "self.tp > 1 or self.pp > 2");
  EXPECT_TRUE(says(other, "Refused anew is what meets the first alone; what meets the second alone is let through"))
      << other;
  const std::string less = text_of(one, one + " and self.pp > 1");
  EXPECT_TRUE(
      says(less,
           "`Config.__post_init__` refuses less: when `self.tp` is more than `1`, now only if `self.pp` is more "
           "than `1`. Unless another check refuses it, the rest is let through now."))
      << less;
  const std::string more = text_of(one + " and self.pp > 1", one);
  EXPECT_TRUE(says(more,
                   "`Config.__post_init__` refuses more: when `self.tp` is more than `1`, whether or not `self.pp` is "
                   "more than `1`. What passed there before is refused now."))
      << more;
}

/// A branch that asks one thing more is that branch, however little it does.
TEST(Changes, AShortConditionThatGrowsIsToldWithWhatItWas) {
  const auto text_of = [](const std::string& was, const std::string& now) {
    const auto file = [](const std::string& body) {
      return "def track(c, seen):\n" + body + "    seen.append(id(c))\n";
    };
    return explain_of({{"a.py", file(was)}}, {{"a.py", file(now)}});
  };
  const std::string exit = ":\n        return\n";
  const std::string more = text_of("    if c is None" + exit, "    if c is None or not hasattr(c, 'moe')" + exit);
  EXPECT_TRUE(says(more, "returns also when `c` has no `moe`")) << more;
  const std::string fewer = text_of("    if c is None or not hasattr(c, 'moe')" + exit, "    if c is None" + exit);
  EXPECT_TRUE(says(fewer, "when `c` is `None`, no longer when only `c` has no `moe`")) << fewer;
  // Another question is another branch.
  const std::string other = text_of("    if c is None" + exit, "    if not hasattr(seen, 'moe')" + exit);
  EXPECT_FALSE(says(other, "also when")) << other;
  const std::string beside =
      text_of("    if c is None" + exit, "    if c is None" + exit + "    if c is None or c.off" + exit);
  EXPECT_FALSE(says(beside, "also when")) << beside;
}

/// What a call takes for what it was not given says what was done before.
TEST(Changes, AnArgumentThatComesIsToldWithTheDefaultThatItReplaces) {
  const std::string spec =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Spec:\n    name: str\n    depth: int = 4\n";
  const std::string before = "from spec import Spec\n\n\ndef make():\n    return Spec(name=\"a\")\n";
  const std::string after = "from spec import Spec\n\n\ndef make(n):\n    return Spec(name=\"a\", depth=n)\n";
  const std::string text = explain_of({{"spec.py", spec}, {"a.py", before}}, {{"spec.py", spec}, {"a.py", after}});
  EXPECT_TRUE(says(text, "also passes `depth=n` to `Spec`, which took `4` without it")) << text;
}

/// Arguments in another order say nothing without the order of the parameters.
TEST(Changes, ArgumentsThatChangePlacesAreToldWithTheParameters) {
  const auto text_of = [](const std::string& callee) {
    const Files before = {{"a.py", callee + "\n\n\ndef f(old, new):\n    return convert(old.state(), new)\n"}};
    return explain_of(before, with_edit(before, "a.py", "convert(old.state(), new)", "convert(new, old)"));
  };
  const std::string text = text_of("def convert(new_model, old_model):\n    return new_model");
  EXPECT_TRUE(says(text,
                   "calls `convert(new, old)` instead of `convert(old.state(), new)`, which takes `new_model` and "
                   "`old_model` in this order"))
      << text;
  EXPECT_FALSE(says(text_of("from lib import convert"), "in this order"));
}

/// What changes in a function inside another one is told of that one alone.
TEST(Changes, WhatChangesInAnInnerFunctionIsToldOfIt) {
  const std::string before =
      "def register(module, strategy):\n    def hook(x):\n        return x + module.bias\n\n"
      "    module.register_forward_hook(hook)\n    module.strategy = strategy\n";
  const std::string after =
      "def register(module, strategy):\n    def hook(x):\n        return x - module.bias\n\n"
      "    module.register_forward_hook(hook)\n    module.strategy = strategy.name\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "inner function")) << text;
}

/// A local of another name that no loop raises any more holds another value: it is not only called otherwise.
TEST(Changes, ALocalThatIsNoLongerSetAnewIsNotOnlyRenamed) {
  const std::string before = R"(def place(regions, node, users):
    consumer_idx = regions.get(node)
    if consumer_idx is None:
        return 0
    for user in users:
        consumer_idx = max(consumer_idx, regions[user])
    return min(consumer_idx + 1, len(regions))
)";
  const std::string after = R"(def place(regions, node, users):
    node_idx = regions.get(node)
    if node_idx is None:
        return 0
    return min(node_idx + 1, len(regions))
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "enames `consumer_idx` to `node_idx`")) << text;
}

/// A condition that left a branch asks for less, however it reads by itself.
TEST(Changes, AConditionIsToldWithTheBranchThatItLeft) {
  const std::string before =
      "def f(args, x):\n    if not args.tune:\n        rng(x)\n        if not args.skip:\n            load(x)\n";
  const std::string after =
      "def f(args, x):\n    if not args.tune:\n        rng(x)\n    if (not args.tune or x.compat) and not args.skip:\n"
      "        load(x)\n";
  const std::string text = explain_bodies(before, after);
  EXPECT_TRUE(says(text,
                   "when (`args.tune` is not set or `x.compat` is set) and `args.skip` is not set, formerly when "
                   "`args.skip` is not set, inside the branch on `not args.tune`"))
      << text;
  EXPECT_FALSE(says(text, "requires also")) << text;
}

/// Where there is no room to draw a chain of branches to its end, what stands behind it is still where all come
/// together.
TEST(Changes, BranchesThatAreNotDrawnEndBeforeWhatFollowsThem) {
  std::string before = "def f(x, ops):\n";
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const std::string test = std::string("x.") + name;
    before += std::string(name == std::string("a") ? "    if " : "    elif ") + test + ":\n        op = make(" + test +
              ", 0)\n";
    if (name != std::string("e")) before += "        if " + test + ".deep:\n            op = deep(op, 0)\n";
  }
  before += "    ops.append(op)\n    return ops\n";
  const std::string text = parts_of_bodies(before, replace_all(before, "0)", "1)"));
  const std::size_t append = text.find("ops.append(op)");
  ASSERT_NE(append, std::string::npos) << text;
  const std::size_t begin = text.rfind('\n', append) + 1;
  const std::string line = text.substr(begin, text.find('\n', append) - begin);
  EXPECT_FALSE(says(line, "elif") || says(line, "x.")) << line << text;
  EXPECT_FALSE(says(text, "[\"end\"]")) << "nothing falls off the end: " << text;
}

/// An error that only says it otherwise is no other behaviour.
TEST(Changes, AnErrorWithAnotherMessageIsToldAsThat) {
  const Files before = {{"a.py",
                         "def f(x):\n    if x < 1:\n        raise ValueError(f\"too small: {x}, reduce y\")\n"
                         "    return x\n"}};
  const std::string text = explain_of(before, with_edit(before, "a.py", "reduce y", "reduce z"));
  EXPECT_TRUE(says(text, "gives its `ValueError` another message")) << text;
  EXPECT_FALSE(says(text, "| `f` | `raise ValueError")) << text;
  const std::string other = explain_of(before, with_edit(before, "a.py", "raise ValueError(", "raise TypeError("));
  EXPECT_FALSE(says(other, "another message")) << other;
  const auto raised = [](const std::string& was, const std::string& now) {
    const Files files = {{"a.py",
                          "def f(x, made):\n    try:\n        return x.size\n    except AttributeError as error:\n"
                          "        raise " +
                              was + "\n"}};
    return explain_of(files, with_edit(files, "a.py", was, now));
  };
  const std::string told = "another message";
  EXPECT_TRUE(says(raised("ValueError('no size') from error", "ValueError('has no size') from error"), told));
  EXPECT_TRUE(says(raised("ValueError(f'{len(x)} rows')", "ValueError(f'has {len(x)} rows')"), told));
  const std::vector<std::pair<std::string, std::string>> others = {
      {"ValueError('no size')", "ValueError('has no size') from error"},
      {"ValueError('no size') from error", "ValueError('has no size') from None"},
      {"ValueError('no size')", "ValueError('no '\n                         'size')"},
      {"KeyError('size')", "KeyError('rows')"},
      {"SystemExit('no size')", "SystemExit('has no size')"},
      {"made('no size')", "made('has no size')"},
      {"ValueError(f'{x} rows')", "ValueError(f'{x.pop()} rows')"}};
  for (const auto& [was, now] : others) EXPECT_FALSE(says(raised(was, now), told)) << was << "\n" << now;
}

/// A new function that raises several kinds of errors names them.
TEST(Changes, ANewFunctionNamesTheOtherErrorsThatItRaises) {
  const auto check = [](const std::string& kind) {
    return explain_bodies("def f(x):\n    return x\n",
                          "def check(mesh, axes):\n    names = work(axes)\n    if len(set(names)) != len(names):\n"
                          "        raise ValueError(axes)\n    for one in work(names):\n        if one > 2:\n"
                          "            raise " +
                              kind + "(one)\n\n\ndef f(x):\n    check(x, x)\n    return x\n");
  };
  const std::string first = " It raises `ValueError` when `len(set(names))` differs from `len(names)`, and ";
  const std::string other = check("NotImplementedError");
  EXPECT_TRUE(says(other, first + "`NotImplementedError` in other cases.")) << other;
  for (const char* kind : {"ValueError", "kinds[one]"}) {
    const std::string same = check(kind);
    EXPECT_TRUE(says(same, first + "in other cases.")) << same;
  }
}

/// A check that a new function makes now in much the same words is not let through everywhere.
TEST(Changes, ACheckThatANewFunctionMakesIsRefusedThere) {
  const auto told = [](const std::string& check) {
    return explain_bodies(
        "def build(mesh, axes):\n    assert tuple(axes.dp) == tuple(range(mesh.ndim)), \"Sharding "
        "requires the axes to match every mesh axis in mesh order for now.\"\n    return mesh\n\n\n"
        "def shard(mesh, axes):\n    return build(mesh, axes)\n",
        "def build(mesh, axes):\n    return mesh\n\n\ndef validate(mesh, axes):\n" + check +
            "\n\ndef shard(mesh, axes):\n    validate(mesh, axes)\n    return build(mesh, axes)\n");
  };
  const std::string lost = "`build` no longer insists that `tuple(axes.dp)` equals `tuple(range(mesh.ndim))`";
  const std::string said = "Sharding currently requires the axes to match every mesh axis in mesh order.\")\n";
  const std::string taken =
      told("    if axes != tuple(range(mesh.ndim)):\n        raise NotImplementedError(\"" + said);
  EXPECT_TRUE(says(taken, lost)) << taken;
  EXPECT_TRUE(says(taken,
                   "The new `validate` refuses it when `axes` differs from `tuple(range(mesh.ndim))`; what does not "
                   "come there is let through now."))
      << taken;
  EXPECT_FALSE(says(taken, "Unless another check refuses it")) << taken;
  // The opposite, another comparison, and one that says something else are other checks.
  for (const std::string& other :
       {"    if axes == tuple(range(mesh.ndim)):\n        raise NotImplementedError(\"" + said,
        "    if axes != tuple(range(mesh.size)):\n        raise NotImplementedError(\"" + said,
        std::string("    if axes != tuple(range(mesh.ndim)):\n        raise NotImplementedError(\"No.\")\n")}) {
    const std::string gone = told(other);
    EXPECT_TRUE(says(gone, lost)) << gone;
    EXPECT_TRUE(says(gone, "Unless another check refuses it, that is let through now.")) << gone;
  }
}

}  // namespace
}  // namespace lockstep::render
