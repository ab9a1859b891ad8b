// Which build this is: the version and, unless it is a release, the commit: "0.1.0+g1a2b3c4d". The same source gives
// the same string wherever and whenever it is built (cmake/version.cmake makes it).
#pragma once

#include <string_view>

namespace lockstep::cli {

std::string_view build_version();

}  // namespace lockstep::cli
