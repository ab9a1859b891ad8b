// Which ways lead to a change, and which tests reach it: each on a change small enough to see what would be false.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/review/summary.h"

namespace lockstep::render {
namespace {

const char* const kLoading = R"(def load(path, quick=False, plan=None):
    """Load it."""
    return load_all(path, quick, plan)


def load_all(path, quick, plan):
    """Load all of it."""
    if quick:
        return None
    if plan is None:
        raise ValueError("no plan")
    return read(path)


def read(path):
    """Read it."""
    return path


def peek(path):
    """Look at it."""
    return load(path, quick=True)


def restore(path, plan):
    """Bring it back."""
    return load(path, plan=plan)
)";

TEST(Ways, AMethodThatALibraryCalls) {
  const std::string was =
      "from torch.distributed.checkpoint import DefaultLoadPlanner\n\n\n"
      "class Planner(DefaultLoadPlanner):\n"
      "    def __init__(self, strict):\n        super().__init__()\n        self.strict = strict\n\n"
      "    def resolve_tensor(self, item):\n        return super().resolve_tensor(item)\n\n\n"
      "def load(path):\n    return checkpoint.load(path, planner=Planner(True))\n";
  std::string now = was;
  now.replace(now.find("return super().resolve_tensor(item)"), 6, "self.seen += 1\n        return");
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text,
                   "The call graph finds no call of `Planner.resolve_tensor`; its class derives from "
                   "`torch.distributed.checkpoint.DefaultLoadPlanner`, and that library may call it. Objects of "
                   "the class are made in `load` (`a.py:15`)."))
      << text;
}

TEST(Facts, AConstantThatTheCodeRefusesIsNoWay) {
  Files before = {{"lib.py", kLoading},
                  {"pretrain.py", "import lib\n\nif __name__ == \"__main__\":\n    lib.peek(1)\n    lib.start(1)\n"}};
  before["lib.py"] +=
      "\n\ndef start(path):\n    \"\"\"Start.\"\"\"\n    return resume(path)\n\n\n"
      "def resume(path):\n    \"\"\"Go on.\"\"\"\n    return restore(path, {})\n";
  Files after = before;
  after["lib.py"].replace(after["lib.py"].find("    return path\n"), 16, "    return path + 1\n");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "each `read`: `pretrain.py` → ")) << text;
  EXPECT_TRUE(says(text, "`restore` (`lib.py:")) << text;
  EXPECT_FALSE(says(text, "`peek`")) << text;
}

TEST(Facts, AStubOfOneTestIsNoWayFromOthers) {
  const Files before = {
      {"lib.py", "def step(function):\n    return function(1)\n\n\ndef helper(x):\n    return x\n"},
      {"tests/test_one.py",
       "import lib\n\n\ndef stub(x):\n    return lib.helper(x)\n\n\ndef test_one():\n    lib.step(stub)\n"},
      {"tests/test_two.py", "import lib\n\n\ndef test_two():\n    lib.step(print)\n"}};
  Files after = before;
  after["lib.py"] = replace_all(after["lib.py"], "    return x\n", "    return x + 1\n");
  const std::string text = explain_of(before, after);
  EXPECT_FALSE(says(text, "test_two")) << text;
  EXPECT_FALSE(says(text, "`step` (`lib.py:1`)")) << text;
}

TEST(Facts, TheOutermostSettingOnTheWayIsTold) {
  const Files before = {
      {"run.py",
       "import argparse\n\nimport lib\n\n\ndef main(args):\n    if args.replay:\n        lib.one(args)\n"
       "\n\nif __name__ == \"__main__\":\n    parser = argparse.ArgumentParser()\n"
       "    parser.add_argument(\"--replay\", action=\"store_true\")\n    main(parser.parse_args())\n"},
      {"lib.py",
       "def one(x):\n    return two(x)\n\n\ndef two(x):\n    return three(x)\n\n\ndef three(x):\n"
       "    return four(x)\n\n\ndef four(x):\n    return five(x)\n\n\ndef five(x):\n    return 1\n"}};
  Files after = before;
  after["lib.py"] = replace_all(after["lib.py"], "    return 1\n", "    return 2\n");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "This way is taken when `args.replay` is set (`run.py:7`).")) << text;
}

