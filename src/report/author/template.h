// The repository's own templates for pull requests: what a description leaves standing of them is nobody's reason.
#pragma once

#include <string>
#include <string_view>

#include "report/inputs.h"

namespace lockstep::report {

/// The letters and digits of all such templates on both sides, layout and marks left out; empty where there is none.
std::string letters_of_templates(const DocumentInputs& inputs);
/// The letters and digits of a text, in lower case.
std::string letters_of(std::string_view text);
/// Whether a paragraph is long enough to know, and stands in a template word by word.
bool stands_in_template(std::string_view template_letters, std::string_view paragraph);

}  // namespace lockstep::report
