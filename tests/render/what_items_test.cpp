// What the first list of a document says: long items as lists of their own, settings that wake up, and nothing that is
// the same in other words.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(WhatItems, ALongItemIsAListBelowWhatItsClausesShare) {
  const std::string before =
      "def log(args, tracker):\n    if args.experts is not None:\n        layers = args.layers\n"
      "        tracker.report(layers=layers, freq=args.freq)\n";
  const std::string after =
      "def log(args, tracker):\n    if args.experts is not None:\n"
      "        if args.pattern_of_the_hybrid_layers:\n"
      "            tracker.count_hybrid_layers(args.pattern_of_the_hybrid_layers, args.number_of_depths)\n"
      "        else:\n            tracker.count_all_layers(args.pattern_of_the_dense_layers, args.number_of_depths)\n"
      "        layers = args.layers + (args.additional_layers_of_prediction or 0)\n"
      "        tracker.report(layers=layers, freq=args.freq, number=args.number_of_layers_with_experts)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "- `log` (changed, `a.py:1`), where `args.experts` is not `None`:\n  - ")) << text;
  EXPECT_TRUE(says(text, "\n  - Also passes `number=args.number_of_layers_with_experts` to `tracker.report`.")) << text;
  EXPECT_FALSE(says(text, "under the same condition")) << text;
}

TEST(WhatItems, AShortItemIsASentence) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    g(x)\n    h(x)\n"}}, {{"a.py", "def f(x):\n    g(x, 1)\n    h(x, 2)\n"}});
  EXPECT_TRUE(says(text, "- `f` (changed, `a.py:1`): ")) << text;
}

const std::string kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    scalar: str = \"adam\"\n    lr: float = "
    "1.0\n";

TEST(WhatItems, ASettingThatNothingReadBeforeIsTold) {
  const auto text_of = [](const std::string& elsewhere) {
    const Files before = {
        {"config.py", kConfig}, {"a.py", "def build(config):\n    return make(config.lr)\n"}, {"b.py", elsewhere}};
    return explain_of(before, with_edit(before, "a.py", "make(config.lr)", "make(config.lr, config.scalar)"));
  };
  const std::string_view told =
      "The setting `scalar` (`config.py:6`, default `\"adam\"`) is read now, in `build`; before the change, no Python "
      "code outside tests read it.";
  EXPECT_TRUE(says(text_of(""), told)) << text_of("");
  for (const char* reader : {"def f(x):\n    return x.scalar\n", "def f(x):\n    return getattr(x, 'scalar')\n"})
    EXPECT_FALSE(says(text_of(reader), "is read now")) << text_of(reader);
}

/// Code that makes an option of each field of a class, but for those that it is told to leave out.
std::string options_without(const std::string& names) {
  return R"(import dataclasses
from argparse import ArgumentParser

from config import Config


class Options:
    def __init__(self, config, exclude=None):
        self.config = config
        self.exclude = set(exclude or [])

    def build(self, parser):
        for one in dataclasses.fields(self.config):
            if one.name in self.exclude:
                continue
            prefix = "no" if one.default is True else ""
            action = "store_false" if one.default is True else "store"
            parser.add_argument("--" + negated(one.name, prefix="no").replace("_", "-"), action=action)


def get_args():
    parser = ArgumentParser()
    Options(Config, exclude=[)" +
         names + R"(]).build(parser)
    return parser.parse_args()
)";
}

