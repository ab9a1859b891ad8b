// What a new function does, by its outermost steps, where no docstring and no result says it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Sentences on the outermost new steps of the function, in the order in which they run, imports left out; of the first
/// steps that give `most` sentences.
std::vector<std::string> outer_steps(const DocumentInputs& inputs, const Actor& actor, std::size_t most);

/// What a function whose body ends with a `raise`, or with a `return` of more than a name or a constant, does there;
/// empty for others.
std::string last_step(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
