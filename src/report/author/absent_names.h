// Names in the author's words that no code has: a message that was written for another state of the change.
#pragma once

#include <string>
#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// Names of code (`input_shape_BLD`) in what is quoted of a description or message that stand in no Python file of the
/// repository, before or after the change, and in no other file that the change touches; and names of classes that no
/// Python code has, made of the words of a class that the change touches. At most `most`.
std::vector<std::string> absent_names(const DocumentInputs& inputs, const std::vector<Saying>& sayings,
                                      std::size_t most);

}  // namespace lockstep::report
