// Tests from which calls lead to a function, but which close a condition on the way by what they set.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kShard = R"(class Shard:
    def __init__(self, group):
        self.group = group
        self.handle = None
        self.total = 0

    def start(self):
        self.handle = self.group.start()

    def finish(self):
        if self.handle is not None:
            self.handle.wait()
            self.accumulate()

    def accumulate(self):
        return self.total
)";

std::string explain_accumulate(const std::string& test) {
  const std::string now = replace_all(kShard, "        return self.total\n",
                                      "        self.total = self.total + 1\n        return self.total\n");
  return explain_of({{"lib/shard.py", kShard}, {"tests/test_shard.py", test}},
                    {{"lib/shard.py", now}, {"tests/test_shard.py", test}});
}

std::string shard_test(const std::string& set_up, const std::string& more = {}) {
  return "from lib.shard import Shard\n\n\nclass TestDrain:\n    @staticmethod\n    def _make():\n"
         "        shard = Shard('group')\n        " +
         set_up +
         "\n        return shard\n\n    def test_nothing_to_wait_for(self):\n        shard = self._make()\n"
         "        shard.finish()\n" +
         more;
}

TEST(TestConditions, AHelperThatClosesTheConditionDoesNotLeadThere) {
  for (const std::string& set_up :
       {std::string("shard.handle = None"), std::string("setattr(shard, 'handle', None)")}) {
    const std::string text = explain_accumulate(shard_test(set_up));
    EXPECT_FALSE(says(text, "`Shard.accumulate`: Calls lead to it")) << text;
    EXPECT_TRUE(says(text, "`Shard.accumulate`: T") && says(text, "none was found that surely does")) << text;
  }
}

TEST(TestConditions, AnotherTestIsToldInstead) {
  const std::string text = explain_accumulate(
      shard_test("shard.handle = None", "\n\ndef test_waits():\n    shard = Shard('group')\n    shard.finish()\n"));
  EXPECT_TRUE(says(text, "`Shard.accumulate`: Calls lead to it from the test `test_waits`")) << text;
}

TEST(TestConditions, AnotherWayOfTheSameTestCounts) {
  const std::string text = explain_accumulate(shard_test("shard.handle = None", "        shard.accumulate()\n"));
  EXPECT_TRUE(says(text, "`Shard.accumulate`: Called in the test `test_nothing_to_wait_for`")) << text;
}

TEST(TestConditions, WhatTheTestReachesMaySetItAgain) {
  const std::string text = explain_accumulate(shard_test("shard.handle = None", "        shard.start()\n"));
  EXPECT_TRUE(says(text, "`Shard.accumulate`: Calls lead to it from the test `test_nothing_to_wait_for`")) << text;
}

TEST(TestConditions, WhatIsSetAfterTheCallDoesNotCloseIt) {
  const std::string text = explain_accumulate(
      "from lib.shard import Shard\n\n\ndef test_waits():\n    shard = Shard('group')\n    shard.finish()\n"
      "    shard.handle = None\n    shard.finish()\n");
  EXPECT_TRUE(says(text, "`Shard.accumulate`: Calls lead to it from the test `test_waits`")) << text;
}

TEST(TestConditions, WhatIsSetUnderAConditionDoesNotCloseIt) {
  const std::string text = explain_accumulate(
      "from lib.shard import Shard\n\n\ndef test_waits(some):\n    shard = Shard('group')\n    if some:\n"
      "        shard.handle = None\n    shard.finish()\n");
  EXPECT_TRUE(says(text, "`Shard.accumulate`: Calls lead to it from the test `test_waits`")) << text;
}

TEST(TestConditions, AnAttributeOfAnotherClassClosesNothing) {
  const std::string text = explain_accumulate(
      "from lib.shard import Shard\n\n\nclass Other:\n    def __init__(self):\n        self.handle = 1\n\n\n"
      "def test_waits():\n    other = Other()\n    other.handle = None\n    shard = Shard('group')\n    "
      "shard.finish()\n");
  EXPECT_TRUE(says(text, "`Shard.accumulate`: Calls lead to it from the test `test_waits`")) << text;
}

