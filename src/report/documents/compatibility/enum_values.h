// Members of enumerations whose values a change alters, where code works with the values themselves.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A risk for each enumeration whose members have other values now (`auto()` counted), where code on both sides reads
/// `.value` of its members or makes one from a value: what is sent or stored by the other side reads as another member,
/// or as none. Also where enumerations of the same file have all of its members now. Nothing where a value is not
/// known.
void add_enum_values(const DocumentInputs& inputs, std::vector<Risk>& risks);

}  // namespace lockstep::report
