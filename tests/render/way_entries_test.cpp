// Where ways begin: a script that cannot start comes last, and functions of one name are told apart.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kMain =
    "from pkg.core import run\n\n\ndef main():\n    return run(1)\n\n\nif __name__ == '__main__':\n    print(main())\n";
const std::string kFar =
    "from pkg.core import run\n\n\ndef first(x):\n    return second(x)\n\n\ndef second(x):\n    return "
    "third(x)\n\n\ndef third(x):\n    return run(x)\n\n\ndef main():\n    return first(1)\n\n\n"
    "if __name__ == '__main__':\n    print(main())\n";

/// `near.py` comes nearer to the change than `far.py`, where it can start.
std::string explained(const std::string& near, Files more = {}) {
  Files files = std::move(more);
  files.try_emplace("pkg/__init__.py", "");
  files.try_emplace("pkg/core.py", "def run(x):\n    y = x + 1\n    return y\n");
  files.try_emplace("pkg/parts.py", "def part(x):\n    return x\n");
  files["near.py"] = near;
  files.try_emplace("far.py", kFar);
  return explain_of(files, with_edit(files, "pkg/core.py", "x + 1", "x + 2"));
}

TEST(WayEntries, AScriptThatImportsWhatThePackageLacksComesLast) {
  EXPECT_TRUE(says(explained(kMain), "Runs reach `run`: `near.py`"));
  const std::vector<std::string> failing = {"from pkg.gone import thing\n", "import pkg.gone\n",
                                            "from pkg.parts import gone\n", "from pkg.parts import part, gone\n"};
  for (const std::string& import : failing) {
    const std::string text = explained(import + kMain);
    EXPECT_TRUE(says(text, "Runs reach `run`: `far.py` → `main`")) << import << text;
    EXPECT_FALSE(says(text, "Other scripts") || says(text, "more script")) << import << text;
  }
}

TEST(WayEntries, AScriptThatAlwaysLoadsSuchAModuleComesLastToo) {
  const std::string lib = "from pkg.gone import thing\n";
  EXPECT_TRUE(says(explained("import pkg.lib\n" + kMain, {{"pkg/lib.py", lib}}), "Runs reach `run`: `far.py`"));
  EXPECT_TRUE(says(explained("from pkg import lib\n" + kMain, {{"pkg/lib.py", lib}}), "Runs reach `run`: `far.py`"));
  const std::string later = explained("def use():\n    import pkg.lib\n\n\n" + kMain, {{"pkg/lib.py", lib}});
  EXPECT_TRUE(says(later, "Runs reach `run`: `near.py`")) << later;
}

TEST(WayEntries, WhatMayBeThereOrNeedNotRunSaysNothing) {
  for (const std::string& import :
       std::vector<std::string>{"try:\n    from pkg.gone import thing\nexcept ImportError:\n    thing = None\n",
                                "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pkg.gone import thing\n",
                                "import sys\nif len(sys.argv) > 9:\n    from pkg.gone import thing\n",
                                "def use():\n    from pkg.gone import thing\n", "from pkg._C import ops\n",
                                "from pkg.messages_pb2 import Message\n", "from pkg import helpers\n",
                                "from other.gone import thing\n", "from pkg.parts import part\n"}) {
    const std::string text = explained(import + kMain);
    EXPECT_TRUE(says(text, "Runs reach `run`: `near.py`")) << import << text;
  }
  const std::string built =
      explained("from pkg.fast import thing\n" + kMain, {{"setup.py", "EXTENSION = 'pkg.fast'\n"}});
  EXPECT_TRUE(says(built, "Runs reach `run`: `near.py`")) << built;
  const std::string folder =
      explained("from pkg.deep.leaf import thing\n" + kMain, {{"pkg/deep/leaf.py", "thing = 1\n"}});
  EXPECT_TRUE(says(folder, "Runs reach `run`: `near.py`")) << folder;
  for (const std::string& parts :
       std::vector<std::string>{"from os.path import *\n", "def __getattr__(name):\n    return 1\n",
                                "globals()['gone'] = 1\n", "def fill():\n    global gone\n    gone = 1\n"}) {
    const std::string text = explained("from pkg.parts import gone\n" + kMain, {{"pkg/parts.py", parts}});
    EXPECT_TRUE(says(text, "Runs reach `run`: `near.py`")) << parts << text;
  }
}

