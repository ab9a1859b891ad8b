// JSON strings written straight into a text, for documents too large for a tree of values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::render {

/// Appends `text` as a quoted JSON string: quotes, backslashes and control characters are escaped; what is not UTF-8
/// becomes U+FFFD. `in_html`: also `<`, `>`, `&` and the line separators U+2028 and U+2029, so that the JSON may stand
/// inside a <script> element.
void append_json_string(std::string& out, std::string_view text, bool in_html = false);

/// Appends a number.
void append_number(std::string& out, std::uint64_t value);

}  // namespace lockstep::render