const std::string kTrain = R"(import argparse


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument('--with-rollouts', action='store_true')
    return parser.parse_args([])


def pretrain(args):
    train(args)


def train(args):
    if args.with_rollouts:
        collect()


def collect():
    gather()


def gather():
    connect()


def connect():
    warm_up()


def warm_up():
    start()


def start():
    return 1
)";

std::string explain_start(const std::string& more) {
  const std::string test = "from lib.train import parse, pretrain\n\n\ndef test_training():\n    args = parse()\n" +
                           more + "    pretrain(args)\n";
  const std::string setting =
      "from lib.train import parse, warm_up\n\n\ndef test_rollouts():\n    args = parse()\n"
      "    args.with_rollouts = True\n    assert args\n";
  const std::string now = replace_all(kTrain, "    return 1\n", "    value = 2\n    return value\n");
  return explain_of({{"lib/train.py", kTrain}, {"tests/test_train.py", test}, {"tests/test_rollouts.py", setting}},
                    {{"lib/train.py", now}, {"tests/test_train.py", test}, {"tests/test_rollouts.py", setting}});
}

TEST(TestConditions, ASettingThatTheTestLeavesUnsetClosesItsConditionHoweverFarItIs) {
  for (const std::string& more : {std::string(), std::string("    args.with_rollouts = False\n")}) {
    const std::string text = explain_start(more);
    EXPECT_FALSE(says(text, "`start`: The nearest test")) << text;
  }
  const std::string set = explain_start("    args.with_rollouts = True\n");
  EXPECT_TRUE(says(set, "`start`: The nearest test by the call graph, `test_training`")) << set;
}

// `flush` drains without accumulating, whatever the words in the file's comments, and however it imports `drain`.
TEST(TestConditions, AParameterThatIsNotGivenIsKnownThroughAGuardedImport) {
  const std::string before = R"(# Slots of a partial graph.
class Shard:
    def __init__(self):
        self.total = 0

    def finish(self, accumulate=False):
        if accumulate:
            self.add()

    def add(self):
        return self.total


def drain(shards, accumulate=False):
    shard = Shard()
    shard.finish(accumulate=accumulate)
)";
  const std::string graph = R"(from functools import partial

try:
    from lib.shard import drain
except ImportError:
    drain = None

order = partial(sorted, reverse=True)


def flush(shards):
    drain(shards)
)";
  const std::string test =
      "from lib.graph import flush\nfrom lib.shard import drain\n\n\ndef test_flush():\n    flush([1])\n\n\n"
      "def test_adds():\n    drain([1], accumulate=True)\n";
  const std::string after = replace_all(before, "        return self.total\n",
                                        "        self.total = self.total + 1\n        return self.total\n");
  const std::string text =
      explain_of({{"lib/shard.py", before}, {"lib/graph.py", graph}, {"tests/test_shard.py", test}},
                 {{"lib/shard.py", after}, {"lib/graph.py", graph}, {"tests/test_shard.py", test}});
  EXPECT_TRUE(says(text, "`Shard.add`: Calls lead to it from the test `test_adds`")) << text;
  EXPECT_FALSE(says(text, "test_flush")) << text;
}

const std::string kManager = R"(from dataclasses import dataclass


class BaseManager:
    enable: bool

    def wait(self):
        if not self.enable:
            return
        self._wait()

    def _wait(self):
        raise NotImplementedError


class Manager(BaseManager):
    @dataclass
    class Config:
        enable: bool = False
        folder: str = 'x'

    def __init__(self, config: Config, states):
        self.enable = config.enable
        self.states = states

    def _wait(self):
        return self.states
)";

