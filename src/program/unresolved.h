// Reasons why a call site has no target that other rooms tell apart.
#pragma once

#include <string_view>

namespace lockstep::program {

/// CallSite::unresolved_because of `Class()` where neither the class nor its bases in the repository define what runs.
inline constexpr std::string_view kNoConstructor = "the class has no constructor of its own";

}  // namespace lockstep::program
