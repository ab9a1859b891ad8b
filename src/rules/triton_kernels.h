// Which functions of a module are Triton kernels: decorated with `triton.jit`, by whatever it is imported as.
#pragma once

#include <algorithm>

#include "base/strings.h"
#include "program/program.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

namespace lockstep::rules {

/// Calls `visit(FunctionId, const FunctionDef&)` for each.
template <class Visit>
void for_each_triton_kernel(const program::Program& program, program::ModuleId module, Visit&& visit) {
  if (!contains(program.modules()[module].facts->source().bytes(), "triton")) return;
  for (const program::FunctionId function : program.modules()[module].functions) {
    const python::FunctionDef* def = program.functions()[function].def();
    if (def == nullptr) continue;
    const bool is_kernel = std::any_of(def->decorators.begin(), def->decorators.end(), [](const python::Expr* each) {
      return last_part_of(each) == "jit" && root_name(each) == "triton";
    });
    if (is_kernel) visit(function, *def);
  }
}

}  // namespace lockstep::rules
