// What other lines of the repository refute is not said: refusals that nobody could meet, names that are there still,
// costs of what only moved, ways on which one setting has two values.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(Refuted, WhatIsNewAltogetherRefusesNothingThatWasThere) {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass NormConfig:\n    kind: str = 'a'\n";
  const std::string body = "    return config.kind == 'rms' or config.kind\n";
  const auto after = [&](const std::string& parameter, const std::string& asked) {
    return "def make(config" + parameter + "):\n    fused = " + asked +
           "\n    if fused and config.kind != 'rms':\n        raise ValueError('only rms')\n" + body;
  };
  const Files before = {{"a.py", "def make(config):\n" + body}, {"config.py", config}};
  const auto text_of = [&](const std::string& code) {
    return explain_of(before, {{"a.py", code}, {"config.py", config + "    fused: bool = False\n"}});
  };
  EXPECT_FALSE(says(text_of(after(", residual=False", "config.fused and residual")), "refuses more"));
  EXPECT_FALSE(says(text_of(after(", residual=False", "residual and config.kind")), "refuses more"));
  // What was there can meet the same check.
  const std::string old = text_of(after("", "config.kind != 'b'"));
  EXPECT_TRUE(says(old, "`make` refuses more")) << old;
  // So can whatever leaves the new parameter at a default that asks for it.
  const std::string on = text_of(after(", residual=True", "residual or config.fused"));
  EXPECT_TRUE(says(on, "`make` refuses more")) << on;
}

TEST(Refuted, ARefusalInsideOfOneAsksForBoth) {
  const auto config = [](const std::string& field, const std::string& asked) {
    return "from dataclasses import dataclass\n\n\n@dataclass\nclass RopeConfig:\n    fused: bool = False\n" + field +
           "\n    def __post_init__(self):\n        if self.fused:\n            if " + asked +
           ":\n                raise ValueError('not both')\n        self.size = 1\n";
  };
  const std::string before =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass RopeConfig:\n    fused: bool = False\n\n"
      "    def __post_init__(self):\n        self.size = 1\n";
  const std::string text =
      explain_of({{"config.py", before}}, {{"config.py", config("    gate: bool = False\n", "self.gate")}});
  EXPECT_FALSE(says(text, "refuses more")) << text;
  const std::string old =
      explain_of({{"config.py", before}}, {{"config.py", config("    gate: bool = False\n", "self.fused != 2")}});
  EXPECT_TRUE(says(old, "refuses more")) << old;
}

TEST(Refuted, WhatAStarImportGivesIsNotRemoved) {
  const std::string code = "LIMIT = 3\n\n\ndef plan(n):\n    return n + LIMIT\n";
  const std::string moved = "LIMIT = 4\n\n\ndef plan(n):\n    return n - LIMIT\n";
  const Files before = {{"pkg/__init__.py", ""}, {"pkg/old.py", code}};
  const std::string given =
      explain_of(before, {{"pkg/__init__.py", ""}, {"pkg/old.py", "from pkg.new import *\n"}, {"pkg/new.py", moved}});
  EXPECT_FALSE(says(given, "Removed from the importable names")) << given;
  // A star does not give what the module does not have.
  const std::string lacking = explain_of(before, {{"pkg/__init__.py", ""},
                                                  {"pkg/old.py", "from pkg.new import *\n"},
                                                  {"pkg/new.py", replace_all(moved, "LIMIT", "BOUND")}});
  EXPECT_TRUE(says(lacking, "Removed from the importable names: `LIMIT`")) << lacking;
}