TEST(Facts, SharedCodeOfTwoClassesGoesOnInTheClassThatEnteredIt) {
  const Files before = {{"lib.py", R"(class Mixin:
    def run(self, x):
        return self.step(x)


class First(Mixin):
    def forward(self, x):
        return self.run(x)

    def step(self, x):
        return x


class Second(Mixin):
    def forward(self, x):
        return other(self.run(x))

    def step(self, x):
        return x + 2


def other(x):
    return x
)"},
                        {"pretrain.py", R"(from lib import First, Second


def main():
    First().forward(1)
    make()


def make():
    Second().forward(1)


if __name__ == "__main__":
    main()
)"}};
  Files after = before;
  after["lib.py"] = replace_all(after["lib.py"], "x + 2", "x + 3");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "`Second.forward` (`lib.py:15`) → `Mixin.run` (`lib.py:2`) → `Second.step`")) << text;
  EXPECT_FALSE(says(text, "`First.forward`")) << text;
}

TEST(Facts, ATestThatIsSwitchedOffOrOnlyCommentsTestsNothing) {
  const auto tests_of = [](const std::string& test) {
    const std::string start = "import pytest\nimport unittest\nfrom a import pool_tokens\n\n\n";
    return dive_of({{"a.py", "def pool_tokens(x):\n    return x\n"}, {"tests/test_a.py", start + test}},
                   {{"a.py", "def pool_tokens(x):\n    return x + 1\n"}, {"tests/test_a.py", start + test}});
  };
  const std::string call = "def test_pool():\n    assert pool_tokens(1) == 2\n";
  const std::string runs = tests_of(call);
  EXPECT_TRUE(says(runs, "Called in the test `test_pool`")) << runs;
  for (const std::string_view other_skip :
       {"def test_pool(reader):\n    reader.skip(3)\n    assert pool_tokens(1) == 2\n",
        "def test_pool(case):\n    case.skipTest('later')\n    assert pool_tokens(1) == 2\n",
        "@reader.skip\ndef test_pool():\n    assert pool_tokens(1) == 2\n"}) {
    const std::string text = tests_of(std::string(other_skip));
    EXPECT_TRUE(says(text, "Called in the test `test_pool`")) << text;
  }
  const std::string conditional = tests_of("@pytest.mark.skipif(IS_SLOW, reason='slow')\n" + call);
  EXPECT_TRUE(says(conditional, "Called in the test `test_pool`")) << conditional;
  for (const std::string& off :
       {"@pytest.mark.skip\n" + call, "@pytest.mark.skipif(True, reason='slow')\n" + call,
        "IS_SLOW = True\n\n\n@pytest.mark.skipif(IS_SLOW, reason='slow')\n" + call,
        "@pytest.mark.skip(reason='broken')\n" + call, "@unittest.skip('broken')\n" + call,
        "from pytest import mark, skip\n\n\n@mark.skip\n" + call,
        "from unittest import skip\n\n\n@skip('broken')\n" + call,
        std::string("class TestPool(unittest.TestCase):\n    def test_pool(self):\n        self.skipTest('broken')\n"
                    "        pool_tokens(1)\n"),
        std::string("def test_pool():\n    raise unittest.SkipTest('broken')\n    pool_tokens(1)\n"),
        "pytestmark = [pytest.mark.skip]\n\n\n" + call, "pytestmark = pytest.mark.skip(reason='broken')\n\n\n" + call,
        std::string("def test_pool():\n    \"\"\"Pools.\"\"\"\n    pytest.skip('broken')\n    pool_tokens(1)\n"),
        std::string("@pytest.mark.skip\nclass TestPool:\n    def test_pool(self):\n        pool_tokens(1)\n")}) {
    const std::string text = tests_of(off);
    EXPECT_TRUE(
        says(text, "NOT TESTED: no test function that is not skipped was found that reaches it by the call graph"))
        << text;
    EXPECT_FALSE(says(text, "Called in")) << text;
  }
  for (const std::string_view only_told :
       {"def test_other():\n    # pool_tokens is left for later\n    assert True\n",
        "def test_other():\n    \"\"\"Unlike pool_tokens(x).\"\"\"\n    assert True\n",
        "def test_other():\n    values = [\n        1,  # as pool_tokens has it\n    ]\n    assert values\n"}) {
    const std::string text = tests_of(std::string(only_told));
    EXPECT_TRUE(says(text, "NOT TESTED: no test function was found that reaches it")) << text;
  }
  for (const std::string_view names : {"def test_other():\n    assert getattr(unittest, 'x#y', 'pool_tokens')\n",
                                       "def test_other():\n    mock.check('#1', pool_tokens)\n"}) {
    const std::string named = tests_of(std::string(names));
    EXPECT_TRUE(says(named, "it is named in the test `test_other`")) << named;
  }
}

