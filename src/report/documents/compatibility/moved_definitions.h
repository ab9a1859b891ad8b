// Definitions that go from one file to others, and those whose old name stays as another name of the new one: what a
// reader of a reorganisation wants to know first.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/documents/parts.h"

namespace lockstep::report {

/// One item for each file that three or more classes, functions and variables of a module leave, tests aside: how many
/// go where, and how many of them stay as they were. Of files that move as a whole `moved_module_items` tells. At most
/// two items.
std::vector<std::string> moved_definition_items(const DocumentInputs& inputs);

/// The qualified names after the change of what these items say stays as it was.
std::set<std::string> moved_as_they_were(const DocumentInputs& inputs);

/// One item for the classes and functions of modules that are called otherwise now, tests aside, where two or more are:
/// old and new names, and where a variable keeps the old one beside it (`Old = New`).
std::vector<std::string> new_name_items(const DocumentInputs& inputs);

}  // namespace lockstep::report
