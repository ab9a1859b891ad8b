// Names that a module binds in several branches, as libraries and versions allow: `fuse = torch.compile`, else
// `torch.jit.script`. What they stand for is one of these.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// What a name may stand for, and where.
struct ChosenName {
  std::vector<std::string> values;  ///< Source texts, each once, in the order of the source.
  program::ModuleId module;         ///< Which binds it.
  Span first;                       ///< The first of the assignments.
};

/// The values that assignments at the top of a module give `name`, the module's own or that from which `user` imports
/// it. None where one value alone is given, or too many for one sentence.
ChosenName chosen_values_of(const program::Program& program, program::ModuleId user, std::string_view name);

}  // namespace lockstep::report
