#include "report/documents/content/short_reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/author/reason_words.h"
#include "report/document.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/source/code.h"
#include "report/source/sentence_ends.h"

namespace lockstep::report {

std::string reason_in_short(const Saying& saying) {
  std::string text = saying.paragraphs.front();
  if (text.starts_with("\u2022 ")) text = text.substr(4);
  const std::string reason = reason_in(with_backquotes(text));
  const std::size_t end = sentence_end(reason, 0);
  if (end == reason.size()) return own_words(first_sentence(reason, 240));
  return own_words(first_sentence(reason.substr(0, end), 160) + " " + first_sentence(reason.substr(end + 1), 120));
}

std::string reason_of_step_in_short(const OwnWords& words) {
  // What says what goes wrong otherwise before the rest, then what says plainly why; a part of a comment that gives no
  // reason by itself tells none.
  constexpr int kMost = 3;
  for (int weight = kMost; weight > 0; --weight) {
    for (const Saying& one : words.comments) {
      if (!one.is_of_step) continue;
      const std::string text = reason_in_short(one);
      if (weight_of_reason(with_backquotes(text)) >= weight)
        return fmt::format("Of one step a comment says ({}): \u201c{}\u201d", one.source, text);
    }
  }
  return {};
}

}  // namespace lockstep::report
