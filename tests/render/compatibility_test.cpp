// What a change breaks for others, and that what it keeps is only called kept where nothing else can be so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kParser = "def arguments(parser):\n    parser.add_argument('--old-interval', type=int, default=0)\n";

TEST(Compatibility, AnArgumentThatVanishesBreaksCommandLines) {
  const std::string text =
      explain_of({{"args.py", kParser}}, {{"args.py", replace_all(kParser, "--old-interval', type=int, default=0",
                                                                  "--logging', action='store_true', default=False")}});
  EXPECT_TRUE(
      says(text, "No parser declares the command-line argument `--old-interval` any more. `parse_args` refuses"))
      << text;
  EXPECT_FALSE(says(text, "existing runs")) << text;
}

/// A new helper that raises, called where the value was taken as it came.
TEST(Compatibility, ANewHelperThatRaisesRefusesWhatWasTaken) {
  const Files before{{"lib.py", "def step(config, x):\n    scale = config.scale_func(x)\n    return scale * x\n"}};
  const auto with = [&](const std::string& call, const std::string& more) {
    return explain_of(before, {{"lib.py",
                                "def _checked(scale):\n    if scale.numel() != 1:\n"
                                "        raise ValueError(f'{scale} is no scalar')\n    return scale\n\n\n" +
                                    more + "def step(config, x):\n" + call + "    return scale * x\n"}});
  };
  const std::string told = with("    scale = _checked(config.scale_func(x))\n", "");
  EXPECT_TRUE(says(told,
                   "`step` newly comes to `_checked`, which raises `ValueError` when `scale.numel()` is not `1`. What "
                   "passed there before may be refused now"))
      << told;
  // Through another new function, too.
  const std::string through = with("    scale = _scale(config, x)\n",
                                   "def _scale(config, x):\n    return _checked(config.scale_func(x))\n\n\n");
  EXPECT_TRUE(says(through, "`step` newly comes to `_checked`, which raises")) << through;
  // A loop or a `with` around the call asks for nothing.
  const std::string looped = with(
      "    with open('log') as log:\n        for scale in config.scales(x):\n            scale = _checked(scale)\n",
      "");
  EXPECT_TRUE(says(looped, "`step` newly comes to `_checked`, which raises")) << looped;
  // Code that only new code comes to refuses nobody.
  const std::string fresh = with("    scale = config.scale_func(x)\n",
                                 "def other(config, x):\n    return _checked(config.scale_func(x))\n\n\n");
  EXPECT_FALSE(says(fresh, "newly comes to")) << fresh;
}

TEST(Compatibility, AHelperThatTakesACheckOverRefusesWhatWasRefused) {
  const std::string check = "    if scale.numel() != 1:\n        raise ValueError('no scalar')\n";
  const Files before{
      {"lib.py", "def step(config, x):\n    scale = config.scale_func(x)\n" + check + "    return scale * x\n"}};
  const std::string text = explain_of(before, {{"lib.py", "def _checked(scale):\n" + check +
                                                              "    return scale\n\n\ndef step(config, x):\n"
                                                              "    scale = _checked(config.scale_func(x))\n"
                                                              "    return scale * x\n"}});
  EXPECT_FALSE(says(text, "newly comes to")) << text;
}

TEST(Compatibility, AnArgumentThatAFieldMakesNowIsNotGone) {
  const std::string config = "from dataclasses import dataclass\n\n\n@dataclass\nclass RunConfig:\n    size: int = 1\n";
  const std::string text = explain_of({{"args.py", kParser}, {"config.py", config}},
                                      {{"args.py", "def arguments(parser):\n    parser.add_argument('--size')\n"},
                                       {"config.py", config + "    old_interval: int = 0\n"}});
  EXPECT_FALSE(says(text, "any more. `parse_args`")) << text;
}

TEST(Compatibility, ANameThatAPackageNoLongerExportsIsTold) {
  const Files before{{"lib/__init__.py", "from .placement import Flat, Shard\n\n__all__ = ['Flat', 'Shard']\n"},
                     {"lib/placement.py", "class Flat:\n    pass\n\n\nclass Shard:\n    pass\n"}};
  const auto with = [&](const std::string& package) {
    return explain_of(before, {{"lib/__init__.py", package}, {"lib/placement.py", before.at("lib/placement.py")}});
  };
  const std::string gone = with("from .placement import Shard\n\n__all__ = ['Shard']\n");
  EXPECT_TRUE(says(gone, "No longer importable from where it was exported: `Flat` (of `lib`)")) << gone;
  EXPECT_FALSE(says(gone, "No public signature")) << gone;
  const std::string unlisted = with("from .placement import Flat, Shard\n\n__all__ = ['Shard']\n");
  EXPECT_TRUE(says(unlisted, "No longer listed in `__all__`: `Flat` (of `lib`)")) << unlisted;
  const std::string starred = with("from .placement import *\n\n__all__ = ['Shard']\n");
  EXPECT_FALSE(says(starred, "No longer importable")) << starred;
  // The definition is gone: that is told, and this is not told again.
  const std::string deleted =
      explain_of(before, {{"lib/__init__.py", "from .placement import Shard\n\n__all__ = ['Shard']\n"},
                          {"lib/placement.py", "class Shard:\n    pass\n"}});
  EXPECT_TRUE(says(deleted, "Removed from the importable names")) << deleted;
  EXPECT_FALSE(says(deleted, "No longer importable")) << deleted;
}

TEST(Compatibility, ANameThatItsPackageStillExportsIsGoneFromItsModuleAlone) {
  const std::string shard =
      "class Shard:\n    def __init__(self, size):\n        self.size = size\n        self.rest = size % 2\n\n"
      "    def split(self, x):\n        return [x[i] for i in range(self.size)]\n";
  const std::string flat = "\n\nclass Flat:\n    def view(self, x):\n        return x.view(-1)\n";
  const Files before{{"lib/__init__.py", "from .placement import Flat, Shard\n\n__all__ = ['Flat', 'Shard']\n"},
                     {"lib/placement.py", shard + flat},
                     {"lib/api.py", "def run(x):\n    return x\n"}};
  const auto with = [&](const std::string& package) {
    return explain_of(before, {{"lib/__init__.py", package},
                               {"lib/placement.py", flat.substr(2)},
                               {"lib/api.py", "def run(x):\n    return x\n\n\n" + shard}});
  };
  const std::string kept = with("from .api import Shard\nfrom .placement import Flat\n\n__all__ = ['Flat', 'Shard']\n");
  EXPECT_TRUE(says(kept,
                   "No longer importable by the name of its old module: `lib.placement.Shard` (now in "
                   "`lib/api.py`). `lib` still exports it. Code outside the repository that imports it by the old "
                   "module breaks."))
      << kept;
  EXPECT_FALSE(says(kept, "Removed from the importable names")) << kept;
  // The package lost it, too.
  const std::string lost = with("from .placement import Flat\n\n__all__ = ['Flat']\n");
  EXPECT_TRUE(says(lost, "Removed from the importable names: `Shard` (now in `lib/api.py`)")) << lost;
  EXPECT_FALSE(says(lost, "still exports")) << lost;
}

