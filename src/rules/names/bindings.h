// Which names a function binds, and its parameters by name. Knows no rule and no program.
#pragma once

#include <cstddef>
#include <string_view>

#include "python/tree.h"
#include "python/tree_walk.h"

namespace lockstep::rules {

/// How many places in the body of `function` give `name` a value: an assignment to it or to a tuple, list or starred
/// element that holds it, a loop, `with … as`, `except … as`, an import, a pattern, a definition. Parameters and `del`
/// are none. `nested`: whether the functions within it count, too.
std::size_t bindings_of(const python::Node& function, std::string_view name, python::Nested nested);

/// True if the body of `function` gives `name` a value (`bindings_of`), or a function within it does, which declares it
/// `nonlocal`.
bool binds_name(const python::Node& function, std::string_view name);

/// The parameter called `name`; null where there is none, or no function.
const python::Parameter* parameter_named(const python::FunctionDef* function, std::string_view name);

}  // namespace lockstep::rules
