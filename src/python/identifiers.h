// Names beyond ASCII: which code points may stand in them (PEP 3131), and their normal form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::python {

/// Length in bytes of the longest identifier that `text` (UTF-8) starts with; 0 where it starts with none.
std::size_t identifier_length(std::string_view text);

/// NFKC form of `name` (valid UTF-8), as Python compares names.
std::string normalize_identifier(std::string_view name);

}  // namespace lockstep::python
