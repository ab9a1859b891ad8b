// Sentences on what changed that hold only under a condition: each once where it holds and once where it does not.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string explain_added(const std::string& code) {
  return explain_of({{"a.py", "import torch.distributed as dist\n"}},
                    {{"a.py", "import torch.distributed as dist\n\n\n" + code}});
}

// `if not self.enabled` of another object, `x is None` of another x.
TEST(Claims, AGuardThatMovedToTheCallerAsksOfTheSameThing) {
  const auto dive_moved = [](const std::string& passed) {
    const std::string ask = "    if x is None:\n        return\n";
    const std::string scale = "    total = x * 2\n    print(total)\n\n\n";
    const std::string step = "    y = x + bias\n    scale(" + passed + ")\n";
    return explain_of({{"a.py", "def scale(x):\n" + ask + scale + "def step(x, bias):\n" + step}},
                      {{"a.py", "def scale(x):\n" + scale + "def step(x, bias):\n" + ask + step}});
  };
  EXPECT_FALSE(says(dive_moved("x"), "drops the branch when `x` is `None`")) << dive_moved("x");
  EXPECT_TRUE(says(dive_moved("bias"), "drops the branch when `x` is `None`")) << dive_moved("bias");
  EXPECT_TRUE(says(dive_moved("*x"), "drops the branch when `x` is `None`"));

  const auto of_self = [](const std::string& object) {
    const std::string ask = "        if not self.enabled:\n            return\n";
    const std::string head =
        "class Hook:\n    def __init__(self, enabled):\n        self.enabled = enabled\n\n    def fire(self, x):\n";
    const std::string fire = "        self.count = x\n        self.last = x\n\n\n";
    const std::string trainer =
        "class Trainer(Hook):\n    def __init__(self, enabled, hook):\n"
        "        self.enabled = enabled\n        self.hook: Hook = hook\n\n    def step(self, x):\n";
    const std::string step = "        y = x + 1\n        " + object + ".fire(y)\n";
    return explain_of({{"a.py", head + ask + fire + trainer + step}}, {{"a.py", head + fire + trainer + ask + step}});
  };
  EXPECT_FALSE(says(of_self("super()"), "drops the branch when `self.enabled`")) << of_self("super()");
  EXPECT_TRUE(says(of_self("self.hook"), "drops the branch when `self.enabled`")) << of_self("self.hook");
}

TEST(Claims, WhatIsCutOffMayDiffer) {
  const auto explain_two = [](const std::string& kind) {
    const std::string call =
        "    layer = wrap(layer, config, first_argument=config.first, second_argument=config.second, kind=";
    const auto body = [&](bool is_after) {
      return "def build_first(config):\n    layer = make(config)\n" + (is_after ? call + "'row')\n" : "") +
             "    return layer\n\n\ndef build_second(config):\n    layer = make(config)\n" +
             (is_after ? call + kind + ")\n" : "") + "    return layer\n";
    };
    return explain_of({{"a.py", body(false)}}, {{"a.py", body(true)}});
  };
  EXPECT_FALSE(says(explain_two("'column'"), "The same in"));
}

TEST(Claims, WhatAnotherClassKeepsToItselfIsNotTheSame) {
  const std::string was =
      "class Holder:\n    def prepare(self, x):\n        self.maximum_sequence_length = x.shape[0]\n        return "
      "x\n\n\n"
      "def prepare(x):\n    maximum_sequence_length = x.shape[0]\n    return maximum_sequence_length + x\n";
  EXPECT_FALSE(says(explain_of({{"a.py", was}}, {{"a.py", replace_all(was, "[0]", "[1]")}}), "The same in"));
}

TEST(Claims, ABaseThatDoesNothingGivesNothing) {
  const auto explain_removed = [](const std::string& base) {
    const std::string child = "\n\nclass Child(Base):\n    def go(self, x):\n        return x\n";
    const std::string run = "\n    def run(self, x):\n        return x * 2\n";
    return explain_of({{"a.py", base + child + run}}, {{"a.py", base + child}});
  };
  const std::string inherited = "is inherited now, from `Base`";
  const std::string plain = explain_removed("class Base:\n    def run(self, x):\n        return x\n");
  EXPECT_TRUE(says(plain, inherited)) << plain;
  for (const char* const base :
       {"import abc\n\n\nclass Base(abc.ABC):\n    @abc.abstractmethod\n    def run(self, x):\n        ...\n",
        "class Base:\n    def run(self, x):\n        \"\"\"Run.\"\"\"\n        raise NotImplementedError\n",
        "class Base:\n    run = None\n"}) {
    const std::string text = explain_removed(base);
    EXPECT_FALSE(says(text, inherited)) << text;
    EXPECT_TRUE(says(text, "Removed from the importable names: `Child.run`")) << text;
  }
}