TEST(Compatibility, APublicNameThatIsCalledSomethingElseNowIsGone) {
  const std::string body =
      "        grads = []\n        for one in self.all:\n            if one.grad is not None:\n"
      "                grads.append(one.grad)\n        return grads\n";
  const std::string text = explain_of({{"opt.py", "class Optimizer:\n    def main_grads(self):\n" + body}},
                                      {{"opt.py", "class Optimizer:\n    def _filtered(self):\n" + body}});
  EXPECT_TRUE(
      says(text, "Removed from the importable names: `Optimizer.main_grads` (its code is that of `_filtered` now)"))
      << text;
  EXPECT_FALSE(says(text, "No public signature")) << text;
}

TEST(Compatibility, AMethodThatTheBaseGivesNowIsInherited) {
  const std::string base =
      "class Base:\n    def save(self):\n        self.prepare()\n        return self._save()\n\n\n";
  const std::string body =
      "        out = []\n        for one in self.all:\n            out.append(one)\n        return out\n";
  const std::string text =
      explain_of({{"a.py", "class Base:\n    pass\n\n\nclass C(Base):\n    def save(self):\n" + body}},
                 {{"a.py", base + "class C(Base):\n    def _save(self):\n" + body}});
  EXPECT_TRUE(says(text, "`C.save` is inherited now, from `Base`")) << text;
  EXPECT_FALSE(says(text, "Removed from")) << text;
}

TEST(Compatibility, AFieldOfADataclassIsAParameter) {
  const std::string before =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass PackedSequence:\n    lengths: list = None\n";
  const std::string last = explain_of({{"p.py", before}}, {{"p.py", before + "    tokens: int = None\n"}});
  EXPECT_TRUE(
      says(last, "The dataclass `PackedSequence` takes the new `tokens`, with a default. Existing calls still fit"))
      << last;
  EXPECT_FALSE(says(last, "No public signature")) << last;
  const std::string first = explain_of(
      {{"p.py", before}}, {{"p.py", replace_all(before, "    lengths", "    tokens: int = 1\n    lengths")}});
  EXPECT_TRUE(says(first, "Only callers that give `lengths` or what follows it by position have to follow")) << first;
}

TEST(Compatibility, WhatABaseTakesNewBindsItsOverrides) {
  const std::string before = R"(class Layer:
    def forward(self, x):
        return self._mlp(x)

    def _mlp(self, x):
        return x


class Special(Layer):
    def _mlp(self, x, packed=None):
        return x + 1
)";
  std::string after = replace_all(before, "self._mlp(x)", "self._mlp(x, packed=self.packed)");
  after = replace_all(after, "def _mlp(self, x):", "def _mlp(self, x, packed=None):");
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "Subclasses override `Layer._mlp` (now with `packed`)")) << text;
  // Nobody outside can override what had another name.
  const std::string renamed = explain_of({{"a.py", before}}, {{"a.py", replace_all(after, "_mlp", "_mlp_step")}});
  EXPECT_TRUE(says(renamed, "`Layer._mlp_step`")) << renamed;
  EXPECT_FALSE(says(renamed, "Subclasses override")) << renamed;
}

const std::string kConfig = "from dataclasses import dataclass\n\n\n@dataclass\nclass RunConfig:\n    size: int = 1\n";
const std::string kRun = "def run(config, x):\n    y = prepare(x)\n    return y\n";

TEST(Compatibility, ExistingRunsStayTheSameOnlyWhereAllStandsUnderTheNewSetting) {
  const std::string added = kConfig + "    fast: bool = False\n";
  const std::string branch = "    if config.fast:\n        y = y + 1\n    return y\n";
  const std::string under = explain_of({{"config.py", kConfig}, {"run.py", kRun}},
                                       {{"config.py", added}, {"run.py", replace_all(kRun, "    return y\n", branch)}});
  EXPECT_TRUE(says(under, "existing runs behave as before")) << under;
  const std::string beside =
      explain_of({{"config.py", kConfig}, {"run.py", kRun}},
                 {{"config.py", added},
                  {"run.py", replace_all(replace_all(kRun, "    return y\n", branch), "prepare(x)", "prepare(x, 2)")}});
  EXPECT_TRUE(says(beside, "New setting `fast` (default `False`). Off unless set.")) << beside;
  const std::string otherwise = explain_of(
      {{"config.py", kConfig}, {"run.py", kRun}},
      {{"config.py", added},
       {"run.py", replace_all(kRun, "    return y\n", "    if not config.fast:\n        y = y + 1\n    return y\n")}});
  EXPECT_FALSE(says(otherwise, "behave as before")) << otherwise;
}

TEST(Compatibility, CallsThatADecoratorWrapsAreCountedByName) {
  const std::string rest = R"(

def traced(fn):
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    return wrapper


class Engine:
    @traced
    def run_engine(self, verbose=False):
        return self.step(verbose)

    @traced
    def step(self, verbose=False):
        return self.one


class Other:
    def run_engine(self):
        return 1

    def go(self):
        return self.run_engine()


def main():
    engine = Engine()
    return engine.step()
)";
  const std::string after = replace_all(replace_all(rest, ", verbose=False", ""), "step(verbose)", "step()");
  const std::string text = explain_of({{"a.py", "X = 1" + rest}}, {{"a.py", "X = 1" + after}});
  EXPECT_TRUE(says(text, "`Engine.run_engine` no longer takes `verbose`. No caller found outside tests")) << text;
  EXPECT_TRUE(says(text, "`Engine.step` no longer takes `verbose`. 2 calls found outside tests may enter")) << text;
}

TEST(Compatibility, WhatRunsAtImportRunsWithoutTheNewSetting) {
  const std::string branch =
      replace_all(kRun, "    return y\n", "    if config.fast:\n        y = y + 1\n    return y\n");
  const std::string base = "class Base:\n%    pass\n";
  const std::string lib =
      "import functools\n\nALL = {}\n\n\ndef register(fn):\n    ALL[fn.__name__] = fn\n    return fn\n";
  const auto text_with = [&](const std::string& code, const std::string& of_base = "", const std::string& tool = "") {
    const Files before = {{"config.py", kConfig},
                          {"run.py", "import lib\nimport base\n\n\n" + kRun},
                          {"lib.py", lib},
                          {"base.py", replace_all(base, "%", of_base)}};
    Files after = before;
    after["config.py"] += "    fast: bool = False\n";
    after["run.py"] = "import lib\nimport base\n\n\n" + branch + code;
    after["run.py"].insert(0, "import os\nimport flags\n");
    if (!tool.empty()) after["tool.py"] = tool;
    return explain_of(before, after);
  };
  const std::string told = "existing runs behave as before";
  for (const std::string& silent :
       {std::string(), std::string("\n\nLIMIT = 3\n"), std::string("\n\nNAMES = {'a': [1, 2]}\n"),
        std::string("\n\n@functools.lru_cache\ndef helper(x):\n    return x\n"),
        std::string("\n\nclass Special(base.Base):\n    size = 1\n"),
        std::string("\n\nLIMIT = os.environ.get('LIMIT')\n")})
    EXPECT_TRUE(says(text_with(silent), told)) << text_with(silent);
  for (const std::string& run :
       {std::string("\n\nLIMIT = prepare(3)\n"), std::string("\n\n@lib.register\ndef helper(x):\n    return x\n"),
        std::string("\n\nclass Special(base.Base):\n    size = run(1, 2)\n"),
        std::string("\n\nLIMIT = flags.set(True)\n"), std::string("\n\nLIMIT = lib.ALL.get('limit')\n")})
    EXPECT_FALSE(says(text_with(run), told)) << text_with(run);
  const std::string learning = "    def __init_subclass__(cls):\n        print(cls)\n\n";
  EXPECT_FALSE(says(text_with("\n\nclass Special(base.Base):\n    size = 1\n", learning), told));
  EXPECT_TRUE(says(text_with("", learning), told));
  const std::string script = "import run\n\nif __name__ == '__main__':\n    run.run(None, 1)\n";
  EXPECT_TRUE(says(text_with("", "", script), told));
  EXPECT_FALSE(says(text_with("", "", replace_all(script, "==", "!=")), told));
  EXPECT_FALSE(says(text_with("", "", replace_all(script, "__main__", "tool")), told));
}

