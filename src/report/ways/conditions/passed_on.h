// `*args` and `**kwargs` that a function hands on as it got them: what its caller gives by a name goes on by that name.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "python/tree.h"

namespace lockstep::report {

/// Whether `*args` or `**kwargs` (`id`; `is_sequence`: the former) is only passed on, asked or given single keys:
/// nothing else is added or taken out. Keys that the body sets, or takes out, go to `set`. `bindings`: of uses of the
/// name that bind it, those to leave out of account.
bool is_only_passed_on(const python::FunctionDef& def, std::string_view id, bool is_sequence,
                       std::vector<std::string_view>& set, std::size_t bindings = 0);

}  // namespace lockstep::report
