// Names that a change brings or takes away: told once, with where they go.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const char* const kBefore = R"(from dataclasses import dataclass


@dataclass
class Rollout:
    reward: float


def collect(rollouts):
    return [one.reward for one in rollouts]


def report(rewards):
    return sum(rewards)


def log(rollouts):
    return report(collect(rollouts))
)";

const char* const kAfter = R"(from dataclasses import dataclass


@dataclass
class Rollout:
    reward: float
    outcome: str = "ok"


def collect(rollouts):
    return [one.reward for one in rollouts if one.outcome == "ok"]


def report(rewards, statuses=None):
    return sum(rewards) + len(statuses or [])


def log(rollouts):
    return report(collect(rollouts), statuses=[one.outcome for one in rollouts])
)";

TEST(NewNames, WhatTiesThePiecesTogetherIsToldOnce) {
  const std::string text = explain_of({{"lib.py", kBefore}}, {{"lib.py", kAfter}});
  EXPECT_TRUE(says(text, "`outcome` is new: a field of `Rollout`; read in `collect` and `log`.")) << text;
  // Of two definitions each says what the other does.
  EXPECT_FALSE(says(text, "`statuses` is new:")) << text;
}

TEST(NewNames, WhatGoesIsToldSo) {
  const std::string text = explain_of({{"lib.py", kAfter}}, {{"lib.py", kBefore}});
  EXPECT_TRUE(says(text, "`outcome` is gone, formerly: a field of `Rollout`; read in `collect` and `log`.")) << text;
  EXPECT_FALSE(says(text, "is new:")) << text;
}

/// A word that the repository knows is not new, wherever it stands.
TEST(NewNames, AWordThatIsThereIsNotNew) {
  const Files other = {{"other.py", "# Each has an outcome.\n"}};
  Files before = other;
  before["lib.py"] = kBefore;
  Files after = other;
  after["lib.py"] = kAfter;
  const std::string text = explain_of(before, after);
  EXPECT_FALSE(says(text, "`outcome` is new")) << text;
}

/// What a method sets and another one calls is a value that is read.
TEST(NewNames, WhatIsCalledIsReadWhereSomethingSetsIt) {
  const std::string before =
      "class A:\n    def set(self, f):\n        pass\n\n    def run(self, x):\n        return x\n\n"
      "    def skip(self, x):\n        return x\n";
  const std::string after =
      replace_all(replace_all(before, "pass", "self.mixer = f"), "return x", "return self.mixer(x)");
  const std::string text = explain_of({{"lib.py", before}}, {{"lib.py", after}});
  EXPECT_TRUE(says(text, "`mixer` is new: set to `f` in `A.set`; read in `run` and `skip` of `A`")) << text;
}

TEST(NewNames, OneDefinitionTiesNothing) {
  const std::string before = "class A:\n    def f(self):\n        return 1\n";
  const std::string after = "class A:\n    def f(self):\n        self.count = 1\n        return self.count\n";
  EXPECT_FALSE(says(explain_of({{"lib.py", before}}, {{"lib.py", after}}), "`count` is new"));
}

TEST(NewNames, WhatANewClassKeepsForItselfIsNoName) {
  const std::string sync =
      "class Sync:\n    def __init__(self):\n        self._last_time = 0\n\n    def push(self):\n"
      "        self._last_time = 1\n\n    def wait(self):\n        return self._last_time\n";
  const std::string text = explain_of({{"a.py", kBefore}}, {{"a.py", kBefore}, {"sync.py", sync}});
  EXPECT_FALSE(says(text, "`_last_time` is new")) << text;
  const std::string read = sync + "\n\ndef report(sync):\n    return sync._last_time\n";
  const std::string shared = explain_of({{"a.py", kBefore}}, {{"a.py", kBefore}, {"sync.py", read}});
  EXPECT_TRUE(says(shared, "`_last_time` is new")) << shared;
}

/// What only sets a new name to a constant is told where the name is.
TEST(NewNames, ConstantsAreToldWithTheNameAndNotOnceMore) {
  const std::string before = R"(class Group:
    def __init__(self, size):
        self.size = size

    def reset(self):
        self.size = 0

    def finish(self, handle):
        handle.wait()
        return self.size
)";
  const std::string after = R"(class Group:
    def __init__(self, size):
        self.size = size
        self.is_done = False

    def reset(self):
        self.size = 0
        self.is_done = False

    def finish(self, handle):
        if self.is_done:
            return 0
        handle.wait()
        self.is_done = True
        return self.size
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(
      says(text,
           "`is_done` is new: set to `True` in `Group.finish`, to `False` in `__init__` and `reset` of `Group`; "
           "read in `Group.finish`."))
      << text;
  EXPECT_FALSE(says(text, "sets `self.is_done` to `False`")) << text;
}