TEST(Compatibility, AFieldThatIsGivenByNameMovesNoOther) {
  const auto text_with = [](const std::string& before, const std::string& after) {
    const std::string head =
        "from dataclasses import KW_ONLY, dataclass, field\n\n\n@dataclass\nclass PackedSequence:\n";
    return explain_of({{"p.py", head + before}}, {{"p.py", head + after}});
  };
  const std::string rest = "    _: KW_ONLY\n    lengths: list = None\n";
  for (const std::string& text :
       {text_with(rest, "    _: KW_ONLY\n    tokens: int = 1\n    lengths: list = None\n"),
        text_with("    lengths: list = None\n",
                  "    tokens: int = field(default=1, kw_only=True)\n    lengths: list = None\n")}) {
    EXPECT_TRUE(says(text, "takes the new `tokens`, with a default. Existing calls still fit.")) << text;
    EXPECT_FALSE(says(text, "by position")) << text;
  }
  const std::string first = text_with("    a: int = 1\n" + rest, "    tokens: int = 1\n    a: int = 1\n" + rest);
  EXPECT_TRUE(says(first, "Only callers that give `a` or what follows it by position")) << first;
  const std::string mandatory = text_with(rest, rest + "    tokens: int\n");
  EXPECT_TRUE(says(mandatory, "takes the new `tokens` without a default. Whoever makes one has to give it"))
      << mandatory;
  EXPECT_FALSE(says(mandatory, "`_`")) << mandatory;
}

TEST(Compatibility, ANewFieldThatAllMakersGiveIsNoQuestion) {
  const auto text_of = [](const std::string& maker) {
    const Files before = {{"a.py",
                           "from dataclasses import dataclass\n\n\n@dataclass\nclass Stats:\n    mean: float\n\n\n"
                           "def report(x):\n    return Stats(mean=x)\n"}};
    return explain_of(before, with_edit(with_edit(before, "a.py", "mean: float\n", "mean: float\n    worst: float\n"),
                                        "a.py", "Stats(mean=x)", maker));
  };
  EXPECT_FALSE(says(text_of("Stats(mean=x, worst=x)"), "Whoever makes one"));
  EXPECT_TRUE(says(text_of("Stats(x, x)"), "Whoever makes one has to give it"));
}

/// A field with a new default behind an argument that has its own: runs get the argument's.
TEST(Compatibility, ANewDefaultBehindAnArgumentReachesOnlyWhoMakesTheObject) {
  const auto files = [](const std::string& field, const std::string& argument) {
    return Files{
        {"config.py",
         "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    backend: str = \"" + field + "\"\n"},
        {"arguments.py",
         "def add(parser):\n    parser.add_argument(\"--backend\", type=str, default=\"" + argument + "\")\n"}};
  };
  const std::string text = explain_of(files("torch", "torch"), files("fast", "torch"));
  EXPECT_TRUE(says(text, "Only code that makes `Config` without it gets the new one: `--backend` still gives "))
      << text;
  EXPECT_FALSE(says(text, "Runs that do not set it behave differently")) << text;
  const std::string both = explain_of(files("torch", "torch"), files("fast", "fast"));
  EXPECT_TRUE(says(both, "Runs that do not set it behave differently")) << both;
}

/// An error that stopped a run and that is a fallback now is told as such, not one that only reads otherwise.
TEST(Compatibility, AnErrorThatBecomesAFallbackIsTold) {
  const auto text_with = [](const std::string& handler) {
    const auto file = [](const std::string& text) {
      return "import warnings\n\n\nclass Config:\n    def post(self):\n        if self.backend == 'fast':\n"
             "            try:\n                import flashinfer\n" +
             text + "        return self.backend\n";
    };
    return explain_of(
        {{"a.py",
          file("            except ImportError as e:\n                raise ImportError('needs it') from e\n")}},
        {{"a.py", file(handler)}});
  };
  const std::string falls_back = text_with(
      "            except ImportError:\n                warnings.warn('falling back')\n"
      "                self.backend = 'torch'\n");
  EXPECT_TRUE(says(falls_back,
                   "`Config.post` no longer raises `ImportError` at `a.py:9`: it calls `warnings.warn('falling back')` "
                   "and sets `self.backend` to `'torch'`. Who relied on the error gets something else now."))
      << falls_back;
  EXPECT_FALSE(says(falls_back, "in place of `except ImportError as e:`")) << falls_back;
  const std::string reads_otherwise =
      text_with("            except ImportError:\n                raise ImportError('install it') from None\n");
  EXPECT_FALSE(says(reads_otherwise, "no longer raises")) << reads_otherwise;
}

/// A function that is called in the place of an error may raise it.
TEST(Compatibility, AnErrorThatANewCalleeRaisesIsNotGone) {
  const auto text_with = [](const std::string& refuse) {
    const std::string before =
        "def read(path):\n    if path is None:\n        raise ValueError('no path')\n    return open(path)\n";
    return explain_of({{"a.py", before}},
                      {{"a.py", "def refuse(path):\n    " + refuse +
                                    "\n\n\ndef read(path):\n    if path is None:\n        path = refuse(path)\n"
                                    "    return open(path)\n"}});
  };
  EXPECT_FALSE(says(text_with("raise ValueError(path)"), "no longer raises `ValueError` at"));
  const std::string gone = text_with("return 'here'");
  EXPECT_TRUE(says(gone, "`read` no longer raises `ValueError` at `a.py:6`, when `path` is `None`")) << gone;
}

