// What stands under correctness where no rule tells anything.
#pragma once

#include <string_view>

namespace lockstep::report {

inline constexpr std::string_view kLogicNotJudged = "No rule fired; whether the logic is right was not judged";

}  // namespace lockstep::report
