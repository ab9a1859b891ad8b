// What a condition asks by calling a short function that the change brings: told with the question.
#pragma once

#include <cstddef>

#include "report/story/intermediates.h"
#include "report/story/story.h"

namespace lockstep::report {

/// " (`drop(group)` being `False` where …, else `spread(group) <= 1e-6`)" of the branch or loop at `index` of the after
/// side: what the one new function that its condition calls gives, where that is a single expression, behind one early
/// return of a constant at most. Nothing for other steps.
LocalValue predicate_asked_at(const DocumentInputs& inputs, const Actor& actor, std::size_t index);

}  // namespace lockstep::report
