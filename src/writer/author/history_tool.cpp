#include "writer/author/history_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostEdits = 4;
constexpr std::size_t kTellingLine = 12;  // characters; shorter lines stand everywhere
constexpr std::size_t kLeastMoved = 3;    // lines that stood elsewhere

std::string sign_lines(const std::vector<std::string>& lines, std::string_view sign) {
  std::string text;
  for (const std::string& line : lines) text += fmt::format("\n{} {}", sign, line);
  return text;
}

void sort(std::vector<std::uint32_t>& lines) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

const change::FileSummary* changed_file(const report::DocumentInputs& inputs, std::string_view path) {
  const std::vector<change::FileSummary>& files = inputs.change->files;
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const change::FileSummary& file) { return file.file->new_path == path; });
  return found == files.end() ? nullptr : &*found;
}

// What stood there before the change: the lines themselves, or those that they replace.
std::vector<std::uint32_t> old_lines(const repo::LineDiff& diff, std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> lines;
  for (std::uint32_t line = first; line <= last; ++line) {
    if (const auto old = diff.map_new_to_old(line)) lines.push_back(*old);
  }
  for (const repo::Hunk& hunk : diff.hunks()) {
    for (const repo::DiffLine& one : hunk.lines) {
      if (one.kind == repo::LineKind::removed && one.new_line >= first && one.new_line <= last)
        lines.push_back(one.old_line);
    }
  }
  sort(lines);
  return lines;
}

// Lines that the change removed, by the numbers that they had: those stand before them in a diff.
std::vector<std::uint32_t> removed_lines(const repo::LineDiff& diff, std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> lines;
  for (const repo::Hunk& hunk : diff.hunks()) {
    for (const repo::DiffLine& one : hunk.lines) {
      if (one.kind == repo::LineKind::removed && one.old_line >= first && one.old_line <= last)
        lines.push_back(one.old_line);
    }
  }
  return lines;
}

// Of new lines, those that the change took out of another place with the same words: the file with most of them.
std::optional<repo::TouchedLines> moved_from(const report::DocumentInputs& inputs, const change::FileSummary& file,
                                             std::uint32_t first, std::uint32_t last) {
  std::set<std::string_view> added;
  for (const repo::Hunk& hunk : file.file->lines.hunks()) {
    for (const repo::DiffLine& line : hunk.lines) {
      const bool is_asked = line.kind == repo::LineKind::added && line.new_line >= first && line.new_line <= last;
      if (const std::string_view code = trim(line.text); is_asked && code.size() >= kTellingLine) added.insert(code);
    }
  }
  std::optional<repo::TouchedLines> best;
  for (const change::FileSummary& other : inputs.change->files) {
    repo::TouchedLines lines{other.file->old_path, {}};
    for (const repo::Hunk& hunk : other.file->lines.hunks()) {
      for (const repo::DiffLine& line : hunk.lines) {
        if (line.kind == repo::LineKind::removed && added.contains(trim(line.text)))
          lines.lines.push_back(line.old_line);
      }
    }
    sort(lines.lines);
    if (lines.lines.size() >= kLeastMoved && (!best || lines.lines.size() > best->lines.size()))
      best = std::move(lines);
  }
  return best;
}

std::string edits_text(const repo::LineEdits& edits, const repo::TouchedLines& lines) {
  std::vector<std::string> texts;
  const std::vector<std::vector<repo::LineEdit>> made = edits({lines}, kMostEdits);
  for (const repo::LineEdit& edit : made.front()) {
    const std::string brought =
        edit.merged.empty() ? std::string() : fmt::format(", which brought “{}”", join(edit.merged, "”, “"));
    const std::string from =
        edit.renamed_from.empty() ? std::string() : fmt::format(", which took the file from {}", edit.renamed_from);
    texts.push_back(fmt::format("{} {} “{}”{}{}{}{}{}", edit.commit.id.substr(0, 10), edit.commit.date.substr(0, 10),
                                edit.commit.subject, brought, from, edit.is_new_file ? " added the file" : "",
                                sign_lines(edit.removed, "-"), sign_lines(edit.added, "+")));
  }
  return texts.empty() ? "the history of these lines is not at hand" : join(texts, "\n");
}

}  // namespace

std::string history_text(const report::DocumentInputs& inputs, const repo::LineEdits& edits, const std::string& path,
                         std::int64_t first, std::int64_t last) {
  if (first < 1 || last < first || last - first >= kMostHistoryLines)
    return fmt::format("lines count from 1, the first before the last, {} at most", kMostHistoryLines);
  const auto from = static_cast<std::uint32_t>(first - 1), to = static_cast<std::uint32_t>(last - 1);
  const change::FileSummary* file = changed_file(inputs, path);
  if (file == nullptr) {
    repo::TouchedLines lines{path, {}};
    for (std::uint32_t line = from; line <= to; ++line) lines.lines.push_back(line);
    return edits_text(edits, lines);
  }
  std::vector<std::string> texts;
  if (const std::string& old_path = file->file->old_path; !old_path.empty()) {
    const std::vector<std::uint32_t> here = old_lines(file->file->lines, from, to);
    if (!here.empty()) texts.push_back(edits_text(edits, {old_path, here}));
    std::vector<std::uint32_t> gone = removed_lines(file->file->lines, from, to);
    std::erase_if(gone, [&](std::uint32_t line) { return std::binary_search(here.begin(), here.end(), line); });
    if (!gone.empty())
      texts.push_back(fmt::format("of the removed {} of the version before the change:\n{}",
                                  gone.size() == 1 ? fmt::format("line {}", gone.front() + 1)
                                                   : fmt::format("lines {} to {}", gone.front() + 1, gone.back() + 1),
                                  edits_text(edits, {old_path, gone})));
  }
  if (!texts.empty()) return join(texts, "\n\n");
  if (const auto lines = moved_from(inputs, *file, from, to))
    return fmt::format("these lines stood in {}, from line {} on, before the change:\n{}", lines->path,
                       lines->lines.front() + 1, edits_text(edits, *lines));
  return file->file->old_path.empty() ? "the file is new here" : "these lines are new here";
}

}  // namespace lockstep::writer
