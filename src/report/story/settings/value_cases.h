// What changed code comes to for each value of a setting that takes one of a few texts: before and after, worked out
// from its conditions with the setting put in.
//   if config.strategy == "full": f(x)       # before
//   if config.strategy != "none": f(x)       # after, with the values "none", "grads" and "full"
//   -> calls `f` | "grads" | no | yes
//                | "none"; "full" | as before: no; yes
#pragma once

#include <cstddef>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A table for each of the `most` settings that decide most of what changes, then of what one function compares
/// (compared_texts.h): the steps of functions that stay of which
/// the value decides whether they run, or what they set, and does so otherwise than before. Only where every condition
/// around the step is understood; what the setting leaves open is told as a condition.
std::vector<ValueCases> value_cases(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