/// What is said of `Manager._wait`, where a set-up makes a configuration that is on, and `test` is the test's body.
std::string explain_wait(const std::string& test, const std::string& more = {}) {
  const std::string file =
      "from lib.manager import Manager\n\n\nclass TestManager:\n    def setup_method(self):\n"
      "        self.config = Manager.Config(enable=True)\n\n    def test_wait(self):\n" +
      test + more;
  const std::string now = replace_all(kManager, "        return self.states\n",
                                      "        self.states = [self.states]\n        return self.states\n");
  return explain_of({{"lib/manager.py", kManager}, {"tests/test_manager.py", file}},
                    {{"lib/manager.py", now}, {"tests/test_manager.py", file}});
}

TEST(TestConditions, WhatTheTestGivesAConfigurationThatAnAttributeHoldsCloses) {
  for (const std::string& made :
       {std::string("Manager.Config(enable=False)"), std::string("Manager.Config(folder='y')")}) {
    const std::string text = explain_wait("        config = " + made +
                                          "\n        manager = Manager(config=config, states=1)\n"
                                          "        manager.wait()\n");
    EXPECT_FALSE(says(text, "`Manager._wait`: Calls lead to it")) << text;
    EXPECT_TRUE(says(text, "`Manager._wait`: T") && says(text, "none was found that surely does")) << text;
  }
}

TEST(TestConditions, WhatOpensTheAttributeOrIsNotKnownClosesNothing) {
  for (const std::string& body : {std::string("        manager = Manager(Manager.Config(enable=True), 1)\n"),
                                  std::string("        manager = Manager(self.config, 1)\n"),
                                  std::string("        config = Manager.Config()\n        config.enable = True\n"
                                              "        manager = Manager(config, 1)\n"),
                                  std::string("        off = Manager(Manager.Config(), 1)\n        assert off\n"
                                              "        manager = Manager(self.config, 1)\n")}) {
    const std::string text = explain_wait(body + "        manager.wait()\n");
    EXPECT_TRUE(says(text, "`Manager._wait`: Calls lead to it from the test `test_wait`")) << text;
  }
}

TEST(TestConditions, ATestWhoseConfigurationIsOnIsToldInstead) {
  const std::string text = explain_wait("        manager = Manager(Manager.Config(), 1)\n        manager.wait()\n",
                                        "\n    def test_on(self):\n        manager = Manager(self.config, 1)\n"
                                        "        manager.wait()\n");
  EXPECT_TRUE(says(text, "`Manager._wait`: Calls lead to it from the test `test_on`")) << text;
}

const std::string kSwitched = R"(from dataclasses import dataclass, replace


@dataclass
class Config:
    use_fusion: bool = False


class Layer:
    def __init__(self, config: Config):
        FIRST
        self.on = config.use_fusion

    def run(self, x):
        if self.on:
            return self.fused(x)
        return x

    def fused(self, x):
        return x


def activate(layer):
    layer.on = True


def size_of(layer):
    return layer.on
)";

/// What is said of `Layer.fused`, where its constructor begins with `first`, and a test goes on with `more`.
std::string explain_fused(const std::string& first, const std::string& more) {
  const std::string before = replace_all(kSwitched, "FIRST", first);
  const std::string now =
      replace_all(before, "    def fused(self, x):\n", "    def fused(self, x):\n        x = x + 1\n");
  const std::string test =
      "from lib.layer import Config, Layer, activate, size_of\n\n\ndef test_run():\n"
      "    layer = Layer(Config(use_fusion=False))\n    " +
      more + "\n    layer.run(1)\n";
  return explain_of({{"lib/layer.py", before}, {"tests/test_layer.py", test}},
                    {{"lib/layer.py", now}, {"tests/test_layer.py", test}});
}

TEST(TestConditions, AnAttributeThatTheTestsCallsSwitchOnIsNotClosed) {
  const std::string leads = "`Layer.fused`: Calls lead to it from the test `test_run`";
  const std::string closed = explain_fused("self.config = config", "size_of(layer)");
  EXPECT_FALSE(says(closed, leads)) << closed;
  for (const auto& [first, more] : std::vector<std::pair<std::string, std::string>>{
           {"self.config = config", "activate(layer)"},
           {"config.use_fusion = True", "size_of(layer)"},
           {"config = replace(config, use_fusion=True)", "size_of(layer)"}}) {
    const std::string text = explain_fused(first, more);
    EXPECT_TRUE(says(text, leads)) << first << more << text;
  }
}

