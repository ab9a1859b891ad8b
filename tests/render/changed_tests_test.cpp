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
  const Files kept = {{"tests/test_setup.py", "import pytest\n\n\n@pytest.fixture(scope='module', autouse=True)\n"
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

}  // namespace
}  // namespace lockstep::render
