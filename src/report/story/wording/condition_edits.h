// A branch or an assertion that asks something else than before -> what differs, in words.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// What must hold beside a branch's own condition, on each side, as texts.
struct AskedWith {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

/// "requires also that … for the branch on `a`", "returns `x` when …, formerly when …": of two steps that are heads of
/// one branch. Empty where a condition only moved between the branch and what stands around or in it.
std::string branch_edit_words(const Step& before, const WordsContext& before_context, const Step& after,
                              const WordsContext& after_context, const AskedWith& asked);

/// Of an assertion that insists on something else; empty for others.
std::string assertion_words(const Step& before, const WordsContext& before_context, const Step& after,
                            const WordsContext& after_context);

}  // namespace lockstep::report
