// Of the classes that inherit a changed method, those that a title does not mean:
//   "refresh fused MLP hooks", a method of Mixin, class FusedMLP(Mixin), class FusedNorm(Mixin) -> FusedNorm
#pragma once

#include <set>
#include <string>

#include "program/program.h"

namespace lockstep::report {

/// The heirs of the target's class beside the one whose name the title's words fit best, and beside its own heirs and
/// what it derives from; none where no single one fits best, or the target is no method. `title_words`: lower case.
std::set<program::ClassId> heirs_beside_named(const program::Program& program, program::FunctionId target,
                                              const std::set<std::string>& title_words);

}  // namespace lockstep::report