TEST(Claims, WhatEveryModuleOfTorchHasIsThereStill) {
  const std::string child = "import torch\n\n\nclass Child(torch.nn.Module):\n    def go(self, x):\n        return x\n";
  const auto explain_removed = [&](const std::string& name) {
    const std::string gone = "\n    def " + name + "(self, mode):\n        self.mode = mode\n";
    return explain_of({{"a.py", child + gone}}, {{"a.py", child}});
  };
  EXPECT_TRUE(says(explain_removed("change"), "Removed from the importable names: `Child.change`"));
  EXPECT_FALSE(says(explain_removed("train"), "Removed from the importable names"));
}

TEST(Claims, ASettingIsReadOffAConfiguration) {
  const auto explain_read = [](const std::string& object) {
    const std::string config =
        "from dataclasses import dataclass\nfrom typing import Optional\n\n\n@dataclass\n"
        "class TrainConfig:\n    lr: float = 0.1\n";
    const std::string train = "\n\ndef train(config):\n    if config.timeout:\n        return config.timeout\n";
    const std::string open = "\n\ndef open_it(" + object + "):\n    return connect(" + object + ".host";
    return explain_of({{"a.py", config + open + ")\n"}},
                      {{"a.py", config + "    timeout: Optional[int] = None\n" + open + ", timeout=" + object +
                                    ".timeout or 30)\n" + train}});
  };
  EXPECT_TRUE(says(explain_read("config"), "Where it is not set, `30` (`a.py:12`) counts in its place"))
      << explain_read("config");
  EXPECT_FALSE(says(explain_read("request"), "counts in its place")) << explain_read("request");
}

TEST(Claims, ACollectiveInACaseOrAHandlerCanBeIssued) {
  EXPECT_TRUE(says(explain_added("def go(x):\n    dist.all_reduce(x)\n"), ": issues `all_reduce`"));
  for (const char* const code :
       {"def go(x, mode):\n    match mode:\n        case 'sum':\n            dist.all_reduce(x)\n        case _:\n     "
        "       pass\n",
        "def go(x):\n    try:\n        x.check()\n    except RuntimeError:\n        dist.all_reduce(x)\n"}) {
    const std::string text = explain_added(code);
    EXPECT_TRUE(says(text, ": can issue `all_reduce`")) << text;
  }
}

TEST(Claims, WhatFallsThroughReturnsNone) {
  const std::string always = explain_added("def go(a):\n    if a:\n        return a + 1\n    raise ValueError(a)\n");
  EXPECT_TRUE(says(always, ": returns `a + 1`.")) << always;
  const std::string falls = explain_added("def go(a):\n    if a:\n        return a + 1\n");
  EXPECT_TRUE(says(falls, ": returns `a + 1` or `None`.")) << falls;
  const std::string three = explain_added(
      "def go(kind, a):\n    if kind == 1:\n        return a.first\n    elif kind == 2:\n        return a.second\n"
      "    elif kind == 3:\n        a = 3\n");
  EXPECT_FALSE(says(three, ": returns `a.first` or `a.second`")) << three;
  // A call at the end may raise.
  const std::string unknown = explain_added("def go(a):\n    if a:\n        return a + 1\n    fail(a)\n");
  EXPECT_FALSE(says(unknown, "`go` (new, `a.py:4`): returns")) << unknown;
}

TEST(Claims, AClassThatIsShownIsNotHandedOn) {
  const auto explain_used = [](const std::string& use) {
    const std::string was =
        "import inspect\nimport logging\n\nlogger = logging.getLogger(__name__)\n\n\nclass Widget:\n"
        "    def __init__(self, size):\n        self.size = size\n\n\ndef describe():\n    return " +
        use + "\n";
    return explain_of({{"a.py", was}}, {{"a.py", replace_all(was, "= size\n", "= size * 2\n")}});
  };
  EXPECT_TRUE(says(explain_used("build_all(Widget)"), "`a.py:13`")) << explain_used("build_all(Widget)");
  for (const char* const use : {"logger.info('it is %s', Widget)", "inspect.getsource(Widget)", "print(Widget)"})
    EXPECT_FALSE(says(explain_used(use), "`a.py:13`")) << explain_used(use);
}