/// A library that only this script calls; enough other files that "mimo" tells it from them.
Files library_of(const std::string& script) {
  Files files = {{"pkg/mimo/lib.py", "def pool(x):\n    return x\n"},
                 {script, "from pkg.mimo import lib\n\nif __name__ == \"__main__\":\n    lib.pool(1)\n"}};
  for (int i = 0; i < 20; ++i) files[fmt::format("pkg/part{}/file.py", i)] = "X = 1\n";
  return files;
}

TEST(Facts, AWayOfAnExampleIsSaidToBeOne) {
  for (const std::string script : {"examples/mimo/train.py", "examples/other/train.py"}) {
    const Files before = library_of(script);
    const std::string text = explain_of(before, with_edit(before, "pkg/mimo/lib.py", "return x", "return x + 1"));
    EXPECT_TRUE(says(text, "By the call graph only examples and tools lead to `pool`: `" + script + "`")) << text;
  }
  const Files run = library_of("train.py");
  const std::string text = explain_of(run, with_edit(run, "pkg/mimo/lib.py", "return x", "return x + 1"));
  EXPECT_TRUE(says(text, "Runs reach `pool`: `train.py`")) << text;
}

/// Scripts that fill a table which shared code calls through: by the call graph each leads to what any put there.
std::string table_script(const std::string& fills) {
  return "import table\n" + fills + "\n\ndef main():\n    table.run(1)\n\n\nif __name__ == \"__main__\":\n    main()\n";
}
const char* const kTable = "ALL = []\n\n\ndef run(x):\n    for each in ALL:\n        each(x)\n";

TEST(Facts, AScriptThatDoesNotLoadTheCodeDoesNotLeadThere) {
  Files before = {{"table.py", kTable},
                  {"wide.py", "def pool(x):\n    return x\n"},
                  {"train_wide.py", table_script("import wide\n\ntable.ALL.append(wide.pool)\n")}};
  for (const int others : {1, 45}) {
    for (int i = 0; i < others; ++i)
      before[fmt::format("train_narrow_{}.py", i)] = table_script("\ntable.ALL.append(print)\n");
    const std::string text = explain_of(before, with_edit(before, "wide.py", "return x", "return x + 1"));
    EXPECT_TRUE(says(text, "reach `pool`: `train_wide.py`")) << text;
    EXPECT_FALSE(says(text, "more script")) << text;
    EXPECT_FALSE(says(text, "train_narrow")) << text;
  }
}

TEST(Facts, OnlyCodeThatNothingImportsIsLoadedByItsPath) {
  const auto text_of = [](const std::string& importer) {
    Files before = {{"table.py", kTable},
                    {"wide.py", "import table\n\n\ndef pool(x):\n    return x\n\n\ntable.ALL.append(pool)\n"},
                    {"train_narrow.py", table_script("\ntable.ALL.append(print)\n")}};
    if (!importer.empty()) before[importer] = "import wide\n";
    return explain_of(before, with_edit(before, "wide.py", "return x", "return x + 1"));
  };
  for (const std::string& importer : {std::string(), std::string("tests/test_wide.py")}) {
    const std::string text = text_of(importer);
    EXPECT_TRUE(says(text, "Runs can reach `pool`: `train_narrow.py`")) << text;
  }
  EXPECT_FALSE(says(text_of("plugin.py"), "`train_narrow.py`"));
}