/// A method and its overrides that take the same new parameters are told once, with the calls that may enter any.
TEST(Compatibility, WhatAMethodAndItsOverridesTakeAlikeIsToldOnce) {
  const auto file = [](const std::string& parameters, const std::string& given) {
    return "class Base:\n    def draw(self, x" + parameters +
           "):\n        raise NotImplementedError\n\n\nclass Fast(Base):\n"
           "    def draw(self, x" +
           parameters + "):\n        return x + 1\n\n\nclass Slow(Base):\n    def draw(self, x" + parameters +
           "):\n        return x + 2\n\n\ndef run(sampler: Base, x):\n    return sampler.draw(x" + given + ")\n";
  };
  const std::string text = explain_of({{"a.py", file("", "")}}, {{"a.py", file(", k, p", ", 1, 2")}});
  EXPECT_TRUE(says(text,
                   "each: takes the new `k` and `p` without a default. 1 call site found outside "
                   "tests"))
      << text;
  EXPECT_FALSE(says(text, "No caller in the repository")) << text;
}

/// What nobody could call before is told, of a new class without what it holds.
TEST(Compatibility, NewPublicNamesAreTold) {
  const std::string before = "class Engine:\n    def start(self):\n        return 1\n";
  const std::string after =
      before +
      "\n    def serve(self, port):\n        def reply():\n            return port\n        return reply\n\n    "
      "def _stop(self):\n        return 2\n\n\nclass Pool:\n    def take(self):\n        return 3\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "Adds the public `Engine.serve` and `Pool`; no public signature, declared default") ||
              says(text, "Adds the public `Pool` and `Engine.serve`; no public signature, declared default"))
      << text;
}

/// A path that others import by goes, though no name does.
TEST(Compatibility, AModuleThatGoesIsTold) {
  const std::string shim = "from lib.real import Scheduler\n\n__all__ = [\"Scheduler\"]\n";
  const Files same = {{"lib/__init__.py", ""}, {"lib/real.py", "class Scheduler:\n    pass\n"}};
  Files before = same;
  before["lib/old.py"] = shim;
  before["tools/old.py"] = shim;
  const std::string text = explain_of(before, same);
  EXPECT_TRUE(says(text, "- The module `lib.old` is gone. Code outside the repository that imports it breaks."))
      << text;
  EXPECT_FALSE(says(text, "No public signature")) << text;
}

/// A class within a function is nobody's to use.
TEST(Compatibility, AClassOfAFunctionIsNotPublic) {
  const std::string before = "def run(x):\n    return x\n";
  const std::string after =
      "def run(x):\n    class Kept:\n        size: int = 0\n    return Kept(x)\n\n\ndef stop(x):\n    return x\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "Adds the public `stop`; no public")) << text;
}

/// A method that gets the name of one that goes takes what it took: callers of the name have to follow.
TEST(Compatibility, ANameThatAnotherMethodHasNowIsTold) {
  const std::string work = R"(        total = 0
        for item in rows:
            if item.size > counts:
                total += item.size * self.scale + self.offset
        return total / len(rows)
)";
  const std::string before =
      "class Experts:\n    def forward(self, x, scores, ids):\n"
      "        order = self.sort(x)\n        first = order[0].owner.name\n"
      "        self.log.append((first, len(order)))\n        sent = self.send(order, scores)\n"
      "        return self.collect(sent, ids)\n\n    def _experts_forward(self, rows, counts):\n" +
      work;
  const std::string after = "class Experts:\n    def forward(self, rows, counts):\n" + work +
                            "\n\nclass Routed:\n    def forward(self, x, scores, ids):\n"
                            "        order = self.sort(x)\n        first = order[0].owner.name\n"
                            "        self.log.append((first, len(order)))\n        sent = self.send(order, scores)\n"
                            "        return self.collect(sent, ids)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "`Experts.forward` is what `Experts._experts_forward` was: it takes `rows` and `counts`, where "
                   "that of its name took `x`, `scores` and `ids`."))
      << text;
}

/// A hook that splits or merges entries of a `state_dict` decides what checkpoints hold, whatever its name is.
TEST(Compatibility, WhatWorksOnAGivenStateDictIsAskedAbout) {
  const auto text_with = [](const std::string& parameter) {
    const std::string before = "def merge(module, " + parameter + ", prefix):\n    x = " + parameter +
                               ".pop(prefix + \"a\")\n    " + parameter + "[prefix + \"b\"] = x\n";
    return explain_of({{"a.py", before}}, with_edit({{"a.py", before}}, "a.py", "prefix + \"b\"", "prefix + \"c\""));
  };
  const std::string asked = "`merge` changed: do checkpoints written before still load";
  EXPECT_TRUE(says(text_with("state_dict"), asked)) << text_with("state_dict");
  EXPECT_FALSE(says(text_with("state_dict"), "state_dict function changes"));
  EXPECT_FALSE(says(text_with("entries"), asked)) << text_with("entries");
}

/// What such a function defines for itself decides so, too.
TEST(Compatibility, WhatALoadDefinesForItselfIsAskedAbout) {
  const std::string before =
      "class Optimizer:\n    def load_state_dict(self, state):\n        def groups(old):\n            kept = old[0]\n"
      "            return kept\n\n        self.groups = groups(state)\n";
  const std::string text = explain_of({{"a.py", before}}, with_edit({{"a.py", before}}, "a.py", "old[0]", "old[1]"));
  EXPECT_TRUE(says(text, "changed: do checkpoints written before still load")) << text;
  EXPECT_FALSE(says(text, "state_dict function changes")) << text;
}

/// A call that is known to enter a function of that name uses that one, not the one that is gone.
TEST(Compatibility, ACallThatEntersANamesakeIsNoUseOfWhatIsGone) {
  const std::string before = R"(class Group:
    def reduce_gradients(self, x):
        return x


class Pipeline:
    def reduce_gradients(self, x):
        return x + 1


def run(x):
    pipeline = Pipeline()
    return pipeline.reduce_gradients(x)
)";
  const Files files = {{"a.py", before}};
  const std::string text =
      explain_of(files, with_edit(files, "a.py", "class Group:\n    def reduce_gradients(self, x):",
                                  "class Group:\n    def reduce_partial_gradients(self, x):"));
  EXPECT_TRUE(says(text, "Removed from the importable names: `Group.reduce_gradients`.")) << text;
  EXPECT_FALSE(says(text, "still uses")) << text;
  // Of an object of unknown class nobody knows.
  const std::string unknown =
      replace_all(before, "def run(x):\n    pipeline = Pipeline()\n", "def run(x, pipeline):\n");
  const Files open = {{"a.py", unknown}};
  const std::string may = explain_of(open, with_edit(open, "a.py", "class Group:\n    def reduce_gradients(self, x):",
                                                     "class Group:\n    def reduce_partial_gradients(self, x):"));
  EXPECT_TRUE(says(may, "still uses `reduce_gradients` at `a.py:12`")) << may;
}

/// A new branch that holds nothing but checks refuses more, each by its own question.
TEST(Compatibility, ChecksUnderANewConditionAreTold) {
  const std::string head =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    clamp: float = None\n    experts: int = "
      "None\n"
      "    offset: float = 0.0\n\n    def __post_init__(self):\n        self.size = 1\n";
  const std::string checks =
      "        if self.clamp is not None:\n            if self.experts is None:\n                raise "
      "ValueError(\"only with experts\")\n"
      "            if self.offset != 0.0:\n                raise ValueError(\"no offset\")\n";
  const std::string text = explain_of({{"a.py", head}}, {{"a.py", head + checks}});
  EXPECT_TRUE(
      says(text,
           "`Config.__post_init__` refuses more where `self.clamp` is not `None`: when `self.experts` is `None` or "
           "when `self.offset` is not `0.0`. What passed there before is refused now."))
      << text;
}