TEST(Refuted, WhatAWrapperHandsOnIsStillTaken) {
  const std::string base =
      "class New:\n    def __init__(self, size, depth=1):\n        self.size = size\n        self.depth = depth\n";
  const auto wrapper = [](const std::string& init) { return "from base import New\n\n\nclass Old(New):\n" + init; };
  const std::string before =
      "class Old:\n    def __init__(self, size, depth=1):\n        self.size = size\n        self.depth = depth\n";
  const auto text_of = [&](const std::string& init) {
    return explain_of({{"base.py", base}, {"old.py", before}}, {{"base.py", base}, {"old.py", wrapper(init)}});
  };
  const std::string handed =
      text_of("    def __init__(self, *args, spec=None, **kwargs):\n        super().__init__(*args, **kwargs)\n");
  EXPECT_TRUE(says(handed,
                   "`Old.__init__` hands its `**` on to `New.__init__`, which takes what it no longer names itself: "
                   "`depth` and `size`. Calls that give them by name still fit."))
      << handed;
  EXPECT_FALSE(says(handed, "no longer takes")) << handed;
  const std::string kept =
      text_of("    def __init__(self, *args, spec=None, **kwargs):\n        self.kept = dict(kwargs)\n");
  EXPECT_TRUE(says(kept, "no longer takes `depth` and `size` by these names (they go into its `**`)")) << kept;
}

TEST(Refuted, WhatOnlyMovesWithItsClassWritesTheSameState) {
  const auto code = [](const std::string& name, const std::string& key, const std::string& comment) {
    return "class " + name +
           ":\n    def __init__(self):\n        self.x = 1\n\n    def state_dict(self, prefix=''):\n" +
           "        out = {}\n        out[prefix + '" + key + "'] = self.x  # " + comment + "\n        return out\n";
  };
  const std::string alike = explain_of({{"a.py", code("Old", "x", "of Old")}}, {{"a.py", code("New", "x", "of New")}});
  EXPECT_FALSE(says(alike, "do checkpoints written before still load")) << alike;
  const std::string other = explain_of({{"a.py", code("Old", "x", "of Old")}}, {{"a.py", code("New", "y", "of New")}});
  EXPECT_TRUE(says(other, "do checkpoints written before still load")) << other;
}

TEST(Refuted, WhatAConstructorTakesOverAllocatesAsBefore) {
  const std::string layer =
      "import torch\n\n\nclass Layer:\n    def __init__(self, n):\n        self.w = torch.empty(n, n)\n\n"
      "    def forward(self, x):\n        return x\n";
  const auto model = [](const std::string& name, const std::string& forward) {
    return "from layer import Layer\n\n\nclass " + name +
           ":\n    def __init__(self, n):\n        self.n = n\n        self.layer = Layer(n)\n\n"
           "    def forward(self, x):\n        return " +
           forward + "\n";
  };
  const auto train = [](const std::string& name) {
    return "from model import " + name +
           "\n\n\ndef train_step(model, x):\n    return model.forward(x)\n\n\ndef main():\n"
           "    model = " +
           name +
           "(4)\n    for i in range(3):\n        train_step(model, i)\n\n\n"
           "if __name__ == '__main__':\n    main()\n";
  };
  const std::string kept =
      "\n\nclass Old(New):\n    def __init__(self, *args, **kwargs):\n        print('old')\n"
      "        super().__init__(*args, **kwargs)\n";
  const Files before = {
      {"layer.py", layer}, {"model.py", model("Old", "self.layer.forward(x)")}, {"train.py", train("Old")}};
  const std::string moved = explain_of(before, {{"layer.py", layer},
                                                {"model.py", model("New", "self.layer.forward(x) + 1") + kept},
                                                {"train.py", train("New")}});
  EXPECT_FALSE(says(moved, "New allocations")) << moved;
  // A constructor that comes to make one more is told.
  const std::string more = replace_all(model("Old", "self.layer.forward(x) + 1"), "        self.n = n\n",
                                       "        self.n = n\n        self.more = torch.zeros(n, n)\n");
  const std::string added =
      explain_of(before, {{"layer.py", layer}, {"model.py", "import torch\n" + more}, {"train.py", train("Old")}});
  EXPECT_TRUE(says(added, "torch.zeros(n, n)")) << added;
}