const std::string kLoad = R"(def load(folder, kind, quiet=False):
    return read(folder, kind)


def read(folder, kind):
    if kind == 'dist':
        return read_dist(folder)
    return None


def read_dist(folder):
    return [folder]
)";

std::string explain_read(const std::string& test) {
  const std::string now = replace_all(kLoad, "    return [folder]\n", "    folders = [folder]\n    return folders\n");
  const std::string file = "import pytest\n\nfrom lib.load import load\n\n\n" + test;
  return explain_of({{"lib/load.py", kLoad}, {"tests/test_load.py", file}},
                    {{"lib/load.py", now}, {"tests/test_load.py", file}});
}

TEST(TestConditions, WhatATestIsParametrizedWithClosesAConditionOnAParameterThatIsHandedOn) {
  for (const std::string& values : {std::string("'kind', ['torch', 'dcp']"), std::string("'kind', ['torch']"),
                                    std::string("'kind,n', [('torch', 1), pytest.param('dcp', 2)]"),
                                    std::string("('n', 'kind'), [(1, 'torch')]")}) {
    const std::string text =
        explain_read("@pytest.mark.parametrize(" + values + ")\ndef test_load(kind):\n    load('x', kind)\n");
    EXPECT_FALSE(says(text, "`read_dist`: Calls lead to it")) << text;
  }
  for (const std::string& values : {std::string("'kind', ['torch', 'dist']"), std::string("'kind', KINDS"),
                                    std::string("'kind', ['torch', pytest.param('dist', id='d')]")}) {
    const std::string text =
        explain_read("@pytest.mark.parametrize(" + values + ")\ndef test_load(kind):\n    load('x', kind)\n");
    EXPECT_TRUE(says(text, "`read_dist`: Calls lead to it from the test `test_load`")) << text;
  }
  const std::string constant = explain_read("def test_load():\n    load('x', kind='torch')\n");
  EXPECT_FALSE(says(constant, "`read_dist`: Calls lead to it")) << constant;
  const std::string both = explain_read("def test_load():\n    load('x', 'torch')\n    load('x', 'dist')\n");
  EXPECT_TRUE(says(both, "`read_dist`: Calls lead to it from the test `test_load`")) << both;
}

TEST(TestConditions, ManyCallersOfManyCallersAreAskedOnce) {
  constexpr int kCallers = 40;
  std::string code = kLoad;
  std::string test = "from lib import load\n\n\ndef test_load():\n";
  for (const std::string& level : {std::string("read"), std::string("first"), std::string("second")}) {
    const std::string next = level == "read" ? "first" : level == "first" ? "second" : "third";
    for (int i = 0; i < kCallers - 1; ++i) {
      code += "\n\ndef " + next + std::to_string(i) + "(kind):\n";
      if (level == "read") code += "    read('x', kind)\n";
      for (int k = 0; k < kCallers - 1 && level != "read"; ++k) code += "    " + level + std::to_string(k) + "(kind)\n";
    }
  }
  // Others call them, too, far from what the test reaches.
  constexpr int kFar = 100;
  for (int i = 0; i < kCallers - 10; ++i) {
    code += "\n\ndef idle" + std::to_string(i) + "():\n";
    for (int k = 0; k < kCallers - 1; ++k) code += "    third" + std::to_string(k) + "('dist')\n";
  }
  for (int i = 0; i < kFar; ++i) {
    code += "\n\ndef far" + std::to_string(i) + "():\n";
    for (int k = 0; k < kCallers - 10; ++k) code += i > 0 ? "" : "    idle" + std::to_string(k) + "()\n";
    if (i > 0) code += "    far" + std::to_string(i - 1) + "()\n";
  }
  for (int i = 0; i < kCallers - 1; ++i) test += "    load.third" + std::to_string(i) + "('torch')\n";
  const std::string now = replace_all(code, "    return [folder]\n", "    folders = [folder]\n    return folders\n");
  const std::string text = explain_of({{"lib/load.py", code}, {"tests/test_load.py", test}},
                                      {{"lib/load.py", now}, {"tests/test_load.py", test}});
  EXPECT_FALSE(says(text, "`read_dist`: Calls lead to it")) << text;
  EXPECT_TRUE(says(text, "The test `test_load`")) << text;
}

