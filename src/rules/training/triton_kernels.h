// Which functions of a module are Triton kernels, and what in them is Triton's language, by whatever name a file
// imports either. Where the import leads to no installed module (a stand-in for machines without Triton, a copy of it
// in the repository), `triton` and `tl` are taken for what they are called.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "program/program.h"

namespace lockstep::rules {

/// True for functions under `@triton.jit` or `@triton.jit(…)`.
bool is_triton_kernel(const program::Program& program, program::FunctionId function);

/// "load" of `tl.load` in the kernel; empty for what is not of triton.language.
std::string triton_language_name(const program::Program& program, program::FunctionId kernel,
                                 const python::Expr& expression);

/// Calls `visit(FunctionId, const FunctionDef&)` for each kernel.
template <class Visit>
void for_each_triton_kernel(const program::Program& program, program::ModuleId module, Visit&& visit) {
  for (const program::FunctionId function : program.modules()[module].functions) {
    if (is_triton_kernel(program, function)) visit(function, *program.functions()[function].def());
  }
}

}  // namespace lockstep::rules
