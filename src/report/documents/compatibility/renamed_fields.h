// Fields of classes that a change calls otherwise: the same annotation and value under another name.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"

namespace lockstep::report {

/// Whether the entity is an annotated field outside tests that has another name now.
bool is_renamed_field(const change::EntityChange& entity);

/// One item for each class with such fields, at most three: "`C` renames its fields `a` to `b` and `c` to `d`."
std::vector<std::string> renamed_field_items(const DocumentInputs& inputs);

}  // namespace lockstep::report
