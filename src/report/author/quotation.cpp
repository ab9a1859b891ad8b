#include "report/author/quotation.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "base/strings.h"
#include "report/author/reason_words.h"
#include "report/document.h"
#include "report/documents/files.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostWordsOfList = 100;

/// Whether a sentence leans on the one before it, or is so short that it may.
bool wants_previous(std::string_view sentence) {
  constexpr std::size_t kShort = 60;
  return sentence.size() < kShort || leans_on_previous(sentence);
}

/// Whether more than one item of a list is taken.
template <typename IsTaken>
bool are_several_items(const std::vector<SourceSentence>& sentences, IsTaken is_taken) {
  std::size_t items = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) items += !sentences[i].mark.empty() && is_taken(i) ? 1 : 0;
  return items > 1;
}

/// "2. Free the buffer."; a dot before an item only where what stands before it, `text`, ends without a mark.
std::string with_mark(const SourceSentence& sentence, std::string_view text) {
  const bool is_number = !sentence.mark.empty() && std::isdigit(static_cast<unsigned char>(sentence.mark.front())) != 0;
  const bool is_parted = text.empty() || std::ispunct(static_cast<unsigned char>(text.back())) != 0;
  return sentence.mark.empty() || (!is_number && is_parted) ? sentence.text : sentence.mark + " " + sentence.text;
}

/// "Step 2: check the keys", "(2) check the keys" number the code.
bool numbers_steps(std::string_view sentence) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (sentence.size() > 3 && sentence[0] == '(' && is_digit(sentence[1]) && sentence[2] == ')') return true;
  const std::string lower = to_lower(sentence.substr(0, 12));
  for (const std::string_view word : {"step ", "phase ", "stage ", "case "}) {
    if (lower.starts_with(word) && lower.size() > word.size() && is_digit(lower[word.size()])) return true;
  }
  return false;
}

/// A note to come back to, or one for a linter.
bool defers_or_switches(std::string_view sentence) {
  static constexpr std::string_view kWords[] = {"todo", "fixme", "pylint", "type: ignore", "noqa"};
  const std::string lower = to_lower(sentence);
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return contains(lower, word); });
}

/// "TODO: restructure so that …": what is to come is for, not what is there.
bool is_only_planned(std::string_view sentence) {
  return leaves_undone(sentence) || (defers_or_switches(sentence) && !contains(sentence, " because "));
}

/// Whether a sentence says something that a reader of the code does not see: no heading, no note to come back to.
bool tells(std::string_view sentence) {
  constexpr std::size_t kFewWords = 6;
  return words_in(sentence) >= kFewWords && !defers_or_switches(sentence) && !leaves_undone(sentence);
}

}  // namespace

std::size_t words_in(std::string_view text) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : text) {
    if (c != ' ' && !inside) ++count;
    inside = c != ' ';
  }
  return count;
}