TEST(WayEntries, WhatIsCompiledIsNotMissing) {
  const std::string near = "from pkg.fast import thing\n" + kMain;
  const std::vector<std::pair<std::string, std::string>> there = {
      {"pkg/fast.pyx", "def thing():\n    return 1\n"},
      {"csrc/fast.cpp", "int thing() { return 1; }\n"},
      {"setup.py", "from Cython.Build import cythonize\n\nMODULES = cythonize('pkg/*.pyx')\n"},
      {"setup.py", "MODULES = cythonize(['**/*.pyx'])\n"},
      {"setup.py", "MODULES = [Extension('pkg.*', sources)]\n"},
      {"CMakeLists.txt", "pybind11_add_module(fast csrc/all.cpp)\n"},
      {"pyproject.toml", "[tool.mypyc]\nsources = ['pkg/*.c']\n"}};
  for (const auto& [path, text] : there) {
    const std::string told = explained(near, {{path, text}});
    EXPECT_TRUE(says(told, "Runs reach `run`: `near.py`")) << path << text << told;
  }
  const std::vector<std::pair<std::string, std::string>> others = {
      {"pkg/other.pyx", "X = 1\n"},
      {"docs/fast.md", "Fast.\n"},
      {"setup.py", "MODULES = cythonize('lib/*.pyx')\n"},
      {"setup.py", "DATA = ['pkg/*.txt', 'csrc/*.cpp']\n"},
      {"pyproject.toml", "[tool.ruff]\ninclude = ['pkg/*.py']\n"}};
  for (const auto& [path, text] : others) {
    const std::string told = explained(near, {{path, text}});
    EXPECT_TRUE(says(told, "Runs reach `run`: `far.py`")) << path << text << told;
  }
}

TEST(WayEntries, AModuleOfALibraryIsNotAskedOfAFolderThatHasItsName) {
  const std::string text = explained(kMain, {{"far.py", "X = 1\n"},
                                             {"pkg/torch/__init__.py", "X = 1\n"},
                                             {"pkg/core.py",
                                              "import torch.multiprocessing\n\n\ndef run(x):\n    y = x + 1\n"
                                              "    return y\n"}});
  EXPECT_TRUE(says(text, "Runs reach `run`: `near.py`")) << text;
}

TEST(WayEntries, OfAScriptThatCannotStartItIsSaidWhereNothingElseLeads) {
  const Files before = {{"pkg/__init__.py", ""},
                        {"near.py",
                         "from pkg.gone import thing\n\n\ndef _run(x):\n    y = x + 1\n    return y\n\n\n"
                         "if __name__ == '__main__':\n    print(_run(1))\n"}};
  const std::string text = explain_of(before, with_edit(before, "near.py", "x + 1", "x + 2"));
  EXPECT_TRUE(says(text,
                   "By the call graph only a script leads to `_run` that cannot start, as it imports `pkg.gone`, which "
                   "is not there: `near.py` → `_run` (`near.py:4`)."))
      << text;
}

TEST(WayEntries, FunctionsOfOneNameAreToldApartAndTheirWaysAreBothTold) {
  const std::string main = "if __name__ == '__main__':\n    provide(1)\n";
  const std::string provide = "def provide(x):\n    y = x + 1\n    z = y * 2\n    return z\n";
  const Files before = {{"a.py", provide + "\n\n" + main},
                        {"parts/model.py", provide},
                        {"b.py", "from parts.model import provide\n\n\n" + main}};
  Files after = with_edit(before, "a.py", "x + 1", "x + 2");
  const std::string one = explain_of(before, after);
  EXPECT_TRUE(says(one, "Runs reach `provide`: `a.py`")) << one;
  after = with_edit(after, "parts/model.py", "x + 1", "x + 2");
  const std::string both = explain_of(before, after);
  EXPECT_TRUE(says(both, "Runs reach `provide` of `a.py`: `a.py` → `provide` (`a.py:1`).")) << both;
  EXPECT_TRUE(says(both, "Runs reach `provide` of `parts/model.py`: `b.py` → `provide` (`parts/model.py:1`).")) << both;
}