/// What applies an autograd function calls its forward, whatever decorates that.
TEST(Compatibility, ADecoratedForwardIsCalledWhereItsClassIsApplied) {
  const std::string body = R"(import functools
import torch


def traced(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


class Scale(torch.autograd.Function):
    @staticmethod
    @traced
    def forward(ctx, x):
        return x


class Layer(torch.nn.Module):
    def forward(self, x):
        return Scale.apply(x)


def run(layer, other, x):
    return layer.forward(x) + other.forward(x)
)";
  const std::string text =
      explain_of({{"a.py", body}}, {{"a.py", replace_all(replace_all(body, "forward(ctx, x)", "forward(ctx, x, by)"),
                                                         "Scale.apply(x)", "Scale.apply(x, 2)")}});
  EXPECT_TRUE(says(text, "takes a new `by` without a default. 1 call site found outside tests;")) << text;
}

/// A check that goes is lifted, whatever else the function and what it calls insist on; one that asks the same is not.
TEST(Compatibility, AnotherCheckDoesNotTakeThePlaceOfOneThatAsksForSomethingElse) {
  const auto text_of = [](const std::string& asked) {
    const std::string gone = "    assert not context.is_chunked(), \"chunked prefill is not supported yet\"\n";
    const std::string helper = "def carry(x, context):\n    assert " + asked + "\n    return x\n\n\n";
    return explain_of(
        {{"a.py", "def prefill(x, context):\n" + gone + "    return x\n"}},
        {{"a.py",
          helper + "def prefill(x, context):\n    assert x.dtype is not None\n    return carry(x, context)\n"}});
  };
  EXPECT_TRUE(says(text_of("x.ndim == 2"), "`prefill` no longer insists that `context.is_chunked()` is false"))
      << text_of("x.ndim == 2");
  EXPECT_FALSE(says(text_of("not context.is_chunked()"), "- `prefill` no longer insists"));
}

TEST(Compatibility, NewAssertionsOnSettingsAreRefusals) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass RunConfig:\n    graph: str = 'none'\n"
      "    offload: bool = False\n    steps: int = 3\n    limit: int = None\n\n    def __post_init__(self):\n"
      "        self.size = 1\n";
  const std::string group =
      "        if self.offload:\n            assert self.graph in ('te', 'full'), 'unsupported'\n"
      "            assert self.steps > 0, 'steps'\n            if self.graph == 'full':\n"
      "                assert self.limit is not None\n";
  const std::string text = explain_of({{"config.py", config}}, {{"config.py", config + group}});
  EXPECT_TRUE(says(text,
                   "`RunConfig.__post_init__` refuses more where `self.offload` is set: when `self.graph` is not "
                   "`'te'` or `'full'`, when `self.steps` is at most `0` or when `self.graph` is `'full'` and "
                   "`self.limit` is `None`") ||
              says(text, "`RunConfig.__post_init__` refuses more where `self.offload` is set"))
      << text;
  const std::string alone =
      explain_of({{"config.py", config}}, {{"config.py", config + "        assert self.steps > 0, 'steps'\n"}});
  EXPECT_TRUE(says(alone, "`RunConfig.__post_init__` refuses more: when `self.steps` is at most `0`")) << alone;
  // It was asserted before, in another place.
  const std::string moved =
      explain_of({{"config.py", config + "        assert self.steps > 0, 'steps'\n        self.width = 2\n"}},
                 {{"config.py", config + "        self.width = 3\n        assert self.steps > 0, 'no steps'\n"}});
  EXPECT_FALSE(says(moved, "refuses more")) << moved;
}

TEST(Compatibility, EnvironmentVariablesThatAreReadAnewAreTold) {
  const std::string before = "import os\n\n\ndef limit():\n    return 1\n";
  const auto with = [&](const std::string& value, const std::string& other) {
    return explain_of({{"a.py", before}, {"b.py", other}},
                      {{"a.py", replace_all(before, "return 1", "return " + value)}, {"b.py", other}});
  };
  const std::string got = with("int(os.environ.get('RANK', '8'))", "LOCAL_RANK = 1\n");
  EXPECT_TRUE(says(got,
                   "`limit` reads the environment variable `RANK` now (`a.py:5`), which gives `'8'` where it is not "
                   "set. No parser lists it"))
      << got;
  EXPECT_TRUE(says(with("os.environ['RANK']", "X = 'RANK'\n"), "which has to be set. Other code named it before"));
  EXPECT_FALSE(says(with("os.path.join('a', 'b')", ""), "environment variable"));
  // What is asked for first need not be set.
  EXPECT_TRUE(says(with("int(os.environ['RANK']) if 'RANK' in os.environ else 0", ""), "`a.py:5`), where it is set."));
}

TEST(Compatibility, ACheckThatAnotherOneReplacesIsNotSaidToLetThrough) {
  const std::string before =
      "def validate(args):\n    if args.by_rollout:\n        assert args.partial, 'needs partial'\n    return args\n";
  const std::string after =
      "def validate(args):\n    assert args.unit == 'B' or args.partial, 'needs partial'\n    return args\n";
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", after}}), "let through now"));
  // One about something else leaves it open.
  const std::string other = "def validate(args):\n    assert args.unit == 'B', 'no unit'\n    return args\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", other}});
  EXPECT_FALSE(says(text, "let through now")) << text;
  EXPECT_TRUE(says(text, "Other checks that it has now may refuse the same.")) << text;
  // The field that it asked for goes with it.
  const std::string request = "class Request:\n    streaming: bool = False\n    count: int = 1\n";
  const std::string asks =
      "from request import Request\n\n\ndef serve(request: Request):\n    assert not request.streaming, 'no'\n    "
      "return request.count\n";
  const std::string of_field =
      explain_of({{"request.py", request}, {"a.py", asks}},
                 {{"request.py", replace_all(request, "    streaming: bool = False\n", "")},
                  {"a.py", replace_all(asks, "    assert not request.streaming, 'no'\n", "")}});
  EXPECT_FALSE(says(of_field, "let through now")) << of_field;
}

TEST(Compatibility, WhatIsRaisedStillIsNotSaidToBeRaisedNoLonger) {
  const std::string before =
      "def trace(fn, args):\n    if isinstance(args, Module):\n        raise ValueError('a module')\n    return "
      "fn(args)\n";
  const std::string after =
      "def trace(fn, args):\n    refuse(args)\n    return fn(args)\n\n\ndef refuse(args):\n    for value in "
      "flat(args):\n        if isinstance(value, Module):\n            raise ValueError('one more module')\n";
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", after}}), "no longer raises"));
  const std::string gone = "def trace(fn, args):\n    return fn(args)\n";
  EXPECT_TRUE(says(explain_of({{"a.py", before}}, {{"a.py", gone}}), "no longer raises `ValueError`"));
}