TEST(Refuted, NoWayAsksASettingForTwoConstantsInFunctionsThatConditionsCall) {
  const auto layer = [](const std::string& value) {
    return "class Layer:\n    def __init__(self, config):\n        self.config = config\n\n    def uses_engine(self):\n"
           "        from os import getpid\n\n        return self.config.graph_impl == \"engine\" and getpid()\n\n"
           "    def replay(self, x):\n        return x + " +
           value +
           "\n\n    def run(self, x):\n        if self.uses_engine():\n            return self.replay(x)\n"
           "        return x\n";
  };
  const auto main = [](const std::string& impl) {
    return "import sys\nfrom layer import Layer\nfrom config import make\n\n\ndef main():\n    config = "
           "make(sys.argv)\n"
           "    layer = Layer(config)\n    if config.graph_impl == \"" +
           impl + "\":\n        layer.run(1)\n\n\nif __name__ == '__main__':\n    main()\n";
  };
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass RunConfig:\n"
      "    graph_impl: str = \"none\"\n\n\ndef make(argv):\n    return RunConfig(argv[1])\n";
  const auto text_of = [&](const std::string& impl) {
    return explain_of({{"layer.py", layer("1")}, {"config.py", config}, {"train.py", main(impl)}},
                      {{"layer.py", layer("2")}, {"config.py", config}, {"train.py", main(impl)}});
  };
  EXPECT_FALSE(says(text_of("local"), "Runs can reach")) << text_of("local");
  EXPECT_TRUE(says(text_of("engine"), "Runs can reach `Layer.replay`: `train.py`")) << text_of("engine");
}

TEST(Refuted, WhatCommandLinesOfTestsAskForIsNotSaidToBeUntested) {
  const auto passes = [](const std::string& value) {
    return "def regional_pass(gm):\n    return gm + " + value +
           "\n\n\ndef other_pass(gm):\n    return gm\n\n\nPASSES = {\"regional\": regional_pass, \"other\": "
           "other_pass}\n";
  };
  const auto run = [](const std::string& command) {
    return "import subprocess\n\nTESTS = [\n    \"" + command +
           "\",\n]\n\n\ndef run_all():\n    for one in TESTS:\n        subprocess.run([one], shell=True)\n";
  };
  const auto text_of = [&](const std::string& command) {
    return explain_of({{"passes.py", passes("1")}, {"tests/run.py", run(command)}},
                      {{"passes.py", passes("2")}, {"tests/run.py", run(command)}});
  };
  const std::string asked = text_of("./train.sh --passes regional --steps 3");
  EXPECT_TRUE(says(asked,
                   "Which test runs `regional_pass`? No test function was found that reaches it by the call graph, and "
                   "none that names it. Command lines of tests give `--passes regional` (`tests/run.py:4`), and "
                   "`PASSES` has `regional_pass` under that key; whether such a run comes to what changed was not "
                   "followed."))
      << asked;
  const std::string other = text_of("./train.sh --passes other --steps 3");
  EXPECT_TRUE(says(other, "Which test runs `regional_pass`? NOT TESTED")) << other;
}

