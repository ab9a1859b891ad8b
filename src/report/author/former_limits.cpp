#include "report/author/former_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree.h"
#include "report/author/quotation.h"
#include "report/document.h"
#include "report/source/source_sentences.h"
#include "report/source/words.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostWords = 60;

template <std::size_t N>
bool has_one_of(std::string_view lower, const std::string_view (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return find_text(lower, word) != std::string_view::npos; });
}

bool says_what_is_not(std::string_view lower) {
  static constexpr std::string_view kWords[] = {"does not ", "do not ", "is not ",  "are not ", "cannot ", "can not ",
                                                "not yet ",  "isn't ",  "doesn't ", "don't ",   "can't "};
  return has_one_of(lower, kWords);
}

/// Whether it names a cause, or says that this is not the end of it.
bool says_why_or_until_when(std::string_view lower) {
  static constexpr std::string_view kWords[] = {"because ",    "since ",   "next pr",       "future pr", "follow-up",
                                                "followup",    "for now",  " yet",          "until ",    "will be ",
                                                "next change", "later pr", "addresses this"};
  return has_one_of(lower, kWords);
}

bool shares_word(const std::set<std::string>& title, std::string_view sentence) {
  const std::set<std::string> own = name_words(sentence, 5);
  return std::any_of(title.begin(), title.end(), [&](const std::string& word) { return own.contains(word); });
}

/// The limit that the lines state, with the sentence behind it where that says what comes; empty where they state none.
std::string limit_in(const std::vector<TextLine>& lines, const std::set<std::string>& title) {
  std::string text;
  for (const TextLine& one : lines) text += (text.empty() ? "" : " ") + std::string(trim(one.text));
  const std::vector<std::string_view> sentences = sentences_in(text);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::string lower = to_lower(sentences[i]);
    if (!says_what_is_not(lower) || !shares_word(title, sentences[i])) continue;
    const bool has_next = i + 1 < sentences.size() && says_why_or_until_when(to_lower(sentences[i + 1]));
    if (!has_next && !says_why_or_until_when(lower)) continue;
    std::string out(trim(sentences[i]));
    if (has_next && words_in(out) + words_in(sentences[i + 1]) <= kMostWords)
      out += " " + std::string(trim(sentences[i + 1]));
    if (words_in(out) <= kMostWords) return out;
  }
  return {};
}

const repo::FileChange* file_of(const DocumentInputs& inputs, std::string_view path_before) {
  const auto& files = inputs.change->files;
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const change::FileSummary& one) { return one.file->old_path == path_before; });
  return found == files.end() ? nullptr : found->file;
}

}  // namespace

std::vector<Saying> former_limits(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::vector<Saying> out;
  const std::set<std::string> title = name_words(inputs.title, 5);
  for (const Actor& actor : story.actors) {
    if (out.size() == most || inputs.before == nullptr) break;
    const auto& before = actor.change->before;
    if (!before || !actor.change->after || !actor.is_function() || actor.steps.after_source == nullptr) continue;
    const repo::FileChange* file = file_of(inputs, before->path);
    const program::ModuleId module = inputs.before->find_path(before->path);
    if (file == nullptr || !module.valid()) continue;
    const python::ParsedFile& parsed = *inputs.before->modules()[module].facts->file;
    for (const std::vector<TextLine>& block : comments_within(parsed, before->first_line, before->last_line)) {
      const bool goes = std::all_of(block.begin(), block.end(),
                                    [&](const TextLine& one) { return file->lines.is_removed_line(one.line); });
      std::string limit = goes ? limit_in(block, title) : std::string();
      if (limit.empty() || contains(squeezed(actor.steps.after_source->bytes()), squeezed(limit))) continue;
      add_quotation(out,
                    fmt::format("{} ({} before the change)", kGoneComment, place(before->path, block.front().line)),
                    {std::move(limit), block.front().line, false});
      break;
    }
  }
  return out;
}

}  // namespace lockstep::report
