// Parameters of a function that hold the name of an attribute: `setattr(config, name, value)` sets what callers name.
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

struct NamedAttribute {
  std::string_view parameter;
  bool is_set = false;  ///< By `setattr`; else read, by `getattr` or `hasattr`.
};

/// Those of the function itself, functions inside it included.
std::vector<NamedAttribute> named_attributes(const program::Program& program, program::FunctionId function);

/// What the call names of an attribute that the function which it enters sets or reads: `set_all(model, "mode", 1)`.
struct AttributeByCall {
  std::string_view name;
  bool is_set = false;
};
std::vector<AttributeByCall> attributes_by_call(const program::Program& program, const python::Call& call);

}  // namespace lockstep::report
