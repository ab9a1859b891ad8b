// Functions that a table holds and that what takes them out of it hands on: passes that a list keeps for later.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kPasses = R"(def fast_pass(graph):
    return graph + [1]


def slow_pass(graph, deep=False):
    if deep:
        graph = graph + [2]
    return graph


PASSES = {
    "fast": fast_pass,
    "slow": slow_pass,
}
)";

const std::string kBuild = R"(from functools import partial

from passes import PASSES


def chosen(config):
    out = []
    for name in config.passes:
        if name == "slow" and config.artifact_dir:
            out.append(partial(PASSES[name], deep=True))
        else:
            out.append(PASSES[name])
    return out
)";

const std::string kTrain = R"(from build import chosen


def main(config):
    if config.artifact_dir:
        return None
    return chosen(config)


if __name__ == '__main__':
    main(parse())
)";

const std::string kPrecompile = R"(from build import chosen


def compile_all(config):
    return chosen(config)


if __name__ == '__main__':
    compile_all(parse())
)";

std::string explained(const Files& old, const std::string& old_text, const std::string& new_text) {
  return explain_of(old, with_edit(old, "passes.py", old_text, new_text));
}

Files files() {
  return {{"passes.py", kPasses}, {"build.py", kBuild}, {"train.py", kTrain}, {"precompile.py", kPrecompile}};
}

TEST(TableTakings, AFunctionOfATableIsReachedByWhoTakesItOut) {
  const std::string text = explained(files(), "[1]", "[3]");
  EXPECT_TRUE(says(text, "Runs can reach `fast_pass` through a function that is handed on to be called elsewhere: "))
      << text;
  EXPECT_TRUE(says(text, "\u2192 `chosen` (`build.py:6`) \u2192 hands on `fast_pass` (`passes.py:1`).")) << text;
  EXPECT_TRUE(says(text,
                   "`PASSES` holds `fast_pass` under `\"fast\"` (`passes.py:12`); `chosen` takes what stands under "
                   "`name` (`build.py:12`)"))
      << text;
}

TEST(TableTakings, TheTakingThatGivesWhatTheChangeAsksForIsMeant) {
  // A run of `train.py` with an artifact comes to no pass.
  const std::string text = explained(files(), "[2]", "[3]");
  EXPECT_TRUE(says(text,
                   "`precompile.py` \u2192 `compile_all` (`precompile.py:4`) \u2192 `chosen` (`build.py:6`) "
                   "\u2192 hands on `slow_pass`"))
      << text;
  EXPECT_TRUE(says(text, "takes what stands under `name` (`build.py:10`)")) << text;
}

TEST(TableTakings, WhatTwoTablesHoldOrABranchForAnotherKeyTakesIsNotTold) {
  Files two = files();
  two["passes.py"] += "\nOTHERS = {\"fast\": fast_pass}\n";
  EXPECT_FALSE(says(explained(two, "[1]", "[3]"), "hands on `fast_pass`"));
  Files other = files();
  other["build.py"] = replace_all(kBuild, "        else:\n            out.append(PASSES[name])\n", "");
  EXPECT_FALSE(says(explained(other, "[1]", "[3]"), "hands on `fast_pass`"));
  // A literal key takes another one.
  Files literal = files();
  literal["build.py"] = replace_all(kBuild, "PASSES[name]", "PASSES[\"slow\"]");
  EXPECT_FALSE(says(explained(literal, "[1]", "[3]"), "hands on `fast_pass`"));
}

const std::string kListed = R"(from functools import partial
from dataclasses import dataclass


@dataclass
class CompileConfig:
    compilation: str = "regional"


def compile_all(graph, boxed=False):
    return graph + [1]


def final_passes(config):
    passes = []
    compilation = config.compilation
    if compilation == "full":
        passes.append(partial(compile_all, boxed=True))
    return passes


def apply_passes(config, graph):
    for run in final_passes(config):
        graph = run(graph)
    return graph


def main(config):
    return apply_passes(config, [])


if __name__ == '__main__':
    main(CompileConfig())
)";

TEST(TableTakings, WhatAListHoldsIsToldWithTheSettingUnderWhichItWasPutThere) {
  const std::string told =
      "`final_passes` puts `compile_all` into a list only when `compilation` is `\"full\"` (`train.py:18`), which is "
      "not "
      "so by default.";
  const Files old = {{"train.py", kListed}};
  const std::string text = explain_of(old, with_edit(old, "train.py", "[1]", "[2]"));
  EXPECT_TRUE(says(text, told)) << text;
  // Another place puts it into a list, too.
  const Files twice = with_edit(old, "train.py", "    return passes\n", "    return passes or [compile_all]\n");
  const std::string more = explain_of(twice, with_edit(twice, "train.py", "[1]", "[2]"));
  EXPECT_FALSE(says(more, "into a list only when")) << more;
}

}  // namespace
}  // namespace lockstep::render