TEST(Facts, AllScriptsThatLoadTheCodeAreCounted) {
  constexpr int kScripts = 47;
  Files before = {{"lib.py", "def pool(x):\n    return x\n"}};
  for (int i = 0; i < kScripts; ++i)
    before[fmt::format("run_{}.py", i)] = "import lib\n\nif __name__ == \"__main__\":\n    lib.pool(1)\n";
  const std::string text = explain_of(before, with_edit(before, "lib.py", "return x", "return x + 1"));
  EXPECT_TRUE(says(text, fmt::format("{} more scripts lead there.", kScripts - 1))) << text;
  const Files two = {{"lib.py", before["lib.py"]}, {"run_1.py", before["run_1.py"]}, {"run_2.py", before["run_2.py"]}};
  const std::string one_more = explain_of(two, with_edit(two, "lib.py", "return x", "return x + 1"));
  EXPECT_TRUE(says(one_more, "1 more script leads there.")) << one_more;
}

TEST(Facts, ACountOfScriptsIsToldOnlyWhereItIsComplete) {
  Files before = {{"lib.py", "def pool(x):\n    return x\n"},
                  {"table.py", kTable},
                  {"fill.py", "import lib\nimport table\n\ntable.ALL.append(lib.pool)\n"},
                  // What it calls may be the function, though it does not load it.
                  {"far.py", table_script("\ntable.ALL.append(print)\n")}};
  const auto add = [&](int i) {
    before[fmt::format("run_{}.py", i)] = "import lib\n\nif __name__ == \"__main__\":\n    lib.pool(1)\n";
    return explain_of(before, with_edit(before, "lib.py", "return x", "return x + 1"));
  };
  add(1);
  const std::string one = add(2);
  EXPECT_TRUE(says(one, "At least one other script can lead there, too.")) << one;
  const std::string two = add(3);
  EXPECT_TRUE(says(two, " Other scripts can lead there, too.")) << two;
  EXPECT_FALSE(says(two, "more script")) << two;
}

TEST(Facts, ASkippedTestHidesNoneThatRuns) {
  const std::string pool =
      "class Pool:\n    def __init__(self, size):\n        self.size = size\n\n    def drain(self, x):\n"
      "        return x\n\n\ndef make(size):\n    def inner_step(x):\n        return x * size\n\n"
      "    return inner_step\n";
  const std::string start = "import pytest\nfrom a import Pool, make\n\n\n";
  const std::string off = "@pytest.mark.skip\ndef test_off():\n    Pool(1).drain(2)\n    make(1)(2)\n";
  const Files before = {
      {"a.py", pool},
      {"tests/test_a.py", start + off + "\n\ndef test_on():\n    assert Pool(1)\n    assert make(2)\n"}};
  const std::string method = dive_of(before, with_edit(before, "a.py", "        return x\n", "        return x + 1\n"));
  EXPECT_TRUE(says(method, "The test `test_on`")) << method;
  EXPECT_FALSE(says(method, "NOT TESTED")) << method;
  const std::string inner = dive_of(before, with_edit(before, "a.py", "x * size", "x + size"));
  EXPECT_TRUE(says(inner, "The test `test_on`")) << inner;
  EXPECT_FALSE(says(inner, "NOT TESTED")) << inner;
  const Files only_off = {{"a.py", pool}, {"tests/test_a.py", start + off}};
  const std::string none = dive_of(only_off, with_edit(only_off, "a.py", "        return x\n", "        return 1\n"));
  EXPECT_TRUE(says(none, "NOT TESTED")) << none;
}

TEST(Facts, AHelperIsToldFromItsNamesakes) {
  const auto summary_of = [](const std::string& module) {
    const std::string helper = "def make_batch_of(x):\n    return x\n";
    const Files before = {
        {"wide/common.py", helper},
        {"narrow/other.py", helper},
        {"tests/test_a.py", "def test_named():\n    assert getattr(" + module + ", 'make_batch_of')\n"}};
    const Files after = with_edit(before, "wide/common.py", "return x", "return x + 1");
    return render_markdown(report::write_summary(make_fixture(before, after, "Change it")->inputs).document);
  };
  const std::string other = summary_of("other");
  EXPECT_TRUE(says(other, "No test was found that reaches it.")) << other;
  const std::string own = summary_of("common");
  EXPECT_TRUE(says(own, "Named by the test `test_named`.")) << own;
}

TEST(Facts, NobodyAsksWhichTestReachesAScriptAmongThem) {
  const Files before = {
      {"tests/launch.py", "def launch(n):\n    return n\n\n\nif __name__ == \"__main__\":\n    launch(3)\n"}};
  const Files after = with_edit(before, "tests/launch.py", "return n\n", "return n + 1\n");
  const std::string text =
      render_markdown(report::write_summary(make_fixture(before, after, "Change it")->inputs).document);
  EXPECT_TRUE(says(text, "`launch` (`tests/launch.py:1`), changed.")) << text;
  EXPECT_FALSE(says(text, "No test was found")) << text;
}

