// The last part of a path, as texts and diagrams name a file whose folder is clear.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::report {

inline std::string file_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

}  // namespace lockstep::report
