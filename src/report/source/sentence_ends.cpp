#include "report/source/sentence_ends.h"

#include <algorithm>
#include <cctype>

namespace lockstep::report {

bool ends_sentence(std::string_view text, std::size_t at) {
  const bool stop = text[at] == '.' || text[at] == '!' || text[at] == '?';
  if (!stop || (at + 1 < text.size() && text[at + 1] != ' ')) return false;
  if (at + 1 == text.size()) return true;
  const std::string_view head = text.substr(0, at + 1);
  const auto is_last = [&](std::string_view one) {
    if (!head.ends_with(one)) return false;
    const std::size_t start = head.size() - one.size();
    return start == 0 || std::isalnum(static_cast<unsigned char>(head[start - 1])) == 0;
  };
  static constexpr std::string_view kAbbreviations[] = {"approx.", "cf.",   "e.g.", "i.e.",
                                                        "incl.",   "resp.", "vs.",  "w.r.t."};
  if (std::any_of(std::begin(kAbbreviations), std::end(kAbbreviations), is_last)) return false;
  const std::size_t next = text.find_first_not_of(' ', at + 1);
  const bool goes_on = next != std::string_view::npos && std::isupper(static_cast<unsigned char>(text[next])) == 0;
  return !(is_last("etc.") && goes_on);
}

std::size_t sentence_end(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (ends_sentence(text, at)) return at + 1;
  }
  return text.size();
}

std::size_t sentence_begin(std::string_view text, std::size_t at) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < std::min(at, text.size()); ++i) {
    if (ends_sentence(text, i)) begin = std::min(text.find_first_not_of(' ', i + 1), text.size());
  }
  return std::min(begin, at);
}

}  // namespace lockstep::report