TEST(TestConditions, AVariableOfTheNameOfWhatATestIsParametrizedWithMakesTheWayUnsure) {
  const std::string before = R"(def load(folder):
    kind = open(folder).read()
    if kind == 'dist':
        return read_dist(folder)
    return None


def read_dist(folder):
    return [folder]
)";
  const auto text_with = [&](const std::string& values) {
    const std::string test = "import pytest\n\nfrom lib.load import load\n\n\n@pytest.mark.parametrize('kind', " +
                             values + ")\ndef test_load(kind):\n    load(kind)\n";
    const std::string now =
        replace_all(before, "    return [folder]\n", "    folders = [folder]\n    return folders\n");
    return explain_of({{"lib/load.py", before}, {"tests/test_load.py", test}},
                      {{"lib/load.py", now}, {"tests/test_load.py", test}});
  };
  const std::string other = text_with("['torch']");
  EXPECT_TRUE(says(other, "`read_dist`: T") && says(other, "none was found that surely does")) << other;
  EXPECT_FALSE(says(other, "NOT TESTED: no test function")) << other;
  const std::string one = text_with("['dist', 'torch']");
  EXPECT_TRUE(says(one, "`read_dist`: Calls lead to it from the test `test_load`")) << one;
}

const std::string kOptimizer = R"(from dataclasses import dataclass


@dataclass
class OptimizerConfig:
    optimizer: str = 'adam'


class Trainer:
    def __init__(self, config: OptimizerConfig):
        self.built = build(config)

    def replace_optimizer(self, optimizer):
        self.optimizer = optimizer

    def state(self):
        self.replace_optimizer(None)
        return {'optimizer': self.built}


def parse(args):
    args.optimizer = 'muon'
    return args


def build(config: OptimizerConfig):
    if config.optimizer not in ('adam', 'sgd'):
        return build_emerging(config)
    return None


def build_emerging(config):
    return start(config)


def start(config):
    return [config]
)";

std::string explain_optimizer(const std::string& body) {
  const std::string now =
      replace_all(kOptimizer, "    return [config]\n", "    configs = [config]\n    return configs\n");
  const std::string file = "from lib.optimizer import OptimizerConfig, Trainer, parse\n\n\ndef test_build(args):\n" +
                           body + "    print('the optimizer is built')\n";
  return explain_of({{"lib/optimizer.py", kOptimizer}, {"tests/test_optimizer.py", file}},
                    {{"lib/optimizer.py", now}, {"tests/test_optimizer.py", file}});
}

TEST(TestConditions, AnAttributeOfThatNameOfOtherObjectsSaysNothingOfASetting) {
  const std::string text = explain_optimizer(
      "    parse(args)\n    config = OptimizerConfig(optimizer='adam')\n    trainer = Trainer(config)\n"
      "    trainer.state()\n");
  EXPECT_FALSE(says(text, "`start`: Calls lead to it")) << text;
  EXPECT_FALSE(says(text, "`start`: The nearest test")) << text;
  const std::string muon = explain_optimizer(
      "    config = OptimizerConfig(optimizer='muon')\n    trainer = Trainer(config)\n    trainer.state()\n");
  EXPECT_TRUE(says(muon, "`test_build`")) << muon;
  EXPECT_FALSE(says(muon, "none was found that surely")) << muon;
}

}  // namespace
}  // namespace lockstep::render
