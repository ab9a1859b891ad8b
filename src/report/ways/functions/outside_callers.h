// What calls code without a call that the call graph could see: a library of which a class derives, and whatever takes
// a class out of a table, from a decorator that registers it, or by a text that names it.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// The base from another package that may call the method, or the method that holds the inner function: its dotted
/// name. Empty for constructors and private names, and where every base is of the repository, or calls nothing of a
/// class.
std::string library_base(const program::Program& program, program::FunctionId function);

/// Places, outside tests, where a class is handed on without being called: registered by a decorator, an element of a
/// table, an argument, named in full by a text. Marked text, at most `most`.
std::vector<std::string> handed_on_places(const program::Program& program, program::ClassId cls, std::size_t most);

}  // namespace lockstep::report
