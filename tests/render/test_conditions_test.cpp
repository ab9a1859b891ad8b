// Tests from which calls lead to a function, but which close a condition on the way by what they set.
#include <gtest/gtest.h>

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
    EXPECT_TRUE(says(text, "`Shard.accumulate`: No test was found that surely leads to it")) << text;
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

}  // namespace
}  // namespace lockstep::render
