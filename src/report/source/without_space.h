// Code that is compared whatever its layout.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::report {

/// The text without blanks, tabs and line breaks, those inside quotes too.
std::string without_space(std::string_view text);

}  // namespace lockstep::report
