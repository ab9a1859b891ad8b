// Tests that a change edits: what is asked and counted of them, and how fixtures that move are told.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/review/summary.h"

namespace lockstep::render {
namespace {

std::string summary_of(const Files& before, const Files& after) {
  const auto fixture = make_fixture(before, after, "Change it");
  return render_markdown(report::write_summary_with_questions(fixture->inputs));
}

const char* const kTests = R"(import pytest


@pytest.fixture(scope="module")
def setup():
    return {"rank": 0, "size": 1}


def check(value):
    assert value == 1


def test_size(setup):
    check(setup["size"])


class TestRank:
    def test_rank(self, setup):
        assert setup["rank"] == 0
)";

TEST(ChangedTests, AreNotAskedForTests) {
  const Files before = {{"tests/test_setup.py", kTests}};
  const std::string size = summary_of(
      before, with_edit(before, "tests/test_setup.py", "check(setup[\"size\"])", "check(setup[\"size\"] + 0)"));
  EXPECT_TRUE(says(size, "`test_size`")) << size;
  EXPECT_FALSE(says(size, "No test was found")) << size;
  const std::string rank =
      summary_of(before, with_edit(before, "tests/test_setup.py", "setup[\"rank\"] == 0", "setup[\"rank\"] == 0 + 0"));
  EXPECT_TRUE(says(rank, "`TestRank.test_rank`")) << rank;
  EXPECT_FALSE(says(rank, "No test was found")) << rank;
  // A function that pytest does not collect may be asked for one.
  const std::string helper = summary_of({{"tests/helpers.py", "def shape(x):\n    return x\n"}},
                                        {{"tests/helpers.py", "def shape(x):\n    return x + 1\n"}});
  EXPECT_TRUE(says(helper, "No test was found that reaches it.")) << helper;
}

TEST(ChangedTests, MarksThatSkipTestsAreToldWhenTheyComeAndGo) {
  const auto tests = [](const std::string& marks, const std::string& of_class = "", const std::string& of_all = "") {
    return Files{
        {"a.py", "def f(x):\n    return x\n"},
        {"tests/test_a.py", "import pytest\nfrom a import f\n" + of_all + "\n\n" + of_class + "class TestF:\n" + marks +
                                "    def test_f(self):\n        assert f(1) == 1\n"}};
  };
  const std::string skip = "    @pytest.mark.skip(reason=\"Hangs on \"\n        \"two ranks. See the log.\")\n";
  const std::string on = explain_of(tests(skip), tests(""));
  EXPECT_TRUE(says(on,
                   "No longer marked to be skipped: `TestF.test_f` (`tests/test_a.py:6`). The mark said: \u201cHangs "
                   "on two ranks."))
      << on;
  const std::string off = explain_of(tests(""), tests(skip));
  EXPECT_TRUE(says(off, "Marked to be skipped now: `TestF.test_f` (`tests/test_a.py:8`).")) << off;
  const std::string conditional = "    @pytest.mark.skipif(f(0), reason=\"slow\")\n";
  EXPECT_TRUE(says(explain_of(tests(conditional), tests("")),
                   "No longer marked to be skipped where `f(0)` holds: `TestF.test_f` (`tests/test_a.py:6`). The mark "
                   "said: \u201cslow\u201d."));
  const std::string narrower = explain_of(tests(skip), tests(conditional));
  EXPECT_TRUE(says(narrower, "Skipped no longer always, but under a condition: `TestF.test_f`")) << narrower;
  EXPECT_FALSE(says(narrower, "No longer marked")) << narrower;
  EXPECT_TRUE(says(explain_of(tests("    @pytest.mark.xfail\n"), tests("")),
                   "No longer marked as expected to fail: `TestF.test_f` (`tests/test_a.py:6`)."));
  // Its class still skips it, or did before.
  const std::string all = "@pytest.mark.skip\n";
  EXPECT_FALSE(says(explain_of(tests(skip, all), tests("", all)), "marked to be skipped"));
  EXPECT_FALSE(says(explain_of(tests("", all), tests(skip, all)), "arked to be skipped"));
  const std::string cls = explain_of(tests("", all), tests(""));
  EXPECT_TRUE(says(cls, "No longer marked to be skipped: the tests of `TestF` (`tests/test_a.py:5`).")) << cls;
  const std::string module = explain_of(tests("", "", "pytestmark = pytest.mark.skip(reason=\"no GPU\")\n"), tests(""));
  EXPECT_TRUE(says(module, "No longer marked to be skipped: the tests of `tests/test_a.py`.")) << module;
  // Other marks, and another reason alone.
  EXPECT_FALSE(says(explain_of(tests("    @pytest.mark.slow\n"), tests("")), "arked"));
  EXPECT_FALSE(says(explain_of(tests(skip), tests("    @pytest.mark.skip(reason=\"broken\")\n")), "arked to be"));
}

TEST(ChangedTests, AFixtureThatMovesIsToldWithBothLinesAndItsArguments) {
  const std::string fixture =
      "@pytest.fixture(scope=\"module\")\ndef setup():\n    return {\"rank\": 0, \"size\": 1}\n";
  Files after = with_edit({{"tests/test_setup.py", kTests}}, "tests/test_setup.py", fixture, "");
  after["tests/conftest.py"] =
      "import pytest\n\n\n@pytest.fixture(scope=\"function\")\ndef setup():\n"
      "    return {\"rank\": 0, \"size\": 1}\n";
  const std::string text = explain_of({{"tests/test_setup.py", kTests}}, after);
  EXPECT_TRUE(says(text,
                   "`setup` (moved from `tests/test_setup.py:5` to `tests/conftest.py:5`): gives the decorator "
                   "`pytest.fixture` `scope=\"function\"` instead of `scope=\"module\"`."))
      << text;
  // Of several arguments those that differ.
  const Files kept = {{"tests/test_setup.py",
                       "import pytest\n\n\n@pytest.fixture(scope='module', autouse=True)\n"
                       "def setup():\n    return 1\n"}};
  const std::string both = explain_of(kept, with_edit(kept, "tests/test_setup.py", "'module'", "'class'"));
  EXPECT_TRUE(says(both, "gives the decorator `pytest.fixture` `scope='class'` instead of `scope='module'`.")) << both;
  EXPECT_FALSE(says(text, "is decorated with")) << text;
  EXPECT_FALSE(says(text, "loses the decorator")) << text;
}

TEST(ChangedTests, ADecoratorThatComesOrGoesIsToldAsOne) {
  const Files before = {{"tests/test_setup.py", kTests}};
  const std::string gone = explain_of(
      before, with_edit(before, "tests/test_setup.py", "@pytest.fixture(scope=\"module\")", "@pytest.fixture"));
  EXPECT_FALSE(says(gone, "gives the decorator")) << gone;
  const std::string two = "@pytest.mark.parametrize(\"a\", [1])\n@pytest.mark.parametrize(\"b\", [1])\ndef test_size(";
  const std::string one = "@pytest.mark.parametrize(\"a\", [2])\ndef test_size(";
  const Files stacked = with_edit(before, "tests/test_setup.py", "def test_size(", two);
  const std::string text = explain_of(stacked, with_edit(stacked, "tests/test_setup.py", two, one));
  EXPECT_FALSE(says(text, "gives the decorator")) << text;
}

TEST(ChangedTests, OnlyTestsAreCountedAsTests) {
  std::string tests = "import pytest\n\n\ndef limit():\n    return 1\n";
  constexpr int kTestCount = 12;
  for (int i = 0; i < kTestCount; ++i)
    tests += fmt::format("\n\ndef test_{}():\n    assert {} * limit() == {}\n", i, i, i);
  tests += "\n\nif __name__ == \"__main__\":\n    pytest.main([__file__])\n";
  std::string now = "import pytest\n\n\ndef limit():\n    return 1\n";
  for (int i = 0; i < kTestCount; ++i)
    now += fmt::format("\n\ndef test_{}():\n    assert {} * limit() + {} == 2 * {}\n", i, i, i, i);
  const Files after = {{"tests/test_limit.py", now},
                       {"tests/conftest.py",
                        "from dataclasses import dataclass\n\n\n@dataclass\nclass Rank:\n"
                        "    rank: int\n    size: int\n"}};
  const std::string text = explain_of({{"tests/test_limit.py", tests}}, after);
  // Four are told.
  EXPECT_TRUE(says(text, "`test_3` (changed, `tests/test_limit.py:20`); and 8 more tests.")) << text;
  // And in "What" four beside the class and the module's own code.
  EXPECT_TRUE(says(text, "8 more definitions change:")) << text;
  EXPECT_FALSE(says(text, "`test_limit`")) << text;
  EXPECT_FALSE(says(text, "`Rank.rank`")) << text;
}

TEST(ChangedTests, ATestOfCodeOfItsOwnIsToldToBeOne) {
  const auto text_of = [](const std::string& import) {
    const std::string test = import +
                             "\n\n\ndef gather_with_sum(x):\n    return sum(x)\n\n\ndef test_gather():\n    "
                             "assert gather_with_sum([1, 2]) == 3\n";
    return explain_of({{"core.py", "def gather(x):\n    return x\n"}},
                      {{"core.py", "def gather(x):\n    return sum(x)\n"}, {"tests/test_core.py", test}});
  };
  const std::string own = text_of("import torch");
  EXPECT_TRUE(
      says(own,
           "`test_gather` (new, `tests/test_core.py:8`) (its file imports no code of the repository and defines "
           "`gather_with_sum` (`tests/test_core.py:4`) itself)"))
      << own;
  for (const char* import : {"from core import gather", "import subprocess", "from . import helpers"})
    EXPECT_FALSE(says(text_of(import), "imports no code of the repository")) << text_of(import);
}

}  // namespace
}  // namespace lockstep::render
