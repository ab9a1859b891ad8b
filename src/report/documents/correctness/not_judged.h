// What stands under correctness where no rule tells anything.
#pragma once

#include <string_view>

namespace lockstep::report {

inline constexpr std::string_view kLogicNotJudged =
    "The logic of the change was not judged: rules look for certain kinds of faults alone (collectives that some ranks "
    "skip, buffers used before a wait, names that are bound nowhere, calls that do not fit), and tell none here";

}  // namespace lockstep::report
