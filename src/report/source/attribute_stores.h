// Where a program stores an attribute of some name: what gives it a value, and what counts on from the one that it has.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::report {

struct AttributeStore {
  program::FunctionId function;             ///< That holds the statement, or the module's body.
  const python::Expr* object = nullptr;     ///< `a` of `a.x = …`.
  const python::Stmt* statement = nullptr;  ///< That stores it.
  std::uint32_t line = 0;                   ///< From 0.
  bool is_off_self = false;                 ///< `self.x = …`.
  program::ClassId cls;                     ///< Of that `self`; none for others.
  bool counts = false;                      ///< `x += …`, `x = x + …`: it goes on from the value that was there.
};

/// `a` where the node stores an attribute of the name on it: of `a.x = …`, `setattr(a, "x", …)` and
/// `a.__setattr__("x", …)`; null for others.
const python::Expr* stored_on(const python::Node& node, std::string_view name);

/// All outside tests, in the order of the files and of their lines.
std::vector<AttributeStore> stores_of(const program::Program& program, std::string_view name);

/// The class that `self` of the function is an object of; of a nested function that of what it stands in. None where
/// it is no method.
program::ClassId class_of_self(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::report
