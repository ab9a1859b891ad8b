// What became of a changed definition, with the places where it stands and stood.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// As status_words; of what moved, with the line of its old definition: "moved from `a.py:1`", "moved from `a.py:1`,
/// called `f` there".
std::string status_with_origin(const DocumentInputs& inputs, const change::EntityChange& entity);

/// The same and where it stands: "changed, `a.py:1`", "moved from `a.py:1` to `b.py:2`".
std::string status_and_place(const DocumentInputs& inputs, const change::EntityChange& entity);

}  // namespace lockstep::report
