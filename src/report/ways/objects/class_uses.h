// Where code outside tests uses a name, and which uses of a class's name may bring objects of it: `Layer(…)`,
// `ModuleSpec(module=Layer)`, `return Layer`, `{"fused": Layer}`; not imports, definitions, checks of a type,
// annotations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// Calls `visit(module, offset)` for the places of a name outside tests, until it returns false.
void for_each_place(const program::Program& program, std::string_view name,
                    const std::function<bool(program::ModuleId, std::uint32_t)>& visit);

struct ClassUse {
  program::ModuleId module;
  program::FunctionId function;        ///< Around it; a module's body where none is.
  const python::Node* node = nullptr;  ///< The name, the attribute or the text.
};

/// Calls `visit` for the uses that may bring objects of one of `classes`, outside their own bodies, until it returns
/// false. False where it did, or where the names stand at more places than may be looked at.
bool for_each_use(const program::Program& program, const std::vector<program::ClassId>& classes,
                  const std::function<bool(const ClassUse&)>& visit);

}  // namespace lockstep::report
