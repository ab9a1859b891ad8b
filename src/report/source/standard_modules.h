// The modules of Python's standard library.
#pragma once

#include <string_view>

namespace lockstep::report {

/// Whether the top-level module is part of it: the public names of CPython 3.11's `sys.stdlib_module_names`.
bool is_standard_module(std::string_view name);

}  // namespace lockstep::report