TEST(WayEntries, AFunctionThatIsLookedUpByItsNameIsReachedFromThere) {
  const auto where_runs = [](std::string_view form, std::string_view member, const std::string& name) {
    std::string load =
        "import importlib\n\n\ndef load(package, name):\n    for path in (FORM, package):\n"
        "        module = importlib.import_module(path)\n    make = getattr(module, MEMBER)\n    return make()\n\n\n"
        "if __name__ == '__main__':\n    load('', '')\n";
    load.replace(load.find("FORM"), 4, form);
    load.replace(load.find("MEMBER"), 6, member);
    const Files before = {
        {"load.py", load},
        {"train.py", "from load import load\n\n\nif __name__ == '__main__':\n    load('tiny', 'small')\n"},
        {"models/tiny/registry.py", "def " + name + "():\n    return {'lr': 1}\n"}};
    return explain_of(before, with_edit(before, "models/tiny/registry.py", "1", "2"));
  };
  const std::string found = where_runs("f'{package}.registry'", "name", "small");
  EXPECT_TRUE(says(found,
                   "Runs can reach `small` through a function that is looked up by its name: `train.py` → `load` "
                   "(`load.py:4`) → looks up `small` (`models/tiny/registry.py:1`)."))
      << found;
  EXPECT_TRUE(says(found, "Note over p1: looks up small by its name")) << found;
  EXPECT_TRUE(says(where_runs("f'models.tiny.{package}'", "name", "small"), "looked up by its name"));
  // The form of another module's name, one that says nothing of it, a name that stands there, a private function.
  EXPECT_FALSE(says(where_runs("f'{package}.settings'", "name", "small"), "looked up by its name"));
  EXPECT_FALSE(says(where_runs("f'models.{package}'", "name", "small"), "looked up by its name"));
  EXPECT_FALSE(says(where_runs("f'{package}.{name}'", "name", "small"), "looked up by its name"));
  EXPECT_FALSE(says(where_runs("f'{package}.registry'", "'large'", "small"), "looked up by its name"));
  EXPECT_FALSE(says(where_runs("f'{package}.registry'", "name", "_small"), "looked up by its name"));
}

// Both scripts make the stack; the layer is made of what the hybrid models' specification names.
TEST(WayEntries, AClassIsOfTheSubjectThatMakesIt) {
  const std::string script =
      "from models.hybrid.specs import SPEC\nfrom models.hybrid.stack import Stack\n\n\ndef main():\n    Stack(SPEC, "
      "4)\n\n\n"
      "if __name__ == '__main__':\n    main()\n";
  const Files files = {
      {"pretrain_gpt.py", script},
      {"pretrain_hybrid.py", script},
      {"README.md", "Run pretrain_gpt.py.\n\nThen run pretrain_gpt.py.\n\nRun pretrain_gpt.py again.\n"},
      {"spec.py",
       "class Spec:\n    def __init__(self, module):\n        self.module = module\n\n\ndef build(spec, size):\n    "
       "return spec.module(size)\n"},
      {"ssm.py", "class ScanLayer:\n    def __init__(self, size):\n        self.size = size + 1\n"},
      {"models/__init__.py", ""},
      {"models/hybrid/__init__.py", ""},
      {"models/hybrid/specs.py", "from spec import Spec\nfrom ssm import ScanLayer\n\nSPEC = Spec(module=ScanLayer)\n"},
      {"models/hybrid/stack.py",
       "from spec import build\n\n\nclass Stack:\n    def __init__(self, spec, size):\n        self.layer = "
       "build(spec, size)\n"}};
  const std::string text = explain_of(files, with_edit(files, "ssm.py", "size + 1", "size + 2"));
  EXPECT_TRUE(says(text, "`ScanLayer.__init__`: `pretrain_hybrid.py` →")) << text;
}

