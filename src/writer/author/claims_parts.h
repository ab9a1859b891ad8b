// What the parts of the claim checker share: names in sentences, and words that turn what a sentence says around.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "writer/verify.h"
#include "writer/verify_parts.h"

namespace lockstep::writer::internal {

/// "f", "C.f", "f()", "f(x)" -> "f", "C.f"; empty where it is no name.
inline std::string name_in(std::string_view span) {
  span = span.substr(0, span.find('('));
  return is_dotted_name(span) ? std::string(span) : std::string();
}

inline std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// True for a qualified name that is `name`, or ends in it after a dot.
inline bool ends_with_name(std::string_view qualified, std::string_view name) {
  return qualified == name || (qualified.ends_with(name) && qualified[qualified.size() - name.size() - 1] == '.');
}

/// A sentence with one of these says that something is not so, or only might be.
constexpr std::string_view kDenials[] = {"no",      "not", "never",  "nothing", "none",  "without",
                                         "neither", "nor", "cannot", "would",   "could", "might",
                                         "unless",  "if",  "stops",  "longer"};
/// True if the text has one of the words, in whichever case.
template <std::size_t kCount>
bool has_any_word(std::string_view text, const std::string_view (&words)[kCount]) {
  bool found = false;
  for_each_word(text, [&](std::string_view word, std::size_t) {
    const std::string lower = to_lower(word);
    found = found || std::find(std::begin(words), std::end(words), lower) != std::end(words);
  });
  return found;
}

}  // namespace lockstep::writer::internal