TEST(Facts, AWayAsideIsTakenLast) {
  for (const std::string aside : {"run_cuda_graph", "run_cudagraph", "make_fwd_graph", "evaluate_all"}) {
    const std::string after = "    return x\n";
    const std::string lib = "def pool(x):\n" + after + "\n\ndef " + aside + "(x):\n    return pool(x)\n\n\n" +
                            "def run_steps(x):\n    return run_more(x)\n\n\ndef run_more(x):\n    return pool(x)\n";
    const Files before = {
        {"lib.py", lib},
        {"train.py", "import lib\n\n\ndef main():\n    lib." + aside +
                         "(1)\n    lib.run_steps(1)\n\n\nif __name__ == \"__main__\":\n    main()\n"}};
    const std::string text = explain_of(before, with_edit(before, "lib.py", after, "    return x + 1\n"));
    EXPECT_TRUE(says(text, "→ `run_more` (`lib.py:13`) → `pool`")) << text;
    EXPECT_FALSE(says(text, "→ `" + aside + "`")) << text;
  }
}

TEST(Facts, AWordThatNamesNoSubjectMakesNoKin) {
  const auto way_of = [](const std::string& folder) {
    const std::string script = "from pkg." + folder + " import lib\n\nif __name__ == \"__main__\":\n    lib.pool(1)\n";
    Files before = {{"pkg/" + folder + "/lib.py", "def pool(x):\n    return x\n"},
                    {"pretrain.py", script},
                    {"run_" + folder + ".py", script},
                    {"README.md", "Start with `pretrain.py`.\n"}};
    for (int i = 0; i < 20; ++i) before[fmt::format("pkg/part{}/file.py", i)] = "X = 1\n";
    return explain_of(before, with_edit(before, "pkg/" + folder + "/lib.py", "return x", "return x + 1"));
  };
  const std::string subject = way_of("mimo");
  EXPECT_TRUE(says(subject, "Runs reach `pool`: `run_mimo.py` →")) << subject;
  for (const std::string_view common : {"core", "training", "utils"}) {
    const std::string text = way_of(std::string(common));
    EXPECT_TRUE(says(text, "Runs reach `pool`: `pretrain.py` →")) << text;
  }
}