TEST(Claims, OnlyAConditionThatKeepsZeroOutAnswersForADivisor) {
  const auto asks = [](const std::string& guard) {
    const std::string head = "def mean(total, count, n):\n";
    const std::string text =
        explain_of({{"a.py", head + "    return total\n"}},
                   {{"a.py", head + "    if " + guard + ":\n        print(total / count)\n    return total\n"}});
    return says(text, "Can `count` be zero?");
  };
  for (const char* const guard : {"count < 100", "count == 0", "count is not None", "count >= 0", "n > 0 or count",
                                  "count > n", "not count", "count > -1"})
    EXPECT_TRUE(asks(guard)) << guard;
  for (const char* const guard : {"count", "count > 0", "count != 0", "0 < count < 9", "n and count", "not count == 0",
                                  "not (count <= 0 or n)", "count >= 1"})
    EXPECT_FALSE(asks(guard)) << guard;
}

const char* const kShards =
    "def load_shard(path):\n    return path\n\n\ndef check_shard(x):\n    return x\n\n\n"
    "def save_shard(x):\n    return x\n\n\ndef step(path, kind):\n";

std::string dive_step(const std::string& body) {
  return dive_of({{"a.py", std::string(kShards) + "    return path\n"}}, {{"a.py", kShards + body}});
}

TEST(Claims, AChoiceWithinAChoiceIsDrawnWithinIt) {
  const std::string text = dive_step("    return check_shard(path) and (save_shard(path) or load_shard(path))\n");
  EXPECT_TRUE(says(text,
                   "    opt when check_shard(path) is true\n        p0->>p0: save_shard(path)\n"
                   "        opt when save_shard(path) is false\n            p0->>p0: load_shard(path)\n"
                   "        end\n    end\n"))
      << text;
  const std::string sides =
      dive_step("    return (check_shard(path) if kind else save_shard(path)) if path else load_shard(path)\n");
  EXPECT_TRUE(says(sides,
                   "    alt when path is set\n        alt when kind is set\n            p0->>p0: check_shard(path)\n"
                   "        else otherwise\n            p0->>p0: save_shard(path)\n        end\n"
                   "    else otherwise\n        p0->>p0: load_shard(path)\n    end\n"))
      << sides;
}

TEST(Claims, WhatFollowsABlockThatIsLeftOnEveryWayIsItsOtherSide) {
  const std::string left = dive_step(
      "    if kind is None:\n        try:\n            return load_shard(path)\n        finally:\n"
      "            check_shard(path)\n    return save_shard(kind)\n");
  const std::string other = "    else otherwise\n        p0->>p0: save_shard(kind)\n";
  EXPECT_TRUE(says(left, other)) << left;
  const std::string stays = dive_step(
      "    if kind is None:\n        try:\n            path = load_shard(path)\n        finally:\n"
      "            check_shard(path)\n    return save_shard(kind)\n");
  EXPECT_FALSE(says(stays, other)) << stays;
}

// A branch that may return, or that a run may have returned before, asks nothing of the caller.
TEST(Contracts, OnlyABranchThatAlwaysRaisesIsARequirement) {
  const auto text_of = [](const std::string& body) {
    return parts_of({{"a.py", "x = 1\n"}}, {{"a.py", "x = 1\n\n\ndef pick(xs, key, cache):\n" + body}});
  };
  const std::string raise = "        raise KeyError(key)\n";
  EXPECT_TRUE(says(text_of("    if key:\n" + raise + "    return xs\n"), "`key` is not set, else `KeyError`"));
  for (const std::string& body : {
           "    if key:\n        for x in xs:\n            if x == key:\n                return x\n" + raise +
               "    return xs\n",
           "    if key:\n        try:\n            return xs[key]\n        except KeyError:\n            pass\n" +
               raise + "    return xs\n",
           "    if key:\n        if cache:\n            return cache\n" + raise + "    return xs\n",
           "    for x in xs:\n        if x:\n            return x\n    if key:\n" + raise + "    return xs\n",
           "    if cache:\n        for x in xs:\n            return x\n        if key:\n    " + raise +
               "    return xs\n",
       }) {
    const std::string text = text_of(body);
    EXPECT_FALSE(says(text, "Requires that")) << text;
    EXPECT_FALSE(says(text, "requires that")) << text;
  }
  const std::string two = text_of("    if key:\n        if cache:\n            raise ValueError(cache)\n" + raise);
  EXPECT_TRUE(says(two, "**Requires that** `key` is not set; ")) << two;
}

