// What the text between the quotes of a string literal means: escapes and line ends.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::python {

/// Appends the value of `body` (UTF-8 source text between the quotes) to `value`: as UTF-8 for strings (lone
/// surrogates as three bytes each), as bytes for bytes literals. Line ends become "\n". `\N{NAME}` is checked for its
/// form but kept as it is written: no table of Unicode names is built in. Returns null, or what is wrong.
const char* decode_string(std::string_view body, bool is_raw, bool is_bytes, std::string& value);

}  // namespace lockstep::python
