// Properties of classes: the attribute that a getter gives back, and the setter through which an assignment goes.
#pragma once

#include <string_view>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::report {

/// `@property def name` and `@name.setter def name` in the class's own body; null for what it does not have.
struct Property {
  const python::FunctionDef* getter = nullptr;
  const python::FunctionDef* setter = nullptr;
};
Property property_of(const program::Class& cls, std::string_view name);

/// "_phase" of a getter that does nothing but `return self._phase`; empty for others.
std::string_view attribute_given_by(const python::FunctionDef& getter);

/// Whether a definition is decorated as the setter of a property (`@phase.setter`).
bool is_setter(const python::FunctionDef& definition);

}  // namespace lockstep::report