TEST(Refuted, AConfigurationThatTestsNameMayRunItsClass) {
  const auto collator = [](const std::string& value) {
    return "from dataclasses import dataclass\n\n\nclass Collator:\n    @dataclass\n    class Config:\n"
           "        size: int = 1\n\n    def __init__(self, config):\n        self.size = config.size\n\n"
           "    def collate(self, rows):\n        return rows[: self.size + " +
           value + "]\n";
  };
  const std::string registry =
      "from collator import Collator\n\n\ndef collator_config():\n    return Collator.Config(size=4)\n\n\n"
      "def vision_debug():\n    return {\"collator\": collator_config()}\n";
  const auto text_of = [&](const std::string& name) {
    const std::string runs = "RUNS = [\"--module vision --config " + name + "\"]\n";
    const Files rest = {{"registry.py", registry}, {"tests/runs.py", runs}};
    Files before = rest;
    before["collator.py"] = collator("1");
    Files after = rest;
    after["collator.py"] = collator("2");
    return explain_of(before, after);
  };
  const std::string named = text_of("vision_debug");
  EXPECT_TRUE(says(named,
                   "Command lines of tests give `--config vision_debug` (`tests/runs.py:1`), the name of a function "
                   "that configures a `Collator`; whether such a run comes to what changed was not followed."))
      << named;
  EXPECT_TRUE(says(text_of("text_debug"), "NOT TESTED")) << text_of("text_debug");
}

TEST(Refuted, AnObjectStaysOfTheClassThatItsWayEndsIn) {
  const auto optimizers = [](const std::string& value, const std::string& override_it) {
    return "class Base:\n    def step(self, x):\n        return self.ready(x)\n\n    def ready(self, x):\n"
           "        return self.copy(x)\n\n    def copy(self, x):\n        return x\n\n\nclass Sharded(Base):\n" +
           override_it + "    def copy(self, x):\n        y = x + " + value + "\n        return y\n";
  };
  const std::string train =
      "from optimizers import Base, Sharded\n\n\ndef make(kind):\n    if kind:\n        return Sharded()\n    return "
      "Base()\n"
      "\n\ndef train_step(optimizer, x):\n    return optimizer.step(x)\n\n\ndef main(kind=True):\n"
      "    optimizer = make(kind)\n    for i in range(3):\n        train_step(optimizer, i)\n\n\n"
      "if __name__ == '__main__':\n    main()\n";
  const auto text_of = [&](const std::string& override_it) {
    return explain_of({{"optimizers.py", optimizers("1", override_it)}, {"train.py", train}},
                      {{"optimizers.py", optimizers("2", override_it)}, {"train.py", train}});
  };
  const std::string plain = text_of("");
  EXPECT_TRUE(says(plain, "`Base.ready` (`optimizers.py:5`) → `Sharded.copy`")) << plain;
  const std::string overridden = text_of("    def ready(self, x):\n        return super().ready(x) + 1\n\n");
  EXPECT_TRUE(
      says(overridden, "→ `Sharded.ready` (`optimizers.py:13`) → `Base.ready` (`optimizers.py:5`) → `Sharded.copy`"))
      << overridden;
}

TEST(Refuted, WhatAPartialGivesUnderAConditionClosesWaysUnderItsOpposite) {
  const auto passes = [](const std::string& value) {
    return "def regional(gm, keep=False):\n    out = gm\n    if keep:\n        out = out + " + value +
           "\n    return out\n\n\nPASSES = {'regional': regional}\n";
  };
  const auto main = [](const std::string& asked) {
    return "import functools\nfrom dataclasses import dataclass\nfrom passes import PASSES, regional\n\n\n@dataclass\n"
           "class CompileConfig:\n    folder: str = ''\n\n\ndef listed(config, name):\n    if config.folder:\n"
           "        return functools.partial(PASSES[name], keep=True)\n    return PASSES[name]\n\n\n"
           "def run(config, gm):\n    if " +
           asked +
           ":\n        return gm\n    return apply(gm)\n\n\ndef apply(gm):\n    return regional(gm)\n\n\n"
           "def main():\n    config = CompileConfig('x')\n    listed(config, 'regional')\n    run(config, 1)\n\n\n"
           "if __name__ == '__main__':\n    main()\n";
  };
  const auto text_of = [&](const std::string& asked) {
    return explain_of({{"passes.py", passes("1")}, {"train.py", main(asked)}},
                      {{"passes.py", passes("2")}, {"train.py", main(asked)}});
  };
  EXPECT_FALSE(says(text_of("config.folder"), "→ `apply`")) << text_of("config.folder");
}

