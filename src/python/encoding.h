// Raw bytes of a Python file as UTF-8 text: byte order mark, PEP 263 coding cookies.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::python {

struct DecodedSource {
  std::string text;     ///< Always valid UTF-8, without a byte order mark. Line ends are kept as they are.
  std::string problem;  ///< Empty where the bytes are what they declare to be.
};

/// Decodes `bytes` by its cookie, else as UTF-8. Bytes that are not what they should be become U+FFFD; of an unknown
/// encoding, all bytes are taken as Latin-1.
DecodedSource decode_source(std::string bytes);

/// The encoding that the first two lines declare, as written; empty where there is none.
std::string_view coding_cookie(std::string_view bytes);

}  // namespace lockstep::python
