// setting-overwritten, of what functions stamp on objects: an attribute is set from a parameter, and a call behind it
// sets the same attribute of the same object to a constant.
//   self.weight.stride = stride            # def __init__(self, …, stride=1)
//   mark_parameters(self)                  # for param in module.parameters(): param.stride = 1
//
// Left out: methods of the object, stores in arms of which only one runs, attributes that are set once more behind the
// call, and functions that give the attribute other values, too.
#pragma once

#include <string_view>
#include <vector>

#include "rules/hits.h"

namespace lockstep::rules {

/// Appends a hit for each such call of the module.
void scan_overwritten_stamps(const program::Program& program, program::ModuleId module, std::string_view rule,
                             std::vector<Hit>& hits);

}  // namespace lockstep::rules