TEST(Refuted, AScriptThatNamesWhatItLooksUpComesToNoOther) {
  const std::string load =
      "import importlib\n\n\ndef load(args):\n    module = importlib.import_module(f\"models.{args[0]}.registry\")\n"
      "    make = getattr(module, args[1])\n    return make()\n";
  const auto registry = [](const std::string& value) {
    return "def small():\n    return {'size': " + value + "}\n\n\ndef large():\n    return {'size': 9}\n";
  };
  const auto text_of = [&](const std::string& name) {
    const std::string script =
        "from load import load\n\nif __name__ == '__main__':\n    load(['tiny', '" + name + "'])\n";
    const Files rest = {
        {"load.py", load}, {"models/__init__.py", ""}, {"models/tiny/__init__.py", ""}, {"run.py", script}};
    Files before = rest;
    before["models/tiny/registry.py"] = registry("1");
    Files after = rest;
    after["models/tiny/registry.py"] = registry("2");
    return explain_of(before, after);
  };
  EXPECT_TRUE(says(text_of("small"), "looks up `small`")) << text_of("small");
  EXPECT_FALSE(says(text_of("large"), "looks up `small`")) << text_of("large");
}

TEST(Refuted, WhatClosesAWayByDefaultIsNamedBeforeWhatIsSoInMostRuns) {
  const auto trainer = [](const std::string& value) {
    return "from config import TraceConfig\nfrom base import Base\n\n\nclass Tracer(Base):\n"
           "    class Config(Base.Config):\n        compile: TraceConfig = TraceConfig()\n\n"
           "    def step(self, x):\n        if self.config.compile.mode != \"trace\":\n            return x\n"
           "        return self.traced(x)\n\n    def traced(self, x):\n        return self.first(x)\n\n"
           "    def first(self, x):\n        return self.second(x)\n\n    def second(self, x):\n        return x + " +
           value + "\n";
  };
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass PlainConfig:\n    on: bool = False\n\n\n@dataclass\n"
      "class TraceConfig(PlainConfig):\n    mode: str = \"eager\"\n\n\n@dataclass\nclass SaveConfig:\n"
      "    mode: str = \"sync\"\n";
  const std::string base =
      "from dataclasses import dataclass\nfrom config import PlainConfig\n\n\nclass Base:\n    @dataclass\n"
      "    class Config:\n        compile: PlainConfig = PlainConfig()\n        steps: int = 10\n\n"
      "    def __init__(self, config: Config):\n        self.config = config\n        self.at = 0\n\n"
      "    def going(self):\n        return self.at < self.config.steps\n\n    def train(self):\n"
      "        while self.going():\n            self.step(1)\n\n    def step(self, x):\n        return x\n";
  const std::string main =
      "from trainer import Tracer\n\n\ndef main():\n    Tracer(Tracer.Config()).train()\n\n\n"
      "if __name__ == '__main__':\n    main()\n";
  const Files rest = {{"config.py", config}, {"base.py", base}, {"train.py", main}};
  Files before = rest;
  before["trainer.py"] = trainer("1");
  Files after = rest;
  after["trainer.py"] = trainer("2");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "`self.config.compile.mode` is `\"trace\"`")) << text;
  EXPECT_TRUE(says(text, "- `mode` (`config.py:11`), default `\"eager\"`.")) << text;
  // How often a loop runs decides on no function in it.
  EXPECT_FALSE(says(text, "- `steps`")) << text;
}