TEST(Compatibility, TheOldDefaultOfAnArgumentIsTold) {
  const std::string before =
      "import argparse\n\n\ndef options():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--lag', "
      "type=int, default=0, help='How late.')\n    return parser.parse_args()\n";
  const std::string after = replace_all(before, "type=int, default=0", "type=float, default=None");
  const std::string text = explain_of({{"arguments.py", before}}, {{"arguments.py", after}});
  EXPECT_TRUE(says(text, "The default of `lag` changes from `0` to `None`.")) << text;
  EXPECT_TRUE(says(text, "The default of setting `lag` changes: `0` \u2192 `None`.")) << text;
  const std::string same = replace_all(before, "type=int", "type=float");
  EXPECT_TRUE(
      says(explain_of({{"arguments.py", before}}, {{"arguments.py", same}}), "(`0`) changes, its default does not"));
}

TEST(Compatibility, HooksOfAStateDictAndOtherResultsAreNoNothing) {
  const std::string before = "class Layer:\n    def build(self, module) -> int:\n        return 1\n";
  const std::string hook = replace_all(
      before, "        return 1\n", "        module.register_load_state_dict_pre_hook(self.check)\n        return 1\n");
  EXPECT_TRUE(says(explain_of({{"a.py", before}}, {{"a.py", hook}}), "what hooks do to a state_dict changes."));
  const std::string returned = replace_all(before, "-> int", "-> list");
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", returned}}), "state_dict function changes."));
}

TEST(Compatibility, WhatStarsTakeIsToldWithThem) {
  const std::string before = "def log(logger, *args, rank=0):\n    logger.log(*args)\n\n\nlog(1, 2, 3)\n";
  const std::string after = "def log(logger, level, *args, rank=0):\n    logger.log(level, *args)\n\n\nlog(1, 2, 3)\n";
  EXPECT_TRUE(says(explain_of({{"a.py", before}}, {{"a.py", after}}),
                   "takes a new `level` (which was one of its `*`) without a default. 1 call site found outside "
                   "tests, which fits it;"));
  const std::string bias = "def run(x, bias=None, **options):\n    return x, bias, options\n\n\nrun(1, bias=2)\n";
  const std::string swallowed = replace_all(replace_all(bias, ", bias=None", ""), "x, bias, options", "x, options");
  EXPECT_TRUE(says(explain_of({{"a.py", bias}}, {{"a.py", swallowed}}),
                   "no longer takes `bias` by that name (it goes into its `**`)"));
}

TEST(Compatibility, AnAnnotationOfNothingIsNoOtherResult) {
  const std::string before = "def sync(x):\n    x.sync()\n";
  const std::string after = "def sync(x) -> None:\n    x.sync()\n    x.wait()\n";
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", after}}), "what is returned"));
}

TEST(Compatibility, ArgumentsOfAScriptAreNoSettingsOfOtherRuns) {
  const std::string script =
      "import argparse\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n    "
      "parser.add_argument('--skip-gemm', "
      "action='store_true')\n    args = parser.parse_args()\n    if not args.skip_gemm:\n        print(args)\n\n\n"
      "if __name__ == '__main__':\n    main()\n";
  const std::string text = explain_of({{"b.py", "X = 1\n"}}, {{"b.py", "X = 2\n"}, {"sniff.py", script}});
  EXPECT_FALSE(says(text, "existing runs meet")) << text;
}

TEST(Compatibility, ANameThatIsBoundAnewIsNotGone) {
  const std::string before = "class Headers:\n    A = 1\n    B = 2\n\n\ndef read():\n    return Headers.A\n";
  const std::string after =
      "class _Headers:\n    A = 1\n    B = 2\n\n\nHeaders = _Headers()\n\n\ndef read():\n    return Headers.A\n";
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", after}}), "Removed from the importable names"));
}

TEST(Compatibility, CallSitesThatDoNotFitTheNewSignatureAreNamed) {
  const std::string before = "def pretrain(args, step=None):\n    return args\n";
  const std::string after = "def pretrain(container, args, step=None):\n    return container\n";
  const auto with = [&](const std::string& call) {
    return "from lib import pretrain\n\n\ndef main(args):\n    " + call + "\n";
  };
  const std::string text =
      explain_of({{"lib.py", before}, {"a.py", with("pretrain(args)")}, {"b.py", with("pretrain(args)")}},
                 {{"lib.py", after}, {"a.py", with("pretrain(args, args)")}, {"b.py", with("pretrain(args)")}});
  EXPECT_TRUE(says(text, "2 call sites found outside tests, of which 1 does not fit it (`b.py:5`)")) << text;
}

TEST(Compatibility, AnOverrideThatCallsTheBaseByItsDottedClassIsReached) {
  const std::string base =
      "class Decoder:\n    class Config:\n        def update(self, config):\n            self.size = config.size\n";
  const std::string heir =
      "from base import Decoder\n\n\nclass Model(Decoder):\n    class Config(Decoder.Config):\n        def "
      "update(self, "
      "config):\n            CALL\n            self.more = 1\n";
  const auto with = [&](const std::string& call) {
    const Files files = {{"base.py", base}, {"heir.py", replace_all(heir, "CALL", call)}};
    return explain_of(files, with_edit(files, "base.py", "config.size", "config.size + 1"));
  };
  EXPECT_FALSE(says(with("Decoder.Config.update(self, config)"), "in the place of `Decoder.Config.update`"));
  EXPECT_TRUE(says(with("self.size = 2"), "in the place of `Decoder.Config.update`")) << with("self.size = 2");
}

// Of one thing other values pass: which, and none that did before or does not now.
TEST(Compatibility, WhichValuesACheckLetsThroughOrRefusesNow) {
  const auto text_of = [](const std::string& was, const std::string& is) {
    const auto side = [](const std::string& condition) {
      return "def validate(args):\n    if args.overlap and " + condition +
             ":\n        raise ValueError('no')\n    return args\n";
    };
    return explain_of({{"a.py", side(was)}}, {{"a.py", side(is)}});
  };
  const std::string more = text_of("args.kind != 'dist'", "args.kind not in [\"dist\", \"flex\", Kind.OLD]");
  EXPECT_TRUE(says(more,
                   "- `validate` refuses less: it lets `\"flex\"` and `Kind.OLD` through as `args.kind` where "
                   "`args.overlap` is set. Unless another check refuses it"))
      << more;
  EXPECT_FALSE(says(more, "Refused anew")) << more;
  const std::string fewer = text_of("args.kind not in ('a', 'b')", "args.kind not in ('b',)");
  EXPECT_TRUE(says(fewer,
                   "- `validate` refuses more: `\"a\"` as `args.kind` where `args.overlap` is set. What passed "
                   "there before is refused now."))
      << fewer;
  const std::string refused = text_of("args.kind == 'a'", "args.kind in ('a', 'c')");
  EXPECT_TRUE(says(refused, "refuses more: `\"c\"` as `args.kind`")) << refused;
  const std::string both = text_of("args.kind != 'a'", "args.kind != 'b'");
  EXPECT_TRUE(says(both, "it lets `\"b\"` through as `args.kind`")) << both;
  EXPECT_TRUE(says(both, "refuses more: `\"a\"` as `args.kind`")) << both;
  for (const std::string other : {"args.other != 'a'", "args.kind not in kinds", "args.kind > 'a'"})
    EXPECT_FALSE(says(text_of("args.kind != 'a'", other), "through as")) << other;
}

