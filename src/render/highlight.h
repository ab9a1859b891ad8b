// Lines of source -> lines of HTML with spans for what a reader tells apart by colour. Python is lexed (strings may run
// over lines); of other languages only comments and strings are marked. Untrusted: everything is escaped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::render {

/// One HTML line a source line. `language` as in a fence: "python", "text", ….
std::vector<std::string> highlighted(const std::vector<std::string>& lines, std::string_view language);

}  // namespace lockstep::render
