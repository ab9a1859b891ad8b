// A function that no call names: where code outside tests hands it on as a value, or keeps it, for others to call.
//   graph.eliminate(is_impure=_is_impure)
//   result.key_filter = _key_filter
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::report {

struct HandedFunction {
  program::FunctionId by;  ///< The function that names it; a module's body where none is around.
  std::uint32_t line = 0;  ///< From 0.
  Span name;               ///< The place itself.
};

/// Places outside tests where the function, one at the top of its module, is named as a value: not called there, not
/// imported, not a decorator. In the order of the modules.
std::vector<HandedFunction> handed_on_at(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::report
