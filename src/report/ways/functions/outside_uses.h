// Why "only tests lead there" may say too much of a function: what code outside tests, of which no script is known to
// start it, does with the function itself or with what calls it.
//   for name, module in model.named_children():
//       module.sharded_state_dict(prefix)       # of any class
//   app.include(router)                          # whose handlers call it
#pragma once

#include <optional>
#include <string>

#include "program/program.h"

namespace lockstep::report {

/// Nothing where by all that is named outside tests only tests come to the function: what calls it there is called by
/// nothing else in turn, none of it is handed on, kept as a value, registered, or a method of a name that is called on
/// values of unknown class. Else a sentence on who calls or hands on the function itself; empty where that is only so
/// of what calls it.
std::optional<std::string> use_outside_tests(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::report