TEST(Facts, AFunctionThatCallsWhatItIsGivenGoesOnToThat) {
  const Files before = {{"lib.py", R"(def build(kind, size):
    return kind(size)


class Stack:
    def __init__(self, size):
        self.block = build(Block, size)


class Block:
    def __init__(self, size):
        self.layer = build(Layer, size)


class Layer:
    def __init__(self, size):
        self.size = size
)"},
                        {"train.py", R"(import lib


def main():
    lib.build(lib.Stack, 1)


if __name__ == "__main__":
    main()
)"}};
  const std::string text = explain_of(before, with_edit(before, "lib.py", "self.size = size", "self.size = size + 1"));
  EXPECT_TRUE(says(text, "→ `Block.__init__` (`lib.py:11`) → `build` (`lib.py:1`) → `Layer.__init__`")) << text;
  EXPECT_FALSE(says(text, "→ `Stack.__init__` (`lib.py:6`) → `build` (`lib.py:1`) → `Layer.__init__`")) << text;
  EXPECT_FALSE(says(text, "`main` (`train.py:4`) → `build` (`lib.py:1`) → `Layer.__init__`")) << text;
}

/// An engine that drafts where its configuration asks for it, and scripts that make one.
Files drafting_engine() {
  return {{"lib.py", R"(from dataclasses import dataclass


@dataclass
class EngineConfig:
    size: int = 8
    drafts: int = 0


class Engine:
    def __init__(self, config: EngineConfig):
        self.drafts = config.drafts

    def run(self, x):
        if self.drafts > 0:
            return draft(x)
        return x


def draft(x):
    return x + 2
)"},
          {"serve_plain.py", R"(from lib import Engine, EngineConfig


def main():
    Engine(EngineConfig(size=4)).run(1)


if __name__ == "__main__":
    main()
)"},
          {"serve_with_drafts.py", R"(from lib import Engine, EngineConfig


def main(args):
    start(args)


def start(args):
    make(args).run(1)


def make(args):
    return Engine(EngineConfig(drafts=args.drafts))


if __name__ == "__main__":
    main(None)
)"}};
}

TEST(Facts, ASettingThatAScriptNeverSetsClosesItsWay) {
  const Files both = drafting_engine();
  const std::string text = explain_of(both, with_edit(both, "lib.py", "return x + 2", "return x + 3"));
  EXPECT_TRUE(says(text, "Runs can reach `draft`: `serve_with_drafts.py` →")) << text;
  EXPECT_TRUE(says(text, "This way is taken when `self.drafts` is more than `0` (`lib.py:15`).")) << text;
  EXPECT_FALSE(says(text, "serve_plain")) << text;
  EXPECT_FALSE(says(text, "more script")) << text;
  Files stored = both;
  stored.erase("serve_with_drafts.py");
  stored["serve_plain.py"] =
      replace_all(stored["serve_plain.py"], "Engine(EngineConfig(size=4)).run(1)",
                  "config = EngineConfig(size=4)\n    config.drafts = 2\n    Engine(config).run(1)");
  const std::string set_later = explain_of(stored, with_edit(stored, "lib.py", "return x + 2", "return x + 3"));
  EXPECT_TRUE(says(set_later, "Runs can reach `draft`: `serve_plain.py` →")) << set_later;
}

TEST(Facts, AScriptDoesNotRunMethodsOfClassesThatItDoesNotMake) {
  const Files before = {{"lib.py", R"(class Plain:
    def run(self, x):
        return x


class Fast:
    def run(self, x):
        return x + 2


class Model:
    def __init__(self, part):
        self.part = part

    def step(self, x):
        return self.part.run(x)


def make_fast():
    return Model(Fast())
)"},
                        {"train_plain.py", R"(from lib import Model, Plain


def main():
    Model(Plain()).step(1)


if __name__ == "__main__":
    main()
)"},
                        {"train_quickly.py", R"(from lib import make_fast


def main():
    start()


def start():
    make_fast().step(1)


if __name__ == "__main__":
    main()
)"}};
  const std::string text = explain_of(before, with_edit(before, "lib.py", "return x + 2", "return x + 3"));
  EXPECT_TRUE(says(text, "Runs can reach `Fast.run`: `train_quickly.py` →")) << text;
  EXPECT_FALSE(says(text, "train_plain")) << text;
  EXPECT_FALSE(says(text, "more script")) << text;
}

// Python refuses such classes; the analysis has to end all the same.
TEST(FactsWays, ClassesThatDeriveFromEachOtherEndTheWalk) {
  const std::string body = R"(import torch.distributed as dist


def reduce_it(x):
    return x


class First(Second):
    reduce: bool = False

    def go(self, x):
        if self.reduce:
            return reduce_it(x)
        return x


class Second(First):
    pass


if __name__ == "__main__":
    First().go(1)
)";
  const Files before = {{"a.py", body}};
  EXPECT_TRUE(says(explain_of(before, with_edit(before, "a.py", "    return x\n\n\nclass",
                                                "    dist.all_reduce(x)\n    return x\n\n\nclass")),
                   "`reduce_it`"));
}

// Nothing is in a list that is empty unless somebody fills it: a way behind that is taken last, though it is shorter.
TEST(FactsWays, AWayBehindAnEmptyListIsTakenLast) {
  const Files before = {{"config.py",
                         "from dataclasses import dataclass, field\n\n\n@dataclass\nclass TrainConfig:\n"
                         "    skipped: list = field(default_factory=list)\n"},
                        {"train.py", R"(from config import TrainConfig
from lib import batch, step


def main(config):
    if 3 in config.skipped:
        batch(1)
    step(2)


if __name__ == "__main__":
    main(TrainConfig())
)"},
                        {"lib.py", R"(def step(x):
    return forward(x)


def forward(x):
    return inner(x)


def inner(x):
    return batch(x)


def batch(x):
    return x
)"}};
  const std::string text = explain_of(before, with_edit(before, "lib.py", "    return x\n", "    return x + 1\n"));
  EXPECT_TRUE(says(text, "`inner` (`lib.py:9`) → `batch` (`lib.py:13`)")) << text;
  EXPECT_FALSE(says(text, "is in `config.skipped`")) << text;
}

/// A script that trains comes to what both do by the way on which nothing is generated.
TEST(FactsWays, ATrainingRunDoesNotGoThroughWhatOnlyInferenceDoes) {
  const std::string lib = R"(class Runner:
    def capture(self, x):
        return x


def replay(x, is_inference_mode=None):
    if is_inference_mode:
        return Runner().capture(x)
    return x


def first(runner, x):
    return second(runner, x)


def second(runner, x):
    return third(runner, x)


def third(runner: Runner, x):
    return runner.capture(x)
)";
  const auto text_of = [&](const std::string& asked) {
    const Files before = {{"lib.py", replace_all(lib, "if is_inference_mode:", "if " + asked + ":")},
                          {"pretrain.py",
                           "import lib\n\nif __name__ == \"__main__\":\n    lib.replay(1, None)\n    "
                           "lib.first(lib.Runner(), 1)\n"}};
    return explain_of(before, with_edit(before, "lib.py", "        return x\n\n\ndef replay",
                                        "        return x + 1\n\n\ndef replay"));
  };
  for (const std::string asked : {"is_inference_mode", "is_inference_mode is not None"}) {
    const std::string text = text_of(asked);
    EXPECT_TRUE(says(text, "→ `third` (`lib.py:20`) → `Runner.capture`")) << text;
  }
  for (const std::string asked : {"not is_inference_mode", "is_inference_mode is None", "x or is_inference_mode"}) {
    const std::string text = text_of(asked);
    EXPECT_TRUE(says(text, "→ `replay` (`lib.py:6`) → `Runner.capture`")) << text;
  }
}

/// What the changed code is for makes the way to it no worse: graphs are captured where graphs are captured.
TEST(FactsWays, ATargetThatIsDoneAsideIsReachedByWhatIs) {
  const std::string lib = R"(class Runner:
    def capture(self, x):
        return x


def create_cuda_graphs(runner: Runner, x):
    return runner.capture(x)


def a(runner, x):
    return b(runner, x)


def b(runner, x):
    return c(runner, x)


def c(runner, x):
    return d(runner, x)


def d(runner: Runner, x):
    return runner.capture(x)
)";
  const auto text_of = [&](const std::string& path) {
    const Files before = {
        {path + ".py", lib},
        {"pretrain.py", "from " + path +
                            " import a, create_cuda_graphs, Runner\n\nif __name__ == "
                            "\"__main__\":\n    a(Runner(), 1)\n    create_cuda_graphs(Runner(), 1)\n"}};
    return explain_of(before, with_edit(before, path + ".py", "        return x\n\n\ndef create",
                                        "        return x + 1\n\n\ndef create"));
  };
  const std::string own = text_of("cuda_graphs");
  EXPECT_TRUE(says(own, "→ `create_cuda_graphs` (`cuda_graphs.py:6`) → `Runner.capture`")) << own;
  const std::string other = text_of("lib");
  EXPECT_TRUE(says(other, "→ `d` (`lib.py:22`) → `Runner.capture`")) << other;
}

/// What a new function is for often stands at its end.
TEST(Facts, TheSummaryOfANewFunctionTellsHowItEnds) {
  const auto summary_of = [](const std::string& last) {
    const Files before = {{"a.py", "X = 1\n"}};
    const Files after = {{"a.py",
                          "X = 1\n\n\ndef check(n, limit):\n    wide = n * 4\n    depth = wide + 1\n"
                          "    if depth < limit:\n        return None\n    most = limit // 4\n    " +
                              last + "\n"}};
    return render_markdown(report::write_summary(make_fixture(before, after, "Change it")->inputs).document);
  };
  const std::string text = summary_of("raise ValueError(most)");
  EXPECT_TRUE(says(text, "Sets `wide` to `n * 4`.")) << text;
  EXPECT_TRUE(says(text, "At the end, raises `ValueError`")) << text;
  EXPECT_TRUE(says(summary_of("return most * wide + depth"), "At the end, returns `most * wide + depth`."));
  EXPECT_FALSE(says(summary_of("return most"), "At the end"));
}

}  // namespace
}  // namespace lockstep::render
