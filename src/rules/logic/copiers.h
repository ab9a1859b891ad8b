// Functions that hand marks of one object on to another by name:
//   for name in ("allreduce", "shared"): setattr(new, name, getattr(old, name))
//   if hasattr(old, "shared"): new.shared = old.shared
//
// Left out: attributes that are copied without asking whether they are there (fields, not marks), what an object copies
// to itself, and settings (`args`, `config`). Of names that the code computes it is only said that there are some.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

/// What one function copies from one object to another. Names are views into the sources.
struct Copier {
  program::FunctionId function;
  std::string from, to;                         ///< "old", "new": as they are written.
  std::map<std::string_view, Span> attributes;  ///< By name, with the place that says so.
  bool may_copy_more = false;                   ///< The function copies other names, which cannot be told.
};

/// The text that an expression is: a literal, or the name of a variable that its module gives one literal. Empty for
/// anything else.
std::string_view literal_text(const program::Program& program, program::FunctionId function,
                              const python::Expr& expression);

/// The copiers of one function, what is nested in it left out; one without attributes where none of them can be told.
std::vector<Copier> copiers_of(const program::Program& program, program::FunctionId function);

/// The copiers of all functions of a module.
std::vector<Copier> copiers_in(const program::Program& program, program::ModuleId module);

}  // namespace lockstep::rules