TEST(Refuted, AFunctionThatIsHandedOnIsNotSaidToBeReachedByNothing) {
  const auto passes = [](const std::string& value, const std::string& use) {
    return "import torch\n\n\ndef is_pure(node):\n    return node.op == " + value + "\n\n\ndef clean(graph):\n    " +
           use + "\n    return graph\n";
  };
  const std::string test = "from passes import clean\n\n\ndef test_clean(graph):\n    clean(graph)\n";
  const auto text_of = [&](const std::string& use) {
    return explain_of({{"passes.py", passes("1", use)}, {"tests/test_passes.py", test}},
                      {{"passes.py", passes("2", use)}, {"tests/test_passes.py", test}});
  };
  const std::string handed = text_of("graph.eliminate(is_impure=is_pure)");
  EXPECT_TRUE(says(handed,
                   "`is_pure` is handed on or kept as a value in `clean` (`passes.py:9`); who calls it then, the call "
                   "graph does not say."))
      << handed;
  EXPECT_TRUE(says(handed,
                   "Does a test run `is_pure`? Open: it is handed on or kept as a value, and who calls it then was not "
                   "followed; no test was found that names it."))
      << handed;
  const std::string unused = text_of("graph.eliminate()");
  EXPECT_TRUE(says(unused, "The call graph finds no call that leads to `is_pure`")) << unused;
  EXPECT_TRUE(says(unused, "Which test runs `is_pure`? NOT TESTED")) << unused;
}

TEST(Refuted, NoRunGoesThroughTwoExperiments) {
  const auto loss = [](const std::string& value) {
    return "def logprobs(x):\n    y = x + " + value + "\n    return y\n";
  };
  const std::string trainer =
      "class Trainer:\n    def train(self):\n        for i in range(3):\n            self.step(i)\n\n"
      "    def step(self, x):\n        return x\n";
  const std::string main =
      "import sys\nfrom trainer import Trainer\nfrom experiments.slow.trainer import SlowTrainer\n"
      "from experiments.graph.trainer import GraphTrainer\n\n\ndef main():\n    kinds = [Trainer, SlowTrainer, "
      "GraphTrainer]\n    kinds[len(sys.argv)]().train()\n\n\nif __name__ == '__main__':\n    main()\n";
  const std::string slow =
      "from trainer import Trainer\n\n\nclass SlowTrainer(Trainer):\n    def train(self):\n        self.step(1)\n";
  const std::string graph =
      "from trainer import Trainer\nfrom loss import logprobs\n\n\nclass GraphTrainer(Trainer):\n"
      "    def step(self, x):\n        return logprobs(x)\n";
  const Files rest = {{"trainer.py", trainer},
                      {"train.py", main},
                      {"experiments/__init__.py", ""},
                      {"experiments/slow/__init__.py", ""},
                      {"experiments/graph/__init__.py", ""},
                      {"experiments/slow/trainer.py", slow},
                      {"experiments/graph/trainer.py", graph}};
  const auto text_of = [&](const std::string& script) {
    Files before = rest;
    if (!script.empty()) before["experiments/graph/train.py"] = script;
    Files after = before;
    before["loss.py"] = loss("1");
    after["loss.py"] = loss("2");
    return explain_of(before, after);
  };
  const std::string text = text_of("");
  EXPECT_TRUE(says(text, "→ `logprobs`")) << text;
  EXPECT_FALSE(says(text, "SlowTrainer.train")) << text;
  // An experiment that has a script of its own is trained by that one.
  const std::string own = text_of(
      "from experiments.graph.trainer import GraphTrainer\n\n\ndef main():\n    GraphTrainer().train()\n\n\n"
      "if __name__ == '__main__':\n    main()\n");
  EXPECT_TRUE(says(own, "`experiments/graph/train.py` → `main`")) << own;
}

