#include "report/author/former_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "python/tree.h"
#include "report/author/quotation.h"
#include "report/author/reason_words.h"
#include "report/author/title.h"
#include "report/document.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostWords = 60;

bool says_what_is_not(std::string_view lower) {
  static constexpr std::string_view kWords[] = {"does not ", "do not ", "is not ",  "are not ", "cannot ", "can not ",
                                                "not yet ",  "isn't ",  "doesn't ", "don't ",   "can't "};
  return says_one_of(lower, kWords);
}

/// Whether it names a cause, or says that this is not the end of it.
bool says_why_or_until_when(std::string_view lower) {
  static constexpr std::string_view kWords[] = {"because ",    "since ",   "next pr",       "future pr", "follow-up",
                                                "followup",    "for now",  "yet",           "until ",    "will be ",
                                                "next change", "later pr", "addresses this"};
  return says_one_of(lower, kWords);
}

/// The limit that the lines state, with the sentence behind it where that says what comes; empty where they state none.
std::string limit_in(const std::vector<TextLine>& lines, std::string_view title) {
  std::string text;
  for (const TextLine& one : lines) text += (text.empty() ? "" : " ") + std::string(trim(one.text));
  const std::vector<std::string_view> sentences = sentences_in(text);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::string lower = to_lower(sentences[i]);
    if (!says_what_is_not(lower) || !shares_words(title, sentences[i])) continue;
    const bool has_next = i + 1 < sentences.size() && says_why_or_until_when(to_lower(sentences[i + 1]));
    if (!has_next && !says_why_or_until_when(lower)) continue;
    std::string out(trim(sentences[i]));
    if (has_next && words_in(out) + words_in(sentences[i + 1]) <= kMostWords)
      out += " " + std::string(trim(sentences[i + 1]));
    if (words_in(out) <= kMostWords) return out;
  }
  return {};
}

/// The first sentence that calls the code around it wrong or a makeshift, with the one behind it where there is room;
/// empty where none does.
std::string fault_in(const std::vector<TextLine>& lines) {
  static constexpr std::string_view kFaults[] = {
      "is a bug",  "a bug in", "indicates a bug", "known bug",      "workaround", "work around",
      "is broken", "is wrong", "shouldn't be",    "should not be ", "hack "};
  std::string text;
  for (const TextLine& one : lines) text += (text.empty() ? "" : " ") + std::string(trim(one.text));
  const std::vector<std::string_view> sentences = sentences_in(text);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (!says_one_of(to_lower(sentences[i]), kFaults) || words_in(sentences[i]) > kMostWords) continue;
    std::string out(trim(sentences[i]));
    if (i + 1 < sentences.size() && words_in(out) + words_in(sentences[i + 1]) <= kMostWords)
      out += " " + std::string(trim(sentences[i + 1]));
    return out;
  }
  return {};
}

}  // namespace

std::vector<Saying> former_limits(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::vector<Saying> out;
  for (const Actor& actor : story.actors) {
    if (out.size() == most || inputs.before == nullptr) break;
    const auto& before = actor.change->before;
    if (!before || !actor.change->after || !actor.is_function() || actor.steps.after_source == nullptr) continue;
    const repo::FileChange* file = inputs.change->diff->find_before(before->path);
    const program::ModuleId module = inputs.before->find_path(before->path);
    if (file == nullptr || !module.valid()) continue;
    const python::ParsedFile& parsed = *inputs.before->modules()[module].facts->file;
    for (const std::vector<TextLine>& block : comments_within(parsed, before->first_line, before->last_line)) {
      const bool goes = std::all_of(block.begin(), block.end(),
                                    [&](const TextLine& one) { return file->lines.is_removed_line(one.line); });
      std::string limit = goes ? limit_in(block, inputs.title) : std::string();
      const bool carries = actor.role == Role::kCentral || actor.role == Role::kSupporting;
      if (limit.empty() && goes && carries && speaks_of_fault(inputs.title)) limit = fault_in(block);
      if (limit.empty() || contains(squeezed(actor.steps.after_source->bytes()), squeezed(limit))) continue;
      add_quotation(
          out, fmt::format("a comment that is gone ({} before the change)", place(before->path, block.front().line)),
          {std::move(limit), block.front().line, false});
      if (!out.empty()) out.back().is_gone = true;
      break;
    }
  }
  return out;
}

}  // namespace lockstep::report