/// A setting that was declared, that no option gave and nothing read.
TEST(WhatItems, ASettingThatBecomesActiveIsToldWithItsNewOption) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    rate: int = 1\n"
      "    save_assets: bool = True\n    \"\"\"Save the files, too.\"\"\"\n";
  const auto save = [](const std::string& condition) {
    return "from options import get_args\n\n\ndef save(files):\n    args = get_args()\n    store(files)\n" + condition;
  };
  const auto told = [&](const std::string& excluded_after, const std::string& elsewhere, bool is_dive) {
    const Files before = {{"config.py", config},
                          {"options.py", options_without("\"rate\", \"save_assets\"")},
                          {"save.py", save("")},
                          {"other.py", elsewhere}};
    Files after = before;
    after["options.py"] = options_without(excluded_after);
    after["save.py"] = save("    if args.save_assets and files:\n        store_assets(files)\n");
    return is_dive ? dive_of(before, after) : explain_of(before, after);
  };
  const std::string active =
      "The setting `save_assets` (`config.py:7`, new argument `--no-save-assets`, default `True`) is read now, in "
      "`save`; before the change, no Python code outside tests read it.";
  const std::string risk =
      "`save_assets` is `True` by default, and nothing read it before: existing runs do what it switches on, too, "
      "where all else that is asked for there holds.";
  const std::string text = told("\"rate\"", "", false);
  EXPECT_TRUE(says(text, active + " \u201cSave the files, too.\u201d")) << text;
  EXPECT_TRUE(says(text, risk + " `--no-save-assets`, an option that is new, switches it off.")) << text;
  EXPECT_TRUE(says(told("\"rate\"", "", true), active)) << told("\"rate\"", "", true);
  // It stays left out.
  const std::string still = told("\"rate\", \"save_assets\"", "", false);
  EXPECT_FALSE(says(still, "new argument")) << still;
  EXPECT_TRUE(says(still, "The setting `save_assets` (`config.py:7`, default `True`) is read now")) << still;
  // Other code read it.
  const std::string known = told("\"rate\"", "def f(args):\n    return args.save_assets\n", false);
  EXPECT_FALSE(says(known, "is read now")) << known;
  EXPECT_FALSE(says(known, risk)) << known;
  EXPECT_TRUE(says(known,
                   "New option `--no-save-assets` (`config.py:7`, default `True`): `get_args` leaves "
                   "`save_assets` out of the options of `Config` no longer."))
      << known;
  // An option of that name was there.
  const std::string spelled = told(
      "\"rate\"", "def f(parser):\n    parser.add_argument(\"--no-save-assets\", action=\"store_false\")\n", false);
  EXPECT_FALSE(says(spelled, "new argument")) << spelled;
}

/// One edit in many functions is one thing; what is compared counts, not the object on which it is read.
TEST(WhatItems, AConditionThatSeveralFunctionsNewlyAskIsToldOnce) {
  const auto text_of = [](const std::vector<std::string>& asked) {
    std::string old_code;
    std::string new_code;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::string head = "def mark_" + std::to_string(i) + "(self, config, weight):\n    ";
      old_code += head + "weight.reduced = not self.is_expert_parallel\n\n\n";
      new_code += head + "uses_groups = " + asked[i] + "\n    weight.reduced = not uses_groups\n\n\n";
    }
    return explain_of({{"a.py", old_code}}, {{"a.py", new_code}});
  };
  const std::string one = "self.is_expert_parallel or self.config.expert_size != self.config.size";
  const std::string other = "config.ep > 1 or config.expert_size != config.size";
  const std::string text = text_of({one, other, one});
  EXPECT_TRUE(
      says(text,
           "3 functions newly ask, as one of several alternatives, whether `self.config.expert_size` "
           "differs from `self.config.size`: `mark_0` (`a.py:2`), `mark_1` (`a.py:7`) and `mark_2` (`a.py:12`)."))
      << text;
  EXPECT_FALSE(says(text_of({one, other}), "newly ask")) << "two are told by themselves";
  // What holds two of them asks nothing itself.
  const auto nested = [](const std::string& asked) {
    return "def outer(self, config):\n    def mark_0(weight):\n        weight.reduced = " + asked +
           "\n\n    def mark_1(weight):\n        weight.reduced = " + asked + "\n\n    return mark_0, mark_1\n";
  };
  EXPECT_FALSE(says(explain_of({{"a.py", nested("not config.expert")}}, {{"a.py", nested(one)}}), "newly ask"));
  const std::string constant = "self.is_expert_parallel or self.count > 1";
  EXPECT_FALSE(says(text_of({constant, constant, constant}), "whether `self.count`")) << "a constant says too little";
}