// A check that moves below another condition refuses less, one of which an alternative is enough now refuses more.
TEST(Compatibility, WhatWasRefusedBeforeIsNotRefusedAnew) {
  const auto text_of = [](const std::string& was, const std::string& is) {
    const auto side = [](const std::string& body) {
      return "def validate(config):\n    if config.static:\n" + body + "    return config\n";
    };
    return explain_of({{"a.py", side(was)}}, {{"a.py", side(is)}});
  };
  const std::string old_card = "        if config.card < 10:\n            raise ValueError('an old card, sorry')\n";
  const std::string old_env = "        if config.env <= 0:\n            raise ValueError('set the variable')\n";
  const std::string fewer =
      text_of(old_card + old_env,
              "        if config.fp8 or config.fp4:\n            if config.card < 10:\n                raise "
              "ValueError('quantized needs a new card')\n            if config.env <= 0:\n                raise "
              "ValueError('quantized needs the variable')\n");
  EXPECT_TRUE(says(fewer,
                   "- `validate` refuses less: when `config.card` is less than `10` or when `config.env` is at "
                   "most `0`, and now only where `config.fp8` is set or `config.fp4` is set."))
      << fewer;
  EXPECT_FALSE(says(fewer, "refuses more")) << fewer;
  EXPECT_FALSE(says(fewer, "o longer raises")) << fewer;
  const std::string more = text_of(
      "        if not (config.fused or config.grouped):\n            raise ValueError('one of them')\n",
      "        if not (config.fused and config.grouped):\n            raise RuntimeError('both of them are needed')\n");
  EXPECT_FALSE(says(more, "o longer raises `ValueError` when")) << more;
  EXPECT_FALSE(says(more, "refuses less")) << more;
  const std::string other =
      text_of(old_card, "        if config.size < 10:\n            raise ValueError('too small')\n");
  EXPECT_FALSE(says(other, "refuses less: when `config.size`")) << other;
}

/// What a constructor asserts of the configuration alone refuses runs; what it asserts of its own making does not.
TEST(Compatibility, AConstructorThatAssertsOfTheConfigurationRefusesMore) {
  const std::string before = "class Attention:\n    def __init__(self, config):\n        self.size = make(config)\n";
  const std::string settings = explain_of(
      {{"a.py", before}}, {{"a.py", before + "        assert not (config.parallel > 1 and not config.sequence)\n"}});
  EXPECT_TRUE(
      says(settings,
           "`Attention.__init__` refuses more: when `config.parallel` is more than `1` and `config.sequence` is "
           "not set."))
      << settings;
  const std::string own =
      explain_of({{"a.py", before}}, {{"a.py", before + "        assert self.size == config.hidden_size\n"}});
  EXPECT_FALSE(says(own, "refuses more")) << own;
}

TEST(Compatibility, AConstructorThatComesAsksForArguments) {
  const std::string before =
      "from abc import ABC\n\n\nclass Strategy(ABC):\n    def load(self):\n        return 1\n\n\n"
      "class Zarr(Strategy):\n    def load(self):\n        return 2\n";
  const std::string after = before +
                            "\n    def __init__(self, backend, version, *, strict=True):\n"
                            "        self.backend = backend\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "`Zarr` is made with `backend` and `version` now; it was made without arguments. No caller found "
                   "outside tests; code outside the repository"))
      << text;
  // Whoever it inherits from took some already, or may have.
  for (const std::string_view base : {"Module", "namedtuple('Pair', 'a b')"}) {
    const auto with = [&](const std::string& code) {
      return "from torch.nn import Module\nfrom collections import namedtuple\n" +
             replace_all(code, "(ABC)", fmt::format("({})", base));
    };
    EXPECT_FALSE(says(explain_of({{"a.py", with(before)}}, {{"a.py", with(after)}}), "is made with")) << base;
  }
  const std::string optional = replace_all(after, "backend, version", "backend='zarr', version=1");
  EXPECT_FALSE(says(explain_of({{"a.py", before}}, {{"a.py", optional}}), "is made with"));
}

TEST(Compatibility, WhatIsCutOfADefaultDiffersToo) {
  const auto config = [](const std::string& more) {
    return "from dataclasses import dataclass, field\n\n\n@dataclass\nclass LogConfig:\n"
           "    keys: list = field(default_factory=lambda: ['performance/tokens_per_second', "
           "'trainer/gradient_norm/mean', 'trainer/learning_rate'" +
           more + "])\n\n\ndef log(config: LogConfig):\n    return config.keys\n";
  };
  const std::string text = explain_of({{"a.py", config("")}}, {{"a.py", config(", 'bit_wise/max'")}});
  EXPECT_FALSE(says(text, "its default stays")) << text;
  EXPECT_TRUE(says(text, "'bit_wise/max'])`. Runs that do not set it behave differently.")) << text;
}

TEST(Compatibility, AnOptionIsDeclaredInTheFileThatChanges) {
  const auto script = [](const std::string& option) {
    return "import argparse\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n" + option +
           "    return parser.parse_args()\n\n\nif __name__ == '__main__':\n    main()\n";
  };
  const std::string other = script("    parser.add_argument('--extra', default='', help='Of the other one.')\n");
  const std::string own = script("    parser.add_argument('--extra', default='', help='Of this one.')\n");
  const std::string text = explain_of({{"scripts/a.py", other}, {"scripts/b.py", script("")}},
                                      {{"scripts/a.py", other}, {"scripts/b.py", own}});
  EXPECT_TRUE(says(text, "`extra` (new, `scripts/b.py:6`)")) << text;
  EXPECT_FALSE(says(text, "Of the other one")) << text;
}

