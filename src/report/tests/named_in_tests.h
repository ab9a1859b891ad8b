// Where the text of a test may stand for a function by its name alone: looked up, patched or read off an object, where
// no call edge leads there. Comments and docstrings name nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "program/program.h"

namespace lockstep::report {

/// What tells the function from others of its name: its class's name or its module's last; empty where none shares
/// it.
std::string_view home_of(const program::Program& program, const program::Function& function);

/// Whether the name of the target at `at` may stand for it: read off an object (`x.name`), in a text that is more
/// than a docstring (`patch("lib.name")`), or by itself where it is bound to the target. Not in comments, nor where a
/// variable or another function has that name.
bool may_mean(const program::Program& program, program::FunctionId target, program::ModuleId id, std::uint32_t at,
              bool is_shared);

/// Whether a function of a script is called here on the module that a test loads by the script's path
/// (`spec_from_file_location`), which no import shows: `script.f(…)`, of a name that nothing imports.
bool is_call_on_loaded(const program::Program& program, program::FunctionId target, program::ModuleId id,
                       std::uint32_t at);

}  // namespace lockstep::report