TEST(WhatItems, TheConditionThatMostFunctionsAskBesidesLeads) {
  const auto code = [](const std::string& more, const std::string& copies) {
    std::string out =
        "def copy_tags(to, source):\n    to.tag = source.tag\n\n\ndef wrap(weight):\n    out = weight.clone()\n" +
        copies + "    return out\n\n\n";
    for (const char* name : {"column", "row", "grouped"})
      out += std::string("def ") + name + "(config, weight):\n    apart = config.ep > 1 or config.etp != config.tp" +
             more + "\n    weight.reduced = not apart\n\n\n";
    return out;
  };
  const std::string text = explain_of(
      {{"a.py", code("", "")}}, {{"a.py", code(" or config.egtp != config.gtp", "    copy_tags(out, weight)\n")}});
  EXPECT_TRUE(
      says(text,
           "- 3 functions newly ask, as one of several alternatives, whether `config.egtp` differs from "
           "`config.gtp`: `column` (`a.py:12`), `row` (`a.py:17`) and `grouped` (`a.py:22`). It goes into what they "
           "set `apart` to; in `column`, it is read in `weight.reduced = not apart` (`a.py:13`).\n- `wrap` (changed"))
      << text;
  // Each of them is told with the others alone.
  EXPECT_FALSE(says(text, "- `column` (changed")) << text;
  const std::string dive = dive_of({{"a.py", code("", "")}},
                                   {{"a.py", code(" or config.egtp != config.gtp", "    copy_tags(out, weight)\n")}});
  EXPECT_TRUE(says(dive, "- **What:** 3 functions newly ask, as one of several alternatives, whether `config.egtp`"))
      << dive;
}

/// What only hands a new argument on says little, but more than its name; what several do alike is said once.
TEST(WhatItems, FewThatOnlyFollowAreTold) {
  const auto text_of = [](const std::vector<std::string>& loaders) {
    std::string before = "def gather(x):\n    return dist.all_gather(x)\n";
    std::string after = "def gather(x, group=None):\n    return dist.all_gather(x, group=group)\n";
    for (const std::string& name : loaders) {
      before += "\n\ndef " + name + "(x):\n    return gather(x)\n";
      after += "\n\ndef " + name + "(x, group=None):\n    return gather(x, group=group)\n";
    }
    return explain_of({{"a.py", before}}, {{"a.py", after}});
  };
  const std::string one = text_of({"load"});
  EXPECT_TRUE(says(one,
                   "- `load` (changed, `a.py:5`): takes the new `group=None`; also passes `group=group` to "
                   "`gather`"))
      << one;
  EXPECT_FALSE(says(one, "more definition")) << one;
  const std::string three = text_of({"load", "load_all", "load_some"});
  EXPECT_TRUE(says(three, "to `gather`. The same in `load_all` (`a.py:9`), `load_some` (`a.py:13`).")) << three;
}

/// Of a chain that hands one new argument on, each link says the same in other words.
TEST(WhatItems, WhatHandsANewParameterOnIsOneItem) {
  const auto text_of = [](const std::string& link) {
    const Files before = {{"a.py",
                           "def gather(x):\n    y = dist.all_gather(x)\n    return y * 2\n\n\n"
                           "def load(x, y):\n    gather(x)\n    return y\n\n\n"
                           "def run(x):\n    return load(x, 1)\n"}};
    const Files after = {{"a.py",
                          "def gather(x, pg=None):\n    y = dist.all_gather(x, group=pg)\n    return y * 2\n"
                          "\n\ndef load(x, y, pg=None):\n    gather(x, pg=pg)\n    return y\n\n\n" +
                              link}};
    return explain_of(before, after);
  };
  const std::string text = text_of("def run(x, pg=None):\n    return load(x, 1, pg=pg)\n");
  EXPECT_TRUE(says(text, "- `load` and `run` take the new `pg`, too, and hand it on.")) << text;
  const std::string other = text_of("def run(x, pg=None):\n    return load(x, 2, pg=pg)[0]\n");
  EXPECT_FALSE(says(other, "and hand it on")) << other;
}