/// A model of pydantic that allows more does not refuse a field that is gone.
TEST(Compatibility, FieldsOfPydanticModelsAreStillTaken) {
  const std::string imports =
      "from typing import ClassVar\n\nfrom other import Mixin\nfrom pydantic import BaseModel, ConfigDict, Field, "
      "model_validator\n\nMODE = 'allow'\nSHARED = {'extra': 'forbid'}\n\n\n";
  const auto with = [&](const std::string& head, const std::string& body) {
    return Files{{"lib.py", imports + head + ":\n    text: str\n    epoch: int\n" + body +
                                "\n\ndef use(one):\n    return one.text\n"}};
  };
  const auto gone = [&](const std::string& head, const std::string& body = "",
                        const std::string& field = "    epoch: int\n") {
    const Files before = with_edit(with(head, body), "lib.py", "    epoch: int\n", field);
    return explain_of(before, with_edit(before, "lib.py", field, ""));
  };
  const std::string allows = gone("class Row(BaseModel, extra=\"allow\")");
  EXPECT_TRUE(says(allows,
                   "A field is gone: `Row.epoch`. Code outside the repository that reads it breaks. `Row` still takes "
                   "it as an argument and keeps it (pydantic, `extra=\"allow\"`)"))
      << allows;
  const std::string keeps = "keeps it (pydantic, `extra=\"allow\"`)", drops = "drops it (pydantic, `extra=\"ignore\"`)";
  EXPECT_TRUE(says(gone("class Row(BaseModel)"), drops));
  EXPECT_TRUE(says(gone("class Row(BaseModel)", "    model_config = ConfigDict(extra='allow', frozen=True)\n"), keeps));
  EXPECT_TRUE(says(gone("class Row(BaseModel)", "    model_config = {'extra': 'allow'}\n"), keeps));
  EXPECT_TRUE(says(
      gone("class Row(BaseModel)", "\n    @model_validator(mode='after')\n    def check(self):\n        return self\n"),
      drops));
  EXPECT_TRUE(says(gone("class Row(BaseModel)", "", "    epoch: int = Field(default=0, ge=0)\n"), drops));
  for (const std::string head :
       {"class Row(BaseModel, extra=\"forbid\")", "class Row", "class Row(BaseModel, extra=MODE)",
        "class Row(BaseModel, Mixin)", "class Row(BaseModel, metaclass=Mixin)", "class Row(BaseModel, **SHARED)",
        "@Mixin\nclass Row(BaseModel)"}) {
    EXPECT_FALSE(says(gone(head), "still takes")) << head;
  }
  for (const std::string body :
       {"\n    class Config:\n        extra = 'forbid'\n", "    model_config = ConfigDict(extra=MODE)\n",
        "    model_config = ConfigDict(**SHARED)\n", "    model_config = {**SHARED}\n", "    model_config = SHARED\n",
        "    model_config = ConfigDict(alias_generator=str.upper)\n",
        "    model_config = ConfigDict()\n    model_config['extra'] = 'forbid'\n",
        "\n    def __init__(self, text):\n        super().__init__(text=text)\n",
        "\n    def __new__(cls, text):\n        return super().__new__(cls)\n",
        "\n    @model_validator(mode='before')\n    @classmethod\n    def check(cls, data):\n        return data\n",
        "\n    @property\n    def epoch(self):\n        return 1\n"}) {
    EXPECT_FALSE(says(gone("class Row(BaseModel)", body), "still takes")) << body;
  }
  for (const std::string field :
       {"    epoch: int = Field(alias='e')\n", "    epoch: ClassVar[int] = 1\n", "    epoch = 1\n"}) {
    EXPECT_FALSE(says(gone("class Row(BaseModel)", "", field), "still takes")) << field;
  }
}

/// Of several fields they are told together, unless one of them is none of pydantic's.
TEST(Compatibility, FieldsOfPydanticModelsAreCounted) {
  const auto text_of = [](const std::string& second) {
    const Files before{{"lib.py",
                        "from pydantic import BaseModel\n\n\nclass Row(BaseModel):\n    text: str\n"
                        "    epoch: int\n\n\nclass " +
                            second + ":\n    size: int\n    step: int\n"}};
    return explain_of(before,
                      with_edit(with_edit(before, "lib.py", "    epoch: int\n", ""), "lib.py", "    step: int\n", ""));
  };
  EXPECT_TRUE(says(text_of("Page(BaseModel)"), "still take them as arguments and drop them (pydantic,"))
      << text_of("Page(BaseModel)");
  EXPECT_FALSE(says(text_of("Page(BaseModel, extra='allow')"), "still take"));
  EXPECT_FALSE(says(text_of("Page"), "still take"));
}

/// A method of a private class is public where a public class has it from there.
TEST(Compatibility, APrivateMethodIsPublicWhereItIsInherited) {
  const auto text_of = [](const std::string& classes) {
    const Files before{{"lib.py", "class _Base:\n    def run(self):\n        return 1\n\n\n" + classes}};
    return explain_of(before, with_edit(before, "lib.py", "        return 1\n",
                                        "        return 1\n\n    def stop(self):\n        return self.run()\n"));
  };
  const std::string adds = "Adds the public";
  EXPECT_TRUE(says(text_of("class Engine(_Base):\n    def go(self):\n        return 2\n"), adds));
  for (const std::string classes :
       {"class Engine(_Base):\n    def stop(self):\n        return 2\n", "class Engine(_Base):\n    stop = None\n",
        "class Other:\n    def stop(self):\n        return 2\n\n\nclass Engine(Other, _Base):\n    size = 1\n",
        "class Outer:\n    def make(self):\n        class Engine(_Base):\n            size = 1\n        return "
        "Engine\n",
        "import threading\n\n\nclass Engine(threading.Timer, _Base):\n    size = 1\n"}) {
    EXPECT_FALSE(says(text_of(classes), adds)) << classes << text_of(classes);
  }
}

/// What a branch asks to be of the class that loses a method is still read off it, whatever else has the name.
TEST(Compatibility, AMethodThatIsGoneIsUsedWhereABranchAsksForItsClass) {
  const auto api = [](const std::string& method) {
    return "class Generator:\n    def prepare(self):\n        return 1\n" + method + "\n\nclass Other:\n    pass\n";
  };
  const std::string method = "\n    def get_grouped_rollouts(self):\n        return self.prepare()\n";
  const auto server = [](const std::string& asked) {
    return "from api import Generator, Other\n\n\nclass Remote:\n    def get_grouped_rollouts(self):\n"
           "        return 2\n\n\ndef launch(cls, args):\n    if " +
           asked +
           ":\n        env = cls(**args)\n        return env.get_grouped_rollouts()\n    return None\n\n\n"
           "def main(args):\n    return launch(Remote, args)\n";
  };
  const auto text_of = [&](const std::string& asked) {
    return explain_of({{"api.py", api(method)}, {"server.py", server(asked)}},
                      {{"api.py", api("")}, {"server.py", server(asked)}});
  };
  const std::string used =
      ". Code inside still uses `get_grouped_rollouts` at `server.py:12` "
      "(`Remote.get_grouped_rollouts`, `server.py:5`, has that name, too).";
  EXPECT_TRUE(says(text_of("issubclass(cls, Generator)"), used)) << text_of("issubclass(cls, Generator)");
  EXPECT_FALSE(says(text_of("issubclass(cls, Other)"), "still uses")) << text_of("issubclass(cls, Other)");
}

TEST(Compatibility, WhatOverrodeAMethodThatIsGoneIsNamed) {
  const auto files = [](const std::string& method, const std::string& base) {
    return Files{{"a.py", "class Generator:\n    def prepare(self):\n        return 1\n" + method},
                 {"b.py", "from a import Generator\n\n\nclass Base(Generator):\n" + base +
                              "\n\nclass Remote(Base):\n    def collect(self):\n        return 2\n"}};
  };
  const std::string method = "\n    def collect(self):\n        return self.prepare()\n";
  const std::string text = explain_of(files(method, "    pass\n"), files("", "    pass\n"));
  EXPECT_TRUE(
      says(text, ". `Remote.collect` (`b.py:9`) overrode what is gone and stays; no call by its name was found"))
      << text;
  // What still overrides another is no rest.
  const std::string base = "    def collect(self):\n        return 3\n";
  const std::string other = explain_of(files(method, base), files("", base));
  EXPECT_FALSE(says(other, "`Remote.collect`")) << other;
}

}  // namespace
}  // namespace lockstep::render
