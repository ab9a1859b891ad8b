// A long way from a script, call by call.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

Files chain(int length, std::string_view result) {
  std::string text = "import argparse\n\n\n";
  for (int i = 0; i < length; ++i) {
    const std::string next = i + 1 == length ? std::string(result) : fmt::format("f{}(x)", i + 1);
    text += i == 3 ? fmt::format("def f{}(x):\n    if x.deep:\n        return {}\n\n\n", i, next)
                   : fmt::format("def f{}(x):\n    return {}\n\n\n", i, next);
  }
  text += "if __name__ == \"__main__\":\n    f0(argparse.Namespace(deep=True))\n";
  return {{"run.py", text}};
}

TEST(WayTable, CallsThatTheTextOnlyCountsStandInATable) {
  const std::string text = dive_of(chain(9, "x"), chain(9, "x.deep"));
  EXPECT_TRUE(says(
      text, "This way, call by call:\n\n| Call | Place | Only when |\n| --- | --- | --- |\n| `run.py` \u2192 `f0` |"))
      << text;
  EXPECT_TRUE(says(text, "| `f3` \u2192 `f4` | `run.py:18` | `x.deep` is set |")) << text;
  EXPECT_TRUE(says(text, "| `f7` \u2192 `f8` | ")) << text;
}

/// The row is of the call where it stands, though a run comes there by the other side, too.
TEST(WayTable, AConditionOnWhoseOtherSideCallsLeadOnIsTold) {
  const auto with = [](std::string_view result) {
    return with_edit(chain(9, result), "run.py", "    if x.deep:\n        return f4(x)\n",
                     "    if x.deep:\n        return f4(x)\n    else:\n        return f5(x)\n");
  };
  const std::string text = dive_of(with("x"), with("x.deep"));
  EXPECT_TRUE(says(text, "| `f3` \u2192 `f4` | `run.py:18` | `x.deep` is set (otherwise other calls lead on) |") ||
              says(text, "| `f3` \u2192 `f5` | `run.py:20` | `x.deep` is not set (otherwise other calls lead on) |"))
      << text;
}

/// Of two calls under conditions of their own none is made in any case.
TEST(WayTable, SeveralCallsAreToldWithTheirPlaces) {
  const auto with = [](std::string_view result) {
    return with_edit(chain(9, result), "run.py", "    if x.deep:\n        return f4(x)\n",
                     "    if x.deep:\n        return f4(x)\n    if x.wide:\n        f4(x)\n");
  };
  const std::string text = dive_of(with("x"), with("x.deep"));
  EXPECT_TRUE(says(text, "| `f3` \u2192 `f4` | `run.py:18` or `run.py:20` | each under a condition of its own |"))
      << text;
}

/// A call in a loop, a handler or a case is not made in any case.
TEST(WayTable, BlocksAroundTheCallAreTold) {
  const auto row = [](std::string_view block) {
    const auto with = [&](std::string_view result) {
      return with_edit(chain(9, result), "run.py", "    if x.deep:\n        return f4(x)\n", std::string(block));
    };
    return dive_of(with("x"), with("x.deep"));
  };
  const std::string loop = row("    for y in x.items:\n        f4(y)\n");
  EXPECT_TRUE(says(loop, "`run.py:18` | in a loop over `x.items` |")) << loop;
  const std::string list = row("    y = 1\n    return [f4(y) for y in x.items]\n");
  EXPECT_TRUE(says(list, "| in a loop over `x.items` |")) << list;
  const std::string caught = row("    try:\n        print(x)\n    except OSError:\n        f4(x)\n");
  EXPECT_TRUE(says(caught, "| `OSError` is caught |")) << caught;
  const std::string chosen = row("    match x.kind:\n        case \"ring\":\n            f4(x)\n");
  EXPECT_TRUE(says(chosen, "| `x.kind` is `\"ring\"` |")) << chosen;
  const std::string plain = row("    y = x\n    return f4(y)\n");
  EXPECT_TRUE(says(plain, "| `f3` \u2192 `f4` | `run.py:18` | - |")) << plain;
}

/// The outermost of several branches is often what switches the way on.
TEST(WayTable, UpToFourBranchesAreToldAndThatThereAreMore) {
  const auto row = [](std::string_view body) {
    const auto with = [&](std::string_view result) {
      return with_edit(chain(9, result), "run.py", "    if x.deep:\n        return f4(x)\n", std::string(body));
    };
    return dive_of(with("x"), with("x.deep"));
  };
  const std::string four = row(
      "    if not x.on:\n        return x\n    if x.a:\n        if x.b:\n            if x.c:\n                f4(x)\n");
  EXPECT_TRUE(says(four, "| `x.on` is set, `x.a` is set, `x.b` is set and `x.c` is set |")) << four;
  const std::string five = row(
      "    if not x.on:\n        return x\n    if x.a:\n        if x.b:\n            if x.c:\n                if x.d:\n"
      "                    f4(x)\n");
  EXPECT_TRUE(says(five, "`x.c` is set and `x.d` is set, among other conditions |")) << five;
}

/// Of several calls of a function that makes what it is given, not each leads on.
TEST(WayTable, WhatACallGivesDecidesWhichOneLeadsOn) {
  const auto with = [](std::string_view result) {
    Files files = with_edit(chain(9, result), "run.py", "    if x.deep:\n        return f4(x)\n",
                            "    build(f4, x)\n    return build(print, x)\n");
    files["run.py"].insert(files["run.py"].find("def f0"), "def build(maker, x):\n    return maker(x)\n\n\n");
    return files;
  };
  const std::string text = dive_of(with("x"), with("x.deep"));
  EXPECT_TRUE(says(text, "| `f3` \u2192 `build` | `run.py:21` or `run.py:22` (what it gives decides which) | - |"))
      << text;
}

TEST(WayTable, AShortWayHasNone) { EXPECT_FALSE(says(dive_of(chain(4, "x"), chain(4, "x.deep")), "call by call")); }

}  // namespace
}  // namespace lockstep::render
