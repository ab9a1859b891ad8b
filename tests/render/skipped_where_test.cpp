// Tests that their marks skip under a condition: whoever counts on them must know it.
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

}  // namespace
}  // namespace lockstep::render