TEST(WhatItems, CallsThatGetTheSameAreOneClause) {
  const auto text_of = [](const std::string& last) {
    const std::string before =
        "def f(x, g):\n    n = [0] * dist.get_world_size()\n    r = dist.get_rank()\n    dist.barrier()\n"
        "    return n, r\n";
    return explain_of({{"a.py", before}}, {{"a.py",
                                            "def f(x, g):\n    n = [0] * dist.get_world_size(group=g)\n"
                                            "    r = dist.get_rank(group=g)\n    " +
                                                last + "\n    return n, r\n"}});
  };
  const std::string all = text_of("dist.barrier(group=g)");
  EXPECT_TRUE(says(all, "also passes `group=g` to `dist.get_world_size`, `dist.get_rank` and `dist.barrier`")) << all;
  const std::string other = text_of("dist.barrier(group=x)");
  EXPECT_TRUE(says(other,
                   "also passes `group=g` to `dist.get_world_size` and `dist.get_rank`; also passes `group=x` to "
                   "`dist.barrier`"))
      << other;
}

TEST(WhatItems, AnInnerFunctionOfOneThatGoesIsTold) {
  const auto text_of = [](const std::string& name) {
    const std::string before =
        "class M:\n    def hooks(self, ps):\n        for p in ps:\n            p.on_grad(self.make())\n\n"
        "    def make(self):\n        def hook(_p):\n            self.ready += 1\n\n        return hook\n";
    return explain_of({{"a.py", before}}, {{"a.py", "class M:\n    def hooks(self, ps):\n        def " + name +
                                                        "(_):\n            self.ready += 1\n\n        for p in ps:\n"
                                                        "            p.on_grad(" +
                                                        name + ")\n"}});
  };
  EXPECT_TRUE(says(text_of("hook"), "defines the inner function `hook`, formerly in `M.make`; ")) << text_of("hook");
  EXPECT_FALSE(says(text_of("other"), "formerly in")) << text_of("other");
}

/// What declares an option otherwise is told once, of the setting.
TEST(WhatItems, ADeclaredOptionIsToldOfTheSettingAlone) {
  const Files before = {
      {"config.py", kConfig},
      {"opts.py", "def add_args(parser):\n    parser.add_argument('--scalar', default='adam')\n"},
      {"a.py",
       "from config import Config\n\n\ndef step(config: Config, grad):\n    return norm(grad, config.scalar)\n"}};
  Files after = with_edit(before, "config.py", "\"adam\"", "\"sgd\"");
  after = with_edit(after, "opts.py", "'adam'", "'sgd'");
  after = with_edit(after, "a.py", "norm(grad,", "norm(grad * 2,");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "- The default of `scalar` changes from `\"adam\"` to `\"sgd\"`.")) << text;
  EXPECT_TRUE(says(text, "- 1 more definition changes: `add_args`.")) << text;
}

TEST(WhatItems, AValueThatOnlyGetsANameIsNoChange) {
  const auto text_of = [](const std::string& now) {
    const Files before = {{"a.py", "def f(x, y):\n    g(x.rows, y)\n    h(y)\n    k(y)\n"}};
    return explain_of(before, with_edit(before, "a.py", "    g(x.rows, y)\n    h(y)\n", now));
  };
  const std::string named = text_of("    rows = x.rows\n    g(rows, y)\n    h(y + 1)\n");
  EXPECT_FALSE(says(named, "| `f` | `g(x.rows, y)`")) << named;
  const std::string other = text_of("    rows = x.all_rows\n    g(rows, y)\n    h(y + 1)\n");
  EXPECT_TRUE(says(other, "| `f` | `g(x.rows, y)` | `g(rows, y)` |")) << other;
}

TEST(WhatItems, OneEditIsShownByItsCode) {
  const Files before = {{"a.py", "def f(x, y):\n    g(x, y)\n    h(y)\n"}};
  const std::string one = explain_of(before, with_edit(before, "a.py", "h(y)", "h(y + 1)"));
  EXPECT_FALSE(says(one, "### Before and after")) << one;
  const std::string two =
      explain_of(before, with_edit(with_edit(before, "a.py", "h(y)", "h(y + 1)"), "a.py", "g(x, y)", "g(x, y - 1)"));
  EXPECT_TRUE(says(two, "### Before and after")) << two;
}

