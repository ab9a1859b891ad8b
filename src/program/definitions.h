// The tree of one module -> its classes, functions and lambdas, before anything is known of other modules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

namespace lockstep::program {

/// Definitions of one module. Ids in `functions` and `classes` (owner, enclosing) are indices into these two lists
/// until the linker moves them to their place in the program; function 0 is the module's body. Function::name is not
/// yet set.
struct Definitions {
  std::vector<Function> functions;
  std::vector<Class> classes;
};

/// Reads the definitions of `facts`, naming them below `module_name`.
Definitions extract_definitions(const python::FileFacts& facts, std::string_view module_name);

/// Fields of `cls`: declared in its body, then `self.name = …` in its methods, in the order of the source. `methods`
/// are the functions of its body in the order of the source.
std::vector<Field> extract_fields(const python::ClassDef& cls, std::span<const FunctionId> methods,
                                  const Table<FunctionId, Function>& functions);

/// Name of a method's first parameter; empty for static methods, class methods and functions without one.
std::string_view self_name(const python::FunctionDef& method);

/// True if `decorators` holds `name`, bare, as an attribute (`abc.abstractmethod`) or called.
bool has_decorator(python::Seq<python::Expr> decorators, std::string_view name);

}  // namespace lockstep::program