/// What an experiment does is run by its scripts, however near others are.
TEST(WayEntries, CodeOfAnExperimentIsRunByItsScripts) {
  const Files before = {
      {"pkg/loss.py", "def apply(loss, x):\n    return loss(x)\n"},
      {"pkg/experiments/rl/dapo.py", "def dapo(x):\n    return x\n"},
      {"pkg/experiments/rl/train.py",
       "from pkg.experiments.rl.dapo import dapo\n\n\ndef step(x):\n    return body(x)\n\n\ndef body(x):\n"
       "    return dapo(x)\n\n\nif __name__ == '__main__':\n    step(1)\n"},
      {"pkg/train.py", "from pkg.experiments.rl.dapo import dapo\n\n\nif __name__ == '__main__':\n    dapo(1)\n"},
      {"README.md", "Run `pkg/train.py`, that is `train.py`.\n"}};
  const std::string text =
      explain_of(before, with_edit(before, "pkg/experiments/rl/dapo.py", "return x", "return x + 1"));
  EXPECT_TRUE(says(text, "`pkg/experiments/rl/train.py` \u2192")) << text;
}

/// `isinstance(model, Mimo)` holds in no run of a script that loads nothing which makes one.
TEST(WayEntries, AScriptThatMakesNoSuchModelDoesNotGetThere) {
  const std::string core =
      "import torch\n\n\nclass Mimo(torch.nn.Module):\n    pass\n\n\nclass Plain(torch.nn.Module):\n    pass\n\n\n"
      "def merge(x):\n    y = x + 1\n    return y\n\n\ndef run(model, x):\n    if isinstance(model, Mimo):\n"
      "        return merge(x)\n    return x\n";
  const auto script = [](const std::string& more) {
    return "from core import run\nfrom " + more +
           " import make\n\n\ndef main():\n    return run(make(), 1)\n\n\n"
           "if __name__ == '__main__':\n    main()\n";
  };
  Files files = {{"core.py", core},
                 {"mimo.py", "from core import Mimo\n\n\ndef make():\n    return Mimo()\n"},
                 {"plain.py", "from core import Plain\n\n\ndef make():\n    return Plain()\n"},
                 {"a_train.py", script("plain")},
                 {"deep/train_both.py", script("mimo")}};
  const std::string text = explain_of(files, with_edit(files, "core.py", "x + 1", "x + 2"));
  EXPECT_TRUE(says(text, "`merge`: `deep/train_both.py`")) << text;
}

TEST(WayEntries, AModelIsEnteredByItsOwnLayersBeforeThoseOfAnother) {
  const std::string layers =
      "import torch\n\n\nclass Block(torch.nn.Module):\n    def __init__(self, experts):\n        self.experts = "
      "experts\n\n    def forward(self, x):\n        return self.experts(x)\n";
  const Files files = {
      {"models/oss/experts.py",
       "import torch\n\n\nclass Experts(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n"},
      {"models/alpha/layers.py", layers},
      {"models/oss/layers.py", layers},
      {"train.py",
       "from models.alpha.layers import Block as First\nfrom models.oss.experts import Experts\n"
       "from models.oss.layers import Block\n\n\ndef main(x, name):\n    if name == 'alpha':\n        "
       "First(Experts())(x)\n"
       "    else:\n        Block(Experts())(x)\n\n\nif __name__ == '__main__':\n    main(1, 'oss')\n"}};
  const std::string text = explain_of(files, with_edit(files, "models/oss/experts.py", "x + 1", "x + 2"));
  EXPECT_TRUE(says(text, "`Block.forward` (`models/oss/layers.py")) << text;
}

TEST(WayEntries, WhatOnlyInferenceRunsIsReachedByWhatInfers) {
  const std::string model =
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x, inference_context=None):\n"
      "        x = x + 1\n        if inference_context is not None:\n            x = x * 2\n        return x\n";
  const Files files = {
      {"core/model.py", model},
      {"core/inference/wrapper.py",
       "class Wrapper:\n    def __init__(self, model):\n        self.model = model\n\n    def run(self, x):\n"
       "        return self.model(x, inference_context=self)\n"},
      {"pretrain_model.py",
       "from core.model import Model\n\n\ndef main():\n    return Model()(1)\n\n\nif __name__ == '__main__':\n    "
       "main()\n"},
      {"tools/run_server.py",
       "from core.inference.wrapper import Wrapper\nfrom core.model import Model\n\n\ndef main():\n    return "
       "Wrapper(Model()).run(1)\n\n\nif __name__ == '__main__':\n    main()\n"}};
  const std::string served = explain_of(files, with_edit(files, "core/model.py", "x * 2", "x * 3"));
  EXPECT_TRUE(says(served, "`Model.forward`: `tools/run_server.py` \u2192 `main`")) << served;
  const std::string trained = explain_of(files, with_edit(files, "core/model.py", "x + 1", "x + 2"));
  EXPECT_TRUE(says(trained, "`Model.forward`: `pretrain_model.py` \u2192 `main`")) << trained;
}

