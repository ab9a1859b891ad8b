// New checks that insist on what the code of before did without: a parameter that may be `None`, a part of one that
// callers may leave out, for which something else stood in before, or which was not asked for.
//   before: group = groups.tp_dp_cp if groups is not None else global_group()
//   after:  assert groups.tp_dp_cp is not None
#pragma once

#include <cstddef>
#include <string_view>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether step `index` of the after side is a new check that asks for nothing but that parameters which the function
/// had, or parts of them, are there, each of which it did without before, as far as its own code and that of what it
/// called with them says.
bool demands_what_was_optional(const DocumentInputs& inputs, const Actor& actor, std::size_t index);

/// The first new check that refuses the default, `None`, of this parameter; Step::kNone where there is none, or where
/// something may give it a value.
std::size_t check_against_default(const Actor& actor, std::string_view parameter);

}  // namespace lockstep::report