TEST(NewNames, WhatSetsElementsDoesNotReadThem) {
  const std::string before =
      "class Views:\n    def __init__(self):\n        self.size = 1\n\n    def register(self, name):\n"
      "        return name\n\n    def fill(self, x):\n        return x\n\n    def find(self, name):\n"
      "        return name\n";
  const std::string after =
      "class Views:\n    def __init__(self):\n        self.size = 1\n        self._views = {}\n\n    def "
      "register(self, "
      "name):\n        self._views[name] = 1\n        return name\n\n    def fill(self, x):\n        "
      "self._views[x].copy_(x)\n        return x\n\n    def find(self, name):\n        return self._views[name]\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(
      says(text,
           "`_views` is new: set to `{}` in `Views.__init__`; elements set in `fill` and `register` of `Views`; "
           "read in `Views.find`."))
      << text;
}

/// What only a text names is the attribute of that name.
TEST(NewNames, GetattrReadsAndValuesAreToldWhereTheyAreShort) {
  const std::string before = R"(class Norm:
    def __init__(self, config):
        self.size = config.size


class Plain:
    def __init__(self):
        self.size = 1


class Layer:
    def __init__(self, norm):
        self.norm = norm
)";
  const std::string after = R"(class Norm:
    def __init__(self, config):
        self.size = config.size
        self.returns_pair = config.fuse


class Plain:
    def __init__(self):
        self.size = 1
        self.returns_pair = False


class Layer:
    def __init__(self, norm):
        self.norm = norm
        self.unpacks = getattr(norm, "returns_pair", False)
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "`returns_pair` is new: set to `config.fuse` in `Norm.__init__`, to `False` in `Plain.__init__`; "
                   "read in `Layer.__init__`."))
      << text;
}

/// Fields of one name in classes that have nothing to do with one another are no tie.
TEST(NewNames, FieldsOfSeveralClassesNeedMoreInCommonThanTheName) {
  const std::string before = "def plan(a):\n    return a\n";
  const std::string after = R"(from dataclasses import dataclass


@dataclass
class Rows:
    first_index: int


@dataclass
class Columns:
    first_index: int


def plan(a):
    return a.first_index
)";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_FALSE(says(text, "`first_index` is new")) << text;
}

/// What a method adds to is a value, too; a private attribute of another class is another one.
TEST(NewNames, PrivateNamesAreThoseOfTheirClassAndItsHeirs) {
  const std::string before =
      "class Pipe:\n    def run(self):\n        return 1\n\n    def reset(self):\n        return 2\n";
  const auto text_of = [&](const std::string& base) {
    return explain_of({{"a.py", before}},
                      {{"a.py",
                        "class Pipe:\n    _dropped_rows: int\n\n    def run(self):\n"
                        "        self._dropped_rows += 2\n        return 1\n\n    def reset(self):\n"
                        "        self._dropped_rows = 0\n        return 2\n\n\nclass Other" +
                            base +
                            ":\n    def __init__(self, x):\n        self._dropped_rows = x\n\n"
                            "    def rows(self):\n        return self._dropped_rows\n"}});
  };
  const std::string apart = text_of("");
  EXPECT_TRUE(says(apart, "set to `0` in `Pipe.reset`, to other values in `Pipe.run`")) << apart;
  EXPECT_FALSE(says(apart, "read in `Other.rows`")) << apart;
  const std::string heir = text_of("(Pipe)");
  EXPECT_TRUE(says(heir, "read in `Other.rows`")) << heir;
}

/// A flag that a module binds in both arms of a `try` has two values; a parameter that decides is more than read.
TEST(NewNames, BothValuesOfAFlagAndWhereAParameterDecides) {
  const std::string before =
      "import json\n\n\ndef send(x):\n    return json.dumps(x)\n\n\ndef run(x):\n    return send(x)\n";
  const std::string after =
      "import json\n\ntry:\n    import fastjson\n\n    HAVE_FAST = True\nexcept ImportError:\n    HAVE_FAST = "
      "False\n\n\n"
      "def send(x, use_fast=False):\n    if use_fast:\n        return fastjson.dumps(x)\n    return json.dumps(x)\n\n\n"
      "def run(x):\n    return send(x, use_fast=HAVE_FAST)\n\n\ndef more(x, settings):\n    settings.use_fast = True\n "
      "   "
      "return send(x, use_fast=settings.use_fast)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "`HAVE_FAST` (new, `a.py:6`): `True` where `fastjson` can be imported, else `False`."))
      << text;
  EXPECT_TRUE(says(text, "decides over a branch in `send`")) << text;
}

TEST(NewNames, WhatTheMessageOfAnUnchangedCheckNamesIsRead) {
  const std::string pipeline = R"(class Pipeline:
    def __init__(self):
        self.done = 0

    def drop(self):
        self.done += 1

    def check(self):
        assert self.done == 0, (
            f"got {self.done} "
            f"at the end"
        )
)";
  std::string after =
      replace_all(pipeline, "        self.done = 0\n", "        self.done = 0\n        self.dropped = 0\n");
  after = replace_all(after, "self.done += 1\n", "self.done += 1\n        self.dropped += 1\n");
  after = replace_all(after, "at the end", "({self.dropped} dropped)");
  const std::string text = explain_of({{"a.py", pipeline}}, {{"a.py", after}});
  EXPECT_TRUE(says(text,
                   "`dropped` is new: set to `0` in `Pipeline.__init__`, to other values in `Pipeline.drop`; read "
                   "in `Pipeline.check`"))
      << text;
}

}  // namespace
}  // namespace lockstep::render
