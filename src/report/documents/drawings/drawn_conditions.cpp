#include "report/documents/drawings/drawn_conditions.h"

#include <string_view>

namespace lockstep::report {

std::string without_set_values(std::string words) {
  constexpr std::string_view kOpening = " (set to ";
  for (std::size_t at = words.find(kOpening); at != std::string::npos; at = words.find(kOpening, at)) {
    std::size_t depth = 0;
    std::size_t end = at + 1;
    for (; end < words.size(); ++end) {
      if (words[end] == '(') ++depth;
      if (words[end] == ')' && --depth == 0) break;
    }
    if (end == words.size()) break;  // A text within holds a parenthesis of its own.
    words.erase(at, end + 1 - at);
  }
  return words;
}

}  // namespace lockstep::report