TEST(Refuted, NoRunGoesThroughTwoExperimentsByAFunctionThatIsHandedOn) {
  const std::string model =
      "class Model:\n    def forward(self, x):\n        return self.inner(x)\n\n"
      "    def inner(self, x):\n        return x\n";
  const std::string trainer =
      "import torch\nfrom model import Model\n\n\nclass GraphTrainer:\n    def __init__(self, model: Model):\n"
      "        self.model = model\n\n    def step(self, x):\n        def traced(y):\n"
      "            return self.model.forward(y)\n\n        return torch.fx.wrap(traced)\n";
  const auto main = [](const std::string& more) {
    return "import sys\nfrom experiments.graph.trainer import GraphTrainer\nfrom experiments.slow.model import "
           "SlowModel\n\n\ndef main():\n    GraphTrainer(SlowModel()).step(1)\n" +
           more + "\n\nif __name__ == '__main__':\n    main()\n";
  };
  const auto text_of = [&](const std::string& imported) {
    const auto slow = [&](const std::string& value) {
      return imported +
             "from model import Model\n\n\nclass SlowModel(Model):\n    def inner(self, x):\n        y = x + " + value +
             "\n        return y\n";
    };
    Files before = {{"model.py", model},
                    {"train.py", main("")},
                    {"experiments/__init__.py", ""},
                    {"experiments/slow/__init__.py", ""},
                    {"experiments/graph/__init__.py", ""},
                    {"experiments/graph/trainer.py", trainer}};
    Files after = before;
    before["experiments/slow/model.py"] = slow("1");
    after["experiments/slow/model.py"] = slow("2");
    return explain_of(before, after);
  };
  const std::string apart = text_of("");
  EXPECT_FALSE(says(apart, "GraphTrainer.step")) << apart;
  // One that loads the other goes through both.
  const std::string together = text_of("from experiments.graph import trainer\n");
  EXPECT_TRUE(says(together, "GraphTrainer.step")) << together;
}

TEST(Refuted, ABranchThatAssertsSomethingDoesNotRefuseAllThatComesThere) {
  const auto build = [](const std::string& asked, const std::string& body) {
    return "def build(config):\n    if " + asked + ":\n        " + body + "\n    return config.kind\n";
  };
  const std::string claim = "assert config.kind == 'a', 'only a'";
  const std::string text = explain_of({{"a.py", build("config.fused or config.plain", claim)}},
                                      {{"a.py", build("config.fused and config.plain", claim)}});
  EXPECT_FALSE(says(text, "refuses")) << text;
  const std::string error = "raise ValueError('no')";
  const std::string raised =
      explain_of({{"a.py", build("config.fused", error)}}, {{"a.py", build("config.fused or config.plain", error)}});
  EXPECT_TRUE(says(raised, "`build` refuses more: also when `config.plain` is set.")) << raised;
}

TEST(Refuted, AnOptionOfAScriptIsThatOfItsOwnParser) {
  const auto script = [](const std::string& value) {
    return "from examples.gpt.utils import make_parser\n\n\ndef main():\n    args = make_parser().parse_args()\n"
           "    if args.output_path:\n        print(" +
           value + ")\n\n\nif __name__ == '__main__':\n    main()\n";
  };
  const auto utils = [](const std::string& name) {
    return "import argparse\n\n\ndef make_parser():\n    parser = argparse.ArgumentParser()\n"
           "    parser.add_argument(\"--" +
           name + "\", default=None)\n    return parser\n";
  };
  const std::string other =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass EvaluationConfig:\n    output_path: str = \"out\"\n";
  const auto text_of = [&](const std::string& name) {
    const Files rest = {{"examples/__init__.py", ""},
                        {"examples/gpt/__init__.py", ""},
                        {"examples/vision/config.py", other},
                        {"examples/gpt/utils.py", utils(name)}};
    Files before = rest;
    before["examples/gpt/run.py"] = script("1");
    Files after = rest;
    after["examples/gpt/run.py"] = script("2");
    return explain_of(before, after);
  };
  const std::string own = text_of("output-path");
  EXPECT_TRUE(says(own, "- `output_path` (`examples/gpt/utils.py:6`), argument `--output-path`, default `None`."))
      << own;
  EXPECT_FALSE(says(own, "examples/vision/config.py")) << own;
}

}  // namespace
}  // namespace lockstep::render