TEST(WhatItems, ACallOnAnotherObjectIsNoRecursion) {
  const auto dive_with = [](const std::string& callee) {
    const std::string was =
        "class Outer:\n    def __init__(self):\n        self.inner = Outer()\n\n"
        "    def load(self, state):\n        return state\n";
    return dive_of({{"a.py", was}}, {{"a.py", replace_all(was, "return state", "return " + callee + "(state)")}});
  };
  EXPECT_FALSE(says(dive_with("self.inner.load"), "calls itself"));
  EXPECT_TRUE(says(dive_with("self.load"), "calls itself"));
}

TEST(WhatItems, WhatMattersOfAFunctionIsWhatTheChangeTouches) {
  const std::string before =
      "import torch.distributed as dist\n\n\ndef sync(x):\n    dist.all_reduce(x)\n\n\n"
      "def step(x, n):\n    assert n > 0\n    sync(x)\n    return n\n";
  const std::string logs =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "    return n\n", "    print(n)\n    return n\n")}});
  EXPECT_FALSE(says(logs, "Communicates through what it calls") || says(logs, "Requires that")) << logs;
  const std::string calls =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "    sync(x)\n", "    sync(x + 1)\n")}});
  EXPECT_TRUE(says(calls, "Communicates through what it calls:")) << calls;
}

/// A constructor that only keeps what it newly takes says so in a word; where a sentence follows the name from there
/// on, nothing.
TEST(WhatItems, WhatAConstructorOnlyKeepsIsSaidInAWord) {
  const std::string before =
      "class Loader:\n    def __init__(self, path):\n        self.path = path\n\n    def load(self):\n        return "
      "read(self.path)\n";
  const std::string kept =
      "class Loader:\n    def __init__(self, path, depth: int = 1):\n        self.path = path\n      "
      "  self.depth = depth\n\n    def load(self):\n        return read(self.path, 2)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", kept}});
  EXPECT_TRUE(says(text, "`Loader.__init__` (changed, `a.py:2`): takes the new `depth: int = 1` and keeps it."))
      << text;
  const std::string used = replace_all(kept, "        return read(self.path, 2)",
                                       "        if self.depth > 1:\n            descend(self.path)\n        return "
                                       "read(self.path, self.depth)") +
                           "\n\ndef make(args):\n    return Loader(args.path, depth=args.depth)\n";
  const std::string followed =
      explain_of({{"a.py", before + "\n\ndef make(args):\n    return Loader(args.path)\n"}}, {{"a.py", used}});
  EXPECT_TRUE(says(followed, "`depth` is new: a parameter of `Loader.__init__`; set in `Loader.__init__`")) << followed;
  EXPECT_FALSE(says(followed, "- `Loader.__init__` (changed")) << followed;
}

/// What a type checker wants to hear, and what is defined inside, is not what changes.
TEST(WhatItems, ChecksForTypesAndInnerDefinitionsComeLast) {
  const std::string before = "def pack(items, size):\n    out = first(items)\n    return out\n";
  const std::string after =
      "def pack(items, size):\n    def fits(item):\n        return item.size <= size\n\n    out = first(items)\n    "
      "assert out is not None\n    if fits(out):\n        emit(out)\n    return out\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "`pack` (changed, `a.py:1`): when `fits(out)` is true, calls `emit(out)` (`fits(out)` being "
                   "`out.size <= size`)."))
      << text;
  EXPECT_FALSE(says(text, "efines the inner function")) << text;
}

/// One value under another name.
TEST(WhatItems, AnAttributeThatTakesThePlaceOfAnotherIsSet) {
  const std::string before = "class Module:\n    def reset(self):\n        self._phase = Phase.RESTING\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "self._phase", "self.phase")}});
  EXPECT_TRUE(says(text, "sets `self.phase` in place of `self._phase` to `Phase.RESTING`")) << text;
}

TEST(WhatItems, WhatStandsInAHandlerIsToldWithWhatIsCaught) {
  const std::string before =
      "def run(self, blocks):\n    try:\n        return self.start()\n    except OSError:\n        raise\n";
  const std::string after =
      "def run(self, blocks):\n    try:\n        return self.start()\n    except OSError:\n"
      "        for block in blocks:\n            self.release(block)\n        raise\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`OSError` is caught")) << text;
}

