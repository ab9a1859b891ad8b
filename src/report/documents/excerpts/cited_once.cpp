#include "report/documents/excerpts/cited_once.h"

#include <string_view>

namespace lockstep::report {

std::string cited_once(std::string sentence, std::set<std::string>& cited) {
  // A place as place() marks it.
  constexpr std::string_view kOpen = " (\x01p";
  constexpr std::string_view kQuote = "\x02: \u201c";
  constexpr std::string_view kClose = "\u201d)";
  for (std::size_t at = sentence.find(kOpen); at != std::string::npos; at = sentence.find(kOpen, at)) {
    const std::size_t place_end = sentence.find('\x02', at + kOpen.size());
    const std::size_t end = place_end == std::string::npos ? std::string::npos : sentence.find(kClose, place_end);
    if (end == std::string::npos || std::string_view(sentence).substr(place_end, kQuote.size()) != kQuote) {
      at += kOpen.size();
      continue;
    }
    const std::size_t length = end + kClose.size() - at;
    if (cited.insert(sentence.substr(at, length)).second) {
      at += length;
    } else {
      sentence.erase(at, length);
    }
  }
  return sentence;
}

}  // namespace lockstep::report
