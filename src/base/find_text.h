// A text in a long one: where it stands. For texts of many kilobytes, such as whole files.
#pragma once

#include <cstring>
#include <string_view>

namespace lockstep {

/// As text.find(part, from). std::string_view::find stops at every place where the first letter of `part` stands, which
/// in source code is at every tenth; this reads on (memmem of the C library): two to three times as fast.
inline std::size_t find_text(std::string_view text, std::string_view part, std::size_t from = 0) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  if (from == text.size()) return std::string_view::npos;
  const void* const found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

/// What names are made of: an ASCII letter, a digit or an underscore.
inline bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Calls `visit(std::string_view)` for each run of such characters: all that find_name finds.
template <class Visit>
void for_each_name(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end > at) visit(text.substr(at, end - at));
    at = end + 1;
  }
}

/// Where `name` stands from `from` on as a name of its own: no letter, digit or underscore right before or behind it.
inline std::size_t find_name(std::string_view text, std::string_view name, std::size_t from = 0) {
  const auto is_part = [&](std::size_t at) { return is_name_char(text[at]); };
  for (std::size_t at = find_text(text, name, from); at != std::string_view::npos; at = find_text(text, name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part(at - 1)) && (end >= text.size() || !is_part(end))) return at;
  }
  return std::string_view::npos;
}

}  // namespace lockstep