TEST(WhatItems, AValueThatANameOnlyStartsFromIsNotWhatItIsSetTo) {
  const std::string walked =
      "def find(self, names):\n    at = self.root\n    for name in names:\n        at = getattr(at, name)\n    return "
      "at\n";
  const std::string asked = "def find(self, names):\n    at = self.resolve(names)\n    return at\n";
  const std::string text = explain_of({{"a.py", walked}}, {{"a.py", asked}});
  EXPECT_FALSE(says(text, "instead of `self.root`")) << text;
  EXPECT_FALSE(says(text, "| `at = self.root` |")) << text;
  const std::string filled =
      "def find(self, names):\n    at = []\n    for name in names:\n        at.append(self.resolve(name))\n    return "
      "at\n";
  const std::string made = "def find(self, names):\n    at = [self.resolve(name) for name in names]\n    return at\n";
  const std::string loop = explain_of({{"a.py", made}}, {{"a.py", filled}});
  EXPECT_FALSE(says(loop, "| `at = []` |")) << loop;
}

TEST(WhatItems, AConstantThatIsOnlyCountedSaysItsValues) {
  std::string before = "ROUNDER = 8\n\n\n";
  std::string after = "ROUNDER = 2\n\n\n";
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    before += std::string("def ") + name + "(x, y):\n    return x.go(y)\n\n\n";
    after += std::string("def ") + name + "(x, y):\n    if y > " + std::to_string(name[0]) + ":\n        x.stop" +
             name + "(y)\n    return x.go(y)\n\n\n";
  }
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`ROUNDER` (`2` instead of `8`)") || says(text, "`2` instead of `8`")) << text;
}

TEST(WhatItems, WhatALocalIsSetForIsToldWhereItIsRead) {
  const std::string before =
      "def forward(self, x, bias):\n    degree = 1\n    if self.is_sharded:\n        degree = 2\n"
      "    bias = scale(bias, degree)\n    return x + bias\n";
  const std::string after = replace_all(before, "    if self.is_sharded:\n",
                                        "    if self.backend == 'spmd':\n        degree = self.mesh_size('tp')\n"
                                        "    elif self.is_sharded:\n");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "sets `degree` to `self.mesh_size('tp')`; it goes into `scale(bias, degree)` (`a.py:7`)"))
      << text;
  // What a changed step does with it is told itself.
  const std::string used = explain_of({{"a.py", before}}, {{"a.py", replace_all(after, "degree)", "degree, x)")}});
  EXPECT_FALSE(says(used, "it goes into")) << used;
}

TEST(WhatItems, WhatAnotherClassIsNotGivenIsTold) {
  const std::string before =
      "def build(n, size):\n    sampler = Pretraining(total=len(n), consumed=0, size=size, rank=1)\n    return "
      "sampler\n";
  const std::string after = "def build(n, size):\n    sampler = Full(total=len(n), rank=1)\n    return sampler\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(
      says(text, "sets `sampler` to `Full(\u2026)` instead of `Pretraining(\u2026)`, without `consumed` and `size`"))
      << text;
}

TEST(WhatItems, ACallThatAnotherFunctionMakesNowIsNotGone) {
  const std::string base =
      "import gc\n\n\nclass Base:\n    def finish(self, start):\n        self.stop()\n        gc.collect()\n\n\n";
  const std::string before = base +
                             "class Vision(Base):\n    def finish(self, start):\n        self.wrap(start)\n        "
                             "gc.collect()\n        self.clear()\n";
  const std::string after = base +
                            "class Vision(Base):\n    def finish(self, start):\n        self.wrap(start)\n        "
                            "super().finish(start)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "which `Base.finish`, called now, does")) << text;
  EXPECT_FALSE(says(text, "no longer calls `self.clear()`, which `Base.finish`")) << text;
}

TEST(WhatItems, AResultThatWasDroppedIsKept) {
  const std::string text = explain_of({{"a.py", "def main():\n    parse(1)\n    run()\n"}},
                                      {{"a.py", "def main():\n    args = parse(1)\n    run(args)\n"}});
  EXPECT_TRUE(says(text, "eeps in `args` what `parse(1)` gives, which was dropped")) << text;
}