std::vector<std::string> condensed(std::vector<std::string> paragraphs, std::size_t most_words, bool& is_cut) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < paragraphs.size(); ++i) {
    const std::size_t own = words_in(paragraphs[i]);
    if (words + own > most_words && i > 0) {
      is_cut = true;
      paragraphs.resize(i);
      break;
    }
    if (own > most_words) {
      std::size_t at = 0;
      for (std::size_t n = 0; n < most_words && at != std::string::npos; ++n) at = paragraphs[i].find(' ', at + 1);
      if (at != std::string::npos) paragraphs[i] = paragraphs[i].substr(0, at) + " \u2026";
      is_cut = true;
    }
    words += own;
  }
  // "Before: \u2026", and "sanity check:" at the end: what they lead to is not quoted.
  constexpr std::size_t kFewWords = 5;
  const auto leads_nowhere = [&](const std::string& one) {
    const bool is_last = &one == &paragraphs.back();
    return words_in(one) <= kFewWords && (one.ends_with(": \u2026") || (is_last && one.ends_with(':')));
  };
  while (paragraphs.size() > 1 && leads_nowhere(paragraphs.back())) {
    is_cut = true;
    paragraphs.pop_back();
  }
  for (std::size_t i = paragraphs.size(); i-- > 0 && paragraphs.size() > 1;) {
    if (!leads_nowhere(paragraphs[i])) continue;
    is_cut = true;
    paragraphs.erase(paragraphs.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return paragraphs;
}

int reason_rank(std::string_view sentence) {
  if (says_why_plainly(sentence)) return 3;
  const std::string lower = to_lower(sentence);
  if (contains(lower, "rather than") || contains(lower, "instead of")) return 2;
  return explains_why(sentence) ? 1 : 0;
}

Quotation quotation_of(const std::vector<SourceSentence>& sentences, bool skips_first, Wanted what) {
  constexpr std::size_t kMostReasons = 2;
  const std::size_t first = skips_first ? 1 : 0;
  const auto fits = [&](const SourceSentence& one) {
    return one.is_new && !numbers_steps(one.text) && !one.text.ends_with(',') && !one.text.ends_with(';') &&
           (what == Wanted::kReasons ? explains_why(one.text) && !is_only_planned(one.text) : tells(one.text));
  };
  int rank = 0;
  for (std::size_t i = first; i < sentences.size() && what == Wanted::kReasons; ++i) {
    if (fits(sentences[i])) rank = std::max(rank, reason_rank(sentences[i].text));
  }
  std::set<std::size_t> wanted;
  std::size_t words = 0;
  std::size_t reasons = 0;
  Quotation out;
  for (std::size_t i = first; i < sentences.size(); ++i) {
    const SourceSentence& one = sentences[i];
    if (!fits(one) || (rank > 0 && reason_rank(one.text) < rank)) continue;
    // Back to a sentence that stands by itself; one that is told elsewhere, too, where what follows needs it.
    constexpr std::size_t kMostBefore = 2;
    std::size_t from = i;
    while (from > 0 && i - from < kMostBefore && sentences[from - 1].heading == one.heading &&
           (leans_on_previous(sentences[from].text) ||
            (from == i && from > first && sentences[from - 1].is_new && wants_previous(one.text) &&
             sentences[from - 1].paragraph == one.paragraph)))
      --from;
    std::size_t more = 0;
    for (std::size_t each = from; each <= i; ++each) more += wanted.contains(each) ? 0 : words_in(sentences[each].text);
    if (words > 0 && (words + more > kMostWordsEach || (what == Wanted::kReasons && reasons == kMostReasons))) {
      out.is_cut = true;
      break;
    }
    for (std::size_t each = from; each <= i; ++each) wanted.insert(each);
    words += more;
    ++reasons;
    // "It does one of these:" says nothing without them.
    if (!one.text.ends_with(':')) continue;
    for (std::size_t item = i + 1; item < sentences.size() && sentences[item].is_item && sentences[item].is_new;
         ++item) {
      words += words_in(sentences[item].text);
      if (words > kMostWordsOfList) break;
      wanted.insert(item);
    }
  }
  // One sentence that is left out between two may turn what the second says.
  constexpr std::size_t kMostBetween = 25;  // Words.
  for (std::size_t i = first; i + 2 < sentences.size(); ++i) {
    const SourceSentence& between = sentences[i + 1];
    if (wanted.contains(i) && !wanted.contains(i + 1) && wanted.contains(i + 2) && between.is_new &&
        between.paragraph == sentences[i].paragraph && between.paragraph == sentences[i + 2].paragraph &&
        words_in(between.text) <= kMostBetween)
      wanted.insert(i + 1);
  }
  std::size_t last = SIZE_MAX;
  const bool is_list = are_several_items(sentences, [&](std::size_t i) { return wanted.contains(i); });
  for (const std::size_t i : wanted) {
    if (out.text.empty()) out.first_line = sentences[i].first_line;
    if (!out.text.empty()) out.text += last + 1 == i ? " " : " … ";
    out.text += is_list ? with_mark(sentences[i], trim(out.text)) : sentences[i].text;
    last = i;
  }
  return out;
}

Quotation whole_paragraph(Quotation quotation, const std::vector<SourceSentence>& sentences) {
  const auto first = std::find_if(sentences.begin(), sentences.end(),
                                  [&](const SourceSentence& one) { return quotation.text.starts_with(one.text); });
  if (first == sentences.end()) return quotation;
  std::vector<SourceSentence> own;
  std::copy_if(sentences.begin(), sentences.end(), std::back_inserter(own),
               [&](const SourceSentence& one) { return one.paragraph == first->paragraph; });
  Quotation whole = whole_comment(quotation, own);
  return whole.text.size() > quotation.text.size() ? whole : quotation;
}

Quotation whole_comment(Quotation quotation, const std::vector<SourceSentence>& sentences) {
  if (quotation.text.empty()) return quotation;
  std::size_t words = 0;
  std::string text;
  const bool is_list = are_several_items(sentences, [](std::size_t) { return true; });
  for (const SourceSentence& one : sentences) {
    words += words_in(one.text);
    const bool is_plain = one.is_new && !numbers_steps(one.text) && !defers_or_switches(one.text);
    if (!is_plain || words > kMostWordsEach) return quotation;
    text += (text.empty() ? "" : " ") + (is_list ? with_mark(one, text) : one.text);
  }
  return {std::move(text), sentences.front().first_line, false};
}

void add_quotation(std::vector<Saying>& out, std::string source, Quotation quotation) {
  if (quotation.text.empty() || is_licence_text(quotation.text)) return;
  Saying saying;
  saying.source = std::move(source);
  saying.is_cut = quotation.is_cut;
  for (std::string& text : condensed({std::move(quotation.text)}, kMostWordsEach + 30, saying.is_cut))
    saying.paragraphs.push_back(own_words(text));
  const auto says = [&](const Saying& other) { return other.paragraphs == saying.paragraphs; };
  if (std::none_of(out.begin(), out.end(), says)) out.push_back(std::move(saying));
}

}  // namespace lockstep::report