/// The type that a docstring repeats is told once.
TEST(Contracts, WhatIsReturnedIsSaidWithoutTheTypeThatStandsInTheHead) {
  const auto text_of = [](const std::string& type, const std::string& said = "Tensor") {
    const std::string before = "def total(x, y) -> " + type + ":\n    \"\"\"Adds.\n\n    Returns:\n        " + said +
                               ": The sum of the rows.\n"
                               "    \"\"\"\n    return x\n";
    return explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "return x", "return x + y")}});
  };
  EXPECT_TRUE(says(text_of("Tensor"), "\u2014 “The sum of the rows.”")) << text_of("Tensor");
  EXPECT_TRUE(says(text_of("Sum"), "\u2014 “Tensor: The sum of the rows.”")) << text_of("Sum");
  const std::string named = text_of("Tensor", "out (Tensor)");
  EXPECT_TRUE(says(named, "\u2014 “The sum of the rows.”")) << named;
}

TEST(Contracts, WhatAGeneratorReturnsNobodyGets) {
  const std::string text = explain_of(
      {{"a.py", "x = 1\n"}}, {{"a.py", "x = 1\n\n\ndef pick(xs):\n    for x in xs:\n        yield x\n    return 3\n"}});
  EXPECT_FALSE(says(text, "- `pick` (new, `a.py:4`): returns `3`")) << text;
  EXPECT_FALSE(says(text, "**Out:**")) << text;
}

// A default says nothing of a setting that code sets to something else afterwards.
TEST(Defaults, OfASettingThatCodeSetsNothingIsSaid) {
  const auto side = [](const std::string& settle, const std::string& reduce, const std::string& more) {
    return "import argparse\n\n\ndef reduce_it(x):\n" + reduce +
           "    return x\n\n\ndef step(x, args):\n    if args.reduce:\n        return reduce_it(x)\n    return x\n\n\n"
           "def settle(args):\n    " +
           settle +
           "\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--reduce', "
           "action='store_true')\n    parser.add_argument('--level', type=int, default=0)\n" +
           more +
           "    args = parser.parse_args()\n    settle(args)\n    step(1, args)\n\n\nif __name__ == '__main__':\n"
           "    main()\n";
  };
  const auto text_of = [&](const std::string& settle, const std::string& more = "") {
    const Files before = {{"core.py", side(settle, "", more)}};
    const Files after = {{"core.py", side(settle, "    x = x + 1\n", more)}};
    return explain_of(before, after) + dive_of(before, after);
  };
  for (const std::string stays :
       {"pass", "args.reduce = False", "args.reduce = args.reduce", "if args.level:\n        args.reduce = True"}) {
    const std::string text = text_of(stays);
    EXPECT_TRUE(says(text, "(does not hold by default)")) << text;
    EXPECT_TRUE(says(text, "By default (`reduce` is `False`) a run does not take this way.")) << text;
  }
  for (const std::string set :
       {"args.reduce = True", "args.reduce, args.level = True, 3", "setattr(args, 'reduce', True)",
        "args.reduce = args.level > -1", "args.reduce: bool = len('x') > 0", "args.reduce |= True",
        "if not args.level:\n        args.reduce = True"}) {
    EXPECT_FALSE(says(text_of(set), "y default")) << text_of(set);
    EXPECT_TRUE(says(text_of(set), "reach `reduce_it`: `core.py`")) << text_of(set);
  }
  EXPECT_FALSE(says(text_of("pass", "    parser.set_defaults(reduce=True)\n"), "y default"));
}

/// What the author's runs showed that did not go as it should is a risk; what was mended, or stands elsewhere, is none.
TEST(Claims, FailuresUnderATestPlanAreReported) {
  const Files before = {{"a.py", "def f(x):\n    return x\n"}};
  const Files after = {{"a.py", "def f(x):\n    return x + 1\n"}};
  const auto text_with = [&](const std::string& body) { return explain_of(before, after, "Change it", body); };
  const std::string found = text_with(
      "Scatters into the local buffer.\n\n## Test plan\nloss parity on FSDP4, TP=2, EP=2: AssertionError: Loss "
      "mismatch at step 1\n\n```\npython compare.py --mismatch\n```\n");
  EXPECT_TRUE(says(found,
                   "Under “Test plan” the message reports: “loss parity on FSDP4, TP=2, EP=2: AssertionError: Loss "
                   "mismatch at step 1”. Is that expected?"))
      << found;
  EXPECT_FALSE(says(text_with("The loss mismatch at step 1 comes from the old buffer."), "reports:"));
  EXPECT_FALSE(says(text_with("## Test plan\nThe loss mismatch at step 1 is fixed by this."), "reports:"));
}

}  // namespace
}  // namespace lockstep::render