TEST(WhatItems, ArgumentsThatAreDefaultsNowAreTheSame) {
  const std::string entry =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Entry:\n    cls: type\n    state: int = {0}\n"
      "    kind: str = {1}\n\n\n";
  const auto with = [&](const std::string& state, const std::string& kind, const std::string& made) {
    return replace_all(replace_all(entry, "{0}", state), "{1}", kind) + "def make():\n    return " + made + "\n";
  };
  const std::string text = explain_of({{"a.py", with("None", "None", "Entry(cls=int, state=3, kind='b')")}},
                                      {{"a.py", with("3", "'c'", "Entry(cls=int)")}});
  EXPECT_TRUE(says(text, "which takes the same without `state`")) << text;
}

TEST(WhatItems, ABranchAroundWhatWasThereTellsWhatIsNewInIt) {
  const std::string before =
      "def capture(self):\n    data = self.read()\n    graphs = self.make(data)\n    self.push(graphs)\n    self.count "
      "= "
      "len(graphs)\n";
  const std::string after =
      "def capture(self):\n    if not self.layers:\n        self.warn()\n    else:\n        data = self.read()\n"
      "        graphs = self.make(data)\n        self.push(graphs)\n        self.count = len(graphs)\n"
      "        self.made = True\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "otherwise as before, and sets `self.made` to `True`")) << text;
}

TEST(WhatItems, ANewClassThatAFunctionTakesIsTold) {
  const std::string before = "def pretrain(args):\n    if args.log:\n        start(args)\n    return args\n";
  const std::string after =
      "from box import Box\n\n\ndef pretrain(args, box: Box):\n    if box.logger.log:\n        start(args)\n    return "
      "args\n";
  const std::string box =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Box:\n    \"\"\"Holds all settings.\"\"\"\n\n"
      "    train: int\n    logger: str\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}, {"box.py", box}});
  EXPECT_TRUE(
      says(text, "`Box` (new, `box.py:5`), a class of 2 fields: `train` and `logger`. \u201cHolds all settings.") ||
      says(text, "`Box` (new, `box.py:5`)"))
      << text;
}

}  // namespace
/// An entry of a table is told with its key, a value that stands in for another with that one, what is printed last.
TEST(WhatItems, TellEntriesFallbacksAndMessagesForWhatTheyAre) {
  const std::string before = R"(import logging

DEFAULTS = {
    "expert_tp": False,
    "is_qkv": False,
    "tensor_model_parallel": False,
    "partition_dim": -1,
    "partition_stride": 1,
}


class Split:
    def __init__(self, shapes: tuple[int, int, int] | None = None):
        self.shapes = shapes

    def apply(self, p, grad):
        logging.debug(f"shape {grad.shape}, " f"split {self.shapes}")
        return grad.view(-1, sum(self.shapes))
)";
  std::string after = before;
  after.replace(after.find("    \"tensor_model"), 0, "    \"shapes\": None,\n");
  after.replace(after.find("-1,\n"), 2, "-2");
  after.replace(after.find("tuple[int, int, int]"), 20, "list[int]");
  const std::size_t at = after.find("        logging");
  after.replace(at, after.size() - at, R"(        shapes = getattr(p, "shapes", None)
        if shapes is None:
            shapes = self.shapes
        if shapes is None:
            raise RuntimeError("no shapes")
        if grad.shape[0] % sum(shapes):
            raise RuntimeError("no multiple")
        if grad.dim() != 2:
            raise RuntimeError("no matrix")
        if p.grad is not None:
            grad = grad + p.grad
        logging.debug(f"shape {grad.shape}, split {shapes}")
        return grad.view(-1, sum(shapes))
)");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "sets `shapes` to `getattr(p, \"shapes\", None)`, or, where that is `None`, to `self.shapes`"))
      << text;
  EXPECT_TRUE(says(text, "gains `\"shapes\": None`.")) << text;
  EXPECT_TRUE(says(text, "holds `-2` under `\"partition_dim\"` instead of `-1`")) << text;
  EXPECT_TRUE(says(text, "annotates `shapes` as `list[int] | None` instead of `tuple[int, int, int] | None`")) << text;
  EXPECT_FALSE(says(text, "to `logging.debug` instead of")) << text;
}