/// Who else calls the changed function, scripts too, and who calls its caller in the same runs.
TEST(WayEntries, OtherCallersAndThoseOfTheCallerAreTold) {
  const auto core = [](const std::string& value) {
    return "def save(x):\n    return x + " + value +
           "\n\n\ndef save_and_time(x):\n    print(x)\n    return save(x)\n\n\ndef decide(x):\n    if x % 10 == 0:\n   "
           "     "
           "save_and_time(x)\n\n\ndef train():\n    for x in range(100):\n        decide(x)\n        if x == 3:\n      "
           "      "
           "save_and_time(x)\n";
  };
  const std::string script = "from core import train\n\n\nif __name__ == '__main__':\n    train()\n";
  const std::string tool = "from core import save\n\nif __name__ == '__main__':\n    save(7)\n";
  const auto files = [&](const std::string& value) {
    return Files{{"core.py", core(value)}, {"train.py", script}, {"tools/convert.py", tool}};
  };
  const std::string text = explain_of(files("1"), files("2"));
  EXPECT_TRUE(says(text, "It is called, too, by `tools/convert.py:4`.")) << text;
  EXPECT_TRUE(says(text, "`save_and_time` is called, too, by `decide` (`core.py:12`).")) << text;
}

/// What people start, and which functions give the configuration that a class on the way is built from.
TEST(WayEntries, LaunchersAndGiversOfConfigurationsAreTold) {
  const auto files = [](const std::string& value) {
    return Files{{"run_train.sh", "torchrun -m lab.train --config ${CONFIG} \"$@\"\n"},
                 {"lab/__init__.py", ""},
                 {"lab/trainer.py",
                  "from dataclasses import dataclass\n\n\nclass Trainer:\n    @dataclass\n    class Config:\n        "
                  "steps: int = 1\n\n"
                  "    def __init__(self, config):\n        self.config = config\n\n    def train(self):\n        "
                  "return self.config.steps + " +
                      value + "\n"},
                 {"lab/registry.py",
                  "from lab.trainer import Trainer\n\n\ndef small():\n    return Trainer.Config(steps=2)\n\n\ndef "
                  "large():\n    return "
                  "Trainer.Config(steps=9)\n"},
                 {"lab/train.py",
                  "from lab.registry import large, small\nfrom lab.trainer import Trainer\n\n\ndef main(name):\n    "
                  "config = small() if "
                  "name == 'small' else large()\n    Trainer(config).train()\n\n\nif __name__ == '__main__':\n    "
                  "main('small')\n"}};
  };
  const std::string text = explain_of(files("1"), files("2"));
  EXPECT_TRUE(says(text,
                   "`run_train.sh` launches `lab/train.py`. A `Trainer.Config` comes from `small` "
                   "(`lab/registry.py:4`) and `large` (`lab/registry.py:8`)."))
      << text;
  Files alone = files("1");
  Files changed = files("2");
  for (Files* side : {&alone, &changed}) (*side)["run_train.sh"] = "torchrun -m lab.training\n";
  EXPECT_FALSE(says(explain_of(alone, changed), "launches"));
}

/// A function on the way that also calls the changed one itself is another caller.
TEST(WayEntries, ACallBesideTheWayFromAFunctionOnItIsNamed) {
  const auto script = [](const std::string& result) {
    return "import argparse\n\n\ndef report(x):\n    return " + result +
           "\n\n\ndef train():\n    return report(1)\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
           "    parser.add_argument('--final', action='store_true')\n    args = parser.parse_args()\n    train()\n"
           "    if args.final:\n        report(2)\n\n\nif __name__ == '__main__':\n    main()\n";
  };
  const std::string text = explain_of({{"run.py", script("x")}}, {{"run.py", script("x + 1")}});
  EXPECT_TRUE(says(text, "`train` (`run.py:8`) → `report` (`run.py:4`)")) << text;
  EXPECT_TRUE(says(text, "It is called, too, by `main` (`run.py:18`).")) << text;
}

}  // namespace
}  // namespace lockstep::render
