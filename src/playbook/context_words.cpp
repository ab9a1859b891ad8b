// The words around a claim, which say whether it is one: an order never to use a name does not claim that it exists.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "playbook/check_parts.h"

namespace lockstep::playbook {

namespace {

bool has_any(std::string_view text, std::span<const std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) {
    for (std::size_t at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1)) {
      const auto is_letter = [](char c) {
        // "old" inside "old_name.py" or "pkg/old" is part of a name, not a word of the sentence.
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '/' || c == '-';
      };
      const bool starts = at == 0 || !is_letter(text[at - 1]) || !is_letter(phrase.front());
      const std::size_t end = at + phrase.size();
      const bool ends = end >= text.size() || !is_letter(text[end]) || !is_letter(phrase.back());
      if (starts && ends) return true;
    }
    return false;
  });
}

bool starts_item(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.starts_with("- ") || text.starts_with("* ") || text.starts_with("+ ") || text.starts_with("|") ||
      text.starts_with("#"))
    return true;
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && (text[digits] == '.' || text[digits] == ')') &&
         digits + 1 < text.size() && text[digits + 1] == ' ';
}

}  // namespace

std::string sentence_at(const Page& page, std::uint32_t line, std::string_view text) {
  if (line >= page.is_prose.size() || !page.is_prose[line]) return to_lower(page.plain_line(line));
  std::uint32_t first = line, last = line;
  while (first > 0 && line - first < 8 && !starts_item(page.source.line(first)) && page.is_prose[first - 1]) --first;
  while (last + 1 < page.is_prose.size() && last - line < 8 && page.is_prose[last + 1] &&
         !starts_item(page.source.line(last + 1)))
    ++last;
  std::string before, rest;
  for (std::uint32_t i = first; i <= last; ++i) (i < line ? before : rest) += page.plain_line(i) + " ";
  const std::string paragraph = to_lower(before + rest);
  std::size_t at = paragraph.find(to_lower(replace_all(replace_all(text, "`", ""), "*", "")), before.size());
  if (at == std::string::npos) at = before.size();
  std::size_t start = 0, end = paragraph.size();
  for (const std::string_view stop : {". ", "; ", "! ", "? "}) {
    const std::size_t previous = at == 0 ? std::string::npos : paragraph.rfind(stop, at - 1);
    if (previous != std::string::npos) start = std::max(start, previous + 2);
    const std::size_t next = paragraph.find(stop, at + text.size());
    if (next != std::string::npos) end = std::min(end, next + 1);
  }
  return paragraph.substr(start, end - start);
}

bool speaks_of_absence(std::string_view sentence) {
  static constexpr std::array<std::string_view, 43> kPhrases = {
      "no longer",    "removed",        "deprecated", "used to",    "previous",      "previously",   "legacy",
      "renamed",      "formerly",       "old",        "was called", "don't",         "do not",       "never",
      "without",      "does not exist", "not exist",  "instead of", "obsolete",      "dropped",      "deleted",
      "doesn't",      "is gone",        "missing",    "planned",    "not yet",       "todo",         "must not",
      "should not",   "avoid",          "no such",    "forbidden",  "if present",    "if it exists", "if any",
      "when present", "rather than",    "don\u2019t", "cannot",     "not supported", "rename",       "had",
      "superseded"};
  return has_any(sentence, kPhrases);
}

bool speaks_of_making(std::string_view sentence) {
  static constexpr std::array<std::string_view, 35> kPhrases = {
      "create",   "creates",    "save",        "saved",   "saves",    "writes",     "write",
      "write to", "written to", "output",      "outputs", "generate", "generates",  "generated",
      "produces", "produce",    "mkdir",       "touch",   "dump",     "dumped",     "dumps",
      "land at",  "lands in",   "uploaded",    "cache",   "cached",   "download",   "downloaded",
      "name it",  "call it",    "will appear", "stored",  "emits",    "e.g. a new", "append"};
  return has_any(sentence, kPhrases);
}

bool speaks_of_elsewhere(std::string_view sentence) {
  static constexpr std::array<std::string_view, 20> kPhrases = {
      "upstream",      "pytorch repo",     "in pytorch",   "from pytorch",  "another repo",
      "other repo",    "external repo",    "your own",     "downstream",    "third-party",
      "site-packages", "in the container", "of pytorch",   "separate repo", "sister repo",
      "their repo",    "dev branch",       "branch under", "other branch",  "another branch"};
  return has_any(sentence, kPhrases);
}

bool takes_from_a_branch(const Page& page) { return page.of_another_branch; }

bool is_placeholder(std::string_view text) {
  const std::string lower = to_lower(text);
  static constexpr std::array<std::string_view, 18> kParts = {
      "path/to", "your_",  "your-", "/your",       "my_",         "my-", "foo", "bar.py", "xxx",
      "...",     "\u2026", "some_", "example.com", "placeholder", "<",   ">",   "my/",    "new_"};
  if (lower.starts_with("x/") || lower == "file.py" || lower == "script.py" || lower == "module.py") return true;
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) { return contains(lower, part); });
}

rules::Finding finding_at(const Page& page, std::uint32_t line, std::string_view rule, rules::Severity severity,
                          std::string message, std::string why, std::string fix) {
  rules::Finding finding;
  finding.rule = rule;
  finding.severity = severity;
  finding.category = rules::Category::kDocs;
  finding.certainty = rules::FindingCertainty::kLikely;
  finding.path = page.path;
  finding.start_line = finding.end_line = line;
  const std::uint32_t start = page.source.line_start(line);
  finding.span = {start, start + static_cast<std::uint32_t>(page.source.line(line).size())};
  finding.symbol = std::string(page.section_of(line));
  finding.message = std::move(message);
  finding.why = std::move(why);
  finding.fix = std::move(fix);
  return finding;
}

void suggest(rules::Finding& finding, const Page& page, std::string_view from, std::string_view to) {
  const std::string_view line = page.source.line(finding.start_line);
  const std::size_t at = line.find(from);
  if (from.empty() || at == std::string_view::npos || line.find(from, at + 1) != std::string_view::npos) return;
  finding.suggestion = fmt::format("{}{}{}\n", line.substr(0, at), to, line.substr(at + from.size()));
}

void suggest_everywhere(rules::Finding& finding, const Page& page, std::string_view from, std::string_view to) {
  if (from.empty()) return;
  const std::string_view line = page.source.line(finding.start_line);
  const auto joins = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '/';
  };
  std::string text;
  std::size_t done = 0;
  for (std::size_t at = line.find(from); at != std::string_view::npos; at = line.find(from, at + from.size())) {
    const std::size_t end = at + from.size();
    const bool dotted = at >= 1 && line[at - 1] == '.' && !(at >= 2 && line[at - 2] == ' ');
    const bool whole = (at == 0 || (!joins(line[at - 1]) && !dotted)) && (end >= line.size() || !joins(line[end]));
    if (!whole) return;  // part of a longer name: what that one means is not known
    text += line.substr(done, at - done);
    text += to;
    done = end;
  }
  if (done > 0) finding.suggestion = fmt::format("{}{}\n", text, line.substr(done));
}

}  // namespace lockstep::playbook
