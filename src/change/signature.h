// The header of a definition on both sides → differences: parameters, annotations, decorators, bases; and the value and
// annotation of a variable.
#pragma once

#include <vector>

#include "change/change.h"
#include "change/names.h"

namespace lockstep::change {

void compare_functions(const CodeContext& before_context, const python::FunctionDef& before,
                       const CodeContext& after_context, const python::FunctionDef& after,
                       std::vector<Difference>& differences);
void compare_classes(const CodeContext& before_context, const python::ClassDef& before,
                     const CodeContext& after_context, const python::ClassDef& after,
                     std::vector<Difference>& differences);
void compare_variables(const CodeContext& before_context, const Entity& before, const CodeContext& after_context,
                       const Entity& after, std::vector<Difference>& differences);

}  // namespace lockstep::change