/// Edits that a new branch is put around are told once, and what only follows a signature is told, too.
TEST(WhatItems, TellEditsOnceAndWhatOnlyFollows) {
  const std::string before = R"(import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, rows, keep):
        if rows is not None:
            rows = rows[:keep]
        if keep > 1:
            x = x[:keep]
        return x * 2, rows

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None, None
)";
  std::string after = before;
  after.replace(after.find("rows, keep)"), 11, "rows, keep, drop=0)");
  const std::size_t at = after.find("        if rows");
  after.replace(at, after.find("        return x") - at, R"(        if drop > 0:
            if rows is not None:
                rows = rows[:-drop]
            if keep > 1:
                x = x[:-drop]
)");
  after.replace(after.find("None, None\n"), 11, "None, None, None\n");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`Scale.backward` (changed, `a.py:15`): returns one more `None`.")) << text;
  // Brackets that a formatter puts around it change nothing.
  const auto bracketed = [](const std::string& code, const std::string& all) {
    const std::size_t place = code.rfind("return grad * 2");
    return code.substr(0, place) + "return (\n            grad * 2,\n" + all + "        )\n";
  };
  const std::string none = "            None,\n";
  const std::string wide =
      explain_of({{"a.py", bracketed(before, none + none)}}, {{"a.py", bracketed(after, none + none + none)}});
  EXPECT_TRUE(says(wide, "`Scale.backward` (changed, `a.py:15`): returns one more `None`.")) << wide;
  EXPECT_TRUE(says(text, "ets `rows` to `rows[:-drop]` instead of `rows[:keep]` where `drop` is more than `0`"))
      << text;
  EXPECT_FALSE(says(text, "hen `drop` is more than `0`: when")) << text;
}

/// A new function without a docstring and a result is told by how it ends or begins, never by its name alone.
TEST(WhatItems, TellNewFunctionsWithoutAResult) {
  const std::string before = "def run(x):\n    return x\n";
  const std::string after = R"(LIMIT = 512
ALIGNMENT = 16
DEPTH = 3


def check(tokens, group):
    depth = DEPTH * tokens + 1
    if depth <= LIMIT:
        return
    if not group.is_wide:
        return
    most = (LIMIT - 1) // DEPTH // ALIGNMENT * ALIGNMENT
    raise ValueError(f"at most {most}")


def note(x, seen):
    seen.append(x)


def share(tokens):
    return tokens // ALIGNMENT


def part(tokens, size):
    return tokens // size


def run(x, group, seen):
    check(x, group)
    note(x, seen)
    return share(x) + part(x, len(seen))
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "`check` (new, `a.py:6`). It raises `ValueError` unless `depth` is at most `LIMIT` or "
                   "`group.is_wide` is false."))
      << text;
  // Taken out again, what it refused is told as well.
  const std::string gone = explain_of({{"a.py", after}}, {{"a.py", before}});
  EXPECT_TRUE(says(gone, "It raised `ValueError` unless `depth` is at most `LIMIT` or `group.is_wide` is false."))
      << gone;
  EXPECT_TRUE(says(text, "`note` (new, `a.py:16`). Appends `x` to `seen`.")) << text;
  // What a constant is, it always is: of it alone nothing is asked but whether it divides evenly.
  EXPECT_FALSE(says(text, "Can `ALIGNMENT` be zero")) << text;
  EXPECT_FALSE(says(text, "an `DEPTH`")) << text;
  EXPECT_TRUE(says(text, "Does `ALIGNMENT` always divide `tokens` evenly?")) << text;
  EXPECT_TRUE(says(text, "Can `size` be zero, or not divide `tokens` evenly?")) << text;
}

/// What is to come is no reason for what is there.
TEST(WhatItems, ANoteToComeBackToIsNoReason) {
  const std::string before = "def f(x):\n    return x\n";
  const std::string after =
      "def f(x):\n    # TODO: restructure so that the caller knows which parts it will make itself.\n    return x + "
      "1\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "no reason was found in its message. What follows is what the code shows.")) << text;
}

}  // namespace lockstep::render
