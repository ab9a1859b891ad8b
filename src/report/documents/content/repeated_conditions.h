// Conditions that a change brings to several functions at once: what they newly ask is one thing, told once.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

struct RepeatedCondition {
  /// Marked: "4 functions newly ask, as an alternative (`or`), whether `a.x` is not `a.y`: `f` (`a.py:3`), …", with
  /// what they set to a value that asks it.
  std::string text;
  std::vector<const Actor*> only;  ///< The functions in which nothing else changes.
};

/// At most two, each on a comparison, or several joined by `and` and `or`, that steps of three or more functions
/// outside tests have after the change and had nowhere before it. They are the same if they differ in nothing but the
/// objects whose attributes they read (`self.config.x`, `config.x`). Those of most functions first; comparisons with
/// constants alone say too little.
std::vector<RepeatedCondition> repeated_conditions(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
