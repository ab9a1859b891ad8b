// Tests that their marks skip under a condition: whoever counts on them must know it. And what they call.
#include <gtest/gtest.h>

#include <string>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kCast = "def cast(params):\n    return [param.half() for param in params]\n";

std::string told(const std::string& tests) {
  return explain_of({{"cast.py", "def keep(params):\n    return params\n"}},
                    {{"cast.py", "def keep(params):\n    return params\n\n\n" + kCast},
                     {"tests/test_cast.py", "import pytest\n\nfrom cast import cast\n\n" + tests}});
}

TEST(SkippedWhere, TheConditionThatSkipsAllThatAreNamedIsTold) {
  const std::string one =
      "@pytest.mark.skipif(not HAVE_TE, reason='needs TE')\ndef test_cast():\n    assert cast([])\n";
  EXPECT_TRUE(says(told(one), "That of the change is skipped where `not HAVE_TE` holds.")) << told(one);
  const std::string in_class =
      "@pytest.mark.skipif(not HAVE_TE, reason='needs TE')\nclass TestCast:\n    def test_one(self):\n"
      "        assert cast([])\n\n    def test_two(self):\n        assert cast([1])\n";
  EXPECT_TRUE(says(told(in_class), "Those of the change are skipped where `not HAVE_TE` holds.")) << told(in_class);
  const std::string of_file =
      "pytestmark = [pytest.mark.skipif(not HAVE_TE, reason='needs TE')]\n\n\n"
      "def test_cast():\n    assert cast([])\n";
  EXPECT_TRUE(says(told(of_file), "That of the change is skipped where `not HAVE_TE` holds.")) << told(of_file);
}

TEST(SkippedWhere, WhatSkipsSomeOfThemIsNot) {
  const std::string two =
      "@pytest.mark.skipif(not HAVE_TE, reason='needs TE')\ndef test_one():\n    assert cast([])\n\n\n"
      "def test_two():\n    assert cast([1])\n";
  EXPECT_FALSE(says(told(two), "skipped where")) << told(two);
  EXPECT_FALSE(says(told("@pytest.mark.parametrize('x', [1])\ndef test_one(x):\n    assert cast([x])\n"), "skipped"));
}

// A helper of tests that the change edits is told with a test that it belongs to.
TEST(ChangedHelpers, AreToldWithTheirTest) {
  const auto told = [](const std::string& test) {
    const Files before = {
        {"cast.py", kCast},
        {"tests/test_cast.py", "from cast import cast\n\n\ndef _worker(rank):\n    assert cast([])\n\n\n" + test}};
    Files after = with_edit(before, "tests/test_cast.py", "cast([])", "cast([rank])");
    return explain_of(before, with_edit(after, "cast.py", "half()", "half().clone()"));
  };
  const std::string text = told("def test_cast():\n    run(_worker, 4)\n");
  EXPECT_TRUE(says(text, "the helper `_worker` (changed, `tests/test_cast.py:4`) of `test_cast`")) << text;
  EXPECT_FALSE(says(told("def test_cast():\n    run(4)\n"), "the helper"));
  // One inside a test is that test's, whatever another test has of the name.
  const std::string nested =
      "def test_other():\n    def train(rank):\n        return rank\n\n    run(train, 4)\n\n\n"
      "def test_cast():\n    def train(rank):\n        assert cast([rank])\n\n    run(train, 4)\n";
  const Files inside = {{"cast.py", kCast}, {"tests/test_cast.py", "from cast import cast\n\n\n" + nested}};
  const std::string own =
      explain_of(inside, with_edit(with_edit(inside, "tests/test_cast.py", "cast([rank])", "cast([rank, 1])"),
                                   "cast.py", "half()", "half().clone()"));
  EXPECT_FALSE(says(own, "of `test_other`")) << own;
  const Files fixture = {{"cast.py", kCast},
                         {"tests/test_cast.py",
                          "import pytest\n\nfrom cast import cast\n\n\n@pytest.fixture\ndef made():\n"
                          "    return cast([])\n\n\ndef test_cast(made):\n    assert made\n"}};
  EXPECT_FALSE(
      says(explain_of(fixture, with_edit(fixture, "tests/test_cast.py", "cast([])", "cast([1])")), "the helper"));
}

}  // namespace
}  // namespace lockstep::render
