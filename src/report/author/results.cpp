#include "report/author/results.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "report/author/quotation.h"
#include "report/author/template.h"
#include "report/document.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostWordsEach = 45;
constexpr std::size_t kFewestWords = 5;

bool has_any(std::string_view lower, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return contains(lower, word); });
}

/// The words of a heading ("## Test plan", "**Results:**", "Testing:"); empty for other lines.
std::string_view heading_of(std::string_view line) {
  constexpr std::size_t kMostWords = 5;
  std::string_view text = trim(line);
  const bool is_marked = text.starts_with("#") || (text.starts_with("**") && text.ends_with("**"));
  while (!text.empty() && std::string_view("#*_ ").find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (!text.empty() && std::string_view("#*_ ").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  const bool ends_open = text.ends_with(':');
  if (ends_open) text.remove_suffix(1);
  return (is_marked || ends_open) && words_in(text) <= kMostWords ? text : std::string_view();
}

bool heads_results(std::string_view heading) {
  return has_any(to_lower(heading), {"test plan", "testing", "test result", "results", "verification", "validation"});
}

/// Whether a paragraph tells of something that did not go as it should, and not that it was mended or never came.
bool tells_of_failure(std::string_view paragraph) {
  // A list of observations weighs several things.
  if (paragraph.starts_with("- ") || paragraph.starts_with("* ")) return false;
  const std::string lower = to_lower(paragraph);
  if (has_any(lower, {"no mismatch", "0 mismatch", "without", "before this", "before the", "fixed", "no longer",
                      "previously", "on main", "unrelated", "pre-existing", "no regression", "not regress", "[x]",
                      "[ ]", "to verify", "confirm"}))
    return false;
  return has_any(lower, {"loss mismatch", "mismatch at step", "assertionerror:", "does not match", "do not match",
                         "did not match", "not bitwise", "regression of"});
}

void add_of(const std::string& body, std::string_view templates, std::size_t most, std::vector<Saying>& out) {
  std::string heading;
  std::string paragraph;
  bool in_code = false;
  const auto flush = [&] {
    const std::string text = std::exchange(paragraph, {});
    if (heading.empty() || out.size() >= most || words_in(text) < kFewestWords || !tells_of_failure(text) ||
        stands_in_template(templates, text))
      return;
    Saying saying;
    saying.source = heading;
    for (const std::string& one : condensed({text}, kMostWordsEach, saying.is_cut))
      saying.paragraphs.push_back(own_words(one));
    out.push_back(std::move(saying));
  };
  for (const std::string_view line : split_lines(body)) {
    const std::string_view text = trim(line);
    if (text.starts_with("```")) {
      flush();
      in_code = !in_code;
      continue;
    }
    if (in_code) continue;
    if (const std::string_view found = heading_of(line); !found.empty()) {
      flush();
      heading = heads_results(found) ? std::string(found) : std::string();
      continue;
    }
    if (text.empty()) {
      flush();
      continue;
    }
    paragraph.append(paragraph.empty() ? "" : " ").append(text);
  }
  flush();
}

}  // namespace

std::vector<Saying> failures_in_words(const DocumentInputs& inputs, std::size_t most) {
  std::vector<Saying> out;
  const std::string templates = letters_of_templates(inputs);
  if (!inputs.body.empty()) {
    add_of(inputs.body, templates, most, out);
    return out;
  }
  for (const repo::CommitInfo& commit : inputs.commits) add_of(commit.body, templates, most, out);
  return out;
}

}  // namespace lockstep::report
