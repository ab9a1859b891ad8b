#include "writer/author/words_of_all.h"

#include <algorithm>
#include <iterator>

#include "base/find_text.h"
#include "base/strings.h"

namespace lockstep::writer {

namespace {

constexpr std::string_view kOfAll[] = {"no test",     "no other",      "nothing else",   "no code",
                                       "no caller",   "no check",      "the only",       "only place",
                                       "nowhere",     "no existing",   "none of the",    "every caller",
                                       "all callers", "nothing calls", "nothing checks", "nothing refuses"};

}  // namespace

std::string_view words_of_all(std::string_view sentence) {
  const std::string lower = to_lower(sentence);
  const auto* found = std::find_if(std::begin(kOfAll), std::end(kOfAll), [&](std::string_view words) {
    for (std::size_t at = lower.find(words); at != std::string::npos; at = lower.find(words, at + 1)) {
      if (at == 0 || !is_name_char(lower[at - 1])) return true;
    }
    return false;
  });
  return found == std::end(kOfAll) ? std::string_view() : *found;
}

}  // namespace lockstep::writer
