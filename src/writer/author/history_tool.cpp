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
constexpr std::size_t kMostRemoved = 40, kMostAdded = 24, kMostPlaces = 3;
constexpr std::size_t kBeforeAsked = 3;  // lines of a commit's before those asked for
constexpr std::size_t kSmallGap = 2;
constexpr std::size_t kLeastMoved = 3;  // lines that stood elsewhere

std::string more_text(std::size_t count) {
  return count == 0 ? std::string() : fmt::format("\n  \u2026 {}", count_of(count, "more line"));
}

// Lines `first` to `end`, and how many stand before and behind them.
std::string sign_lines(const std::vector<std::string>& lines, std::string_view sign, std::size_t first,
                       std::size_t end) {
  std::string text = more_text(first);
  for (std::size_t i = first; i < end; ++i) text += fmt::format("\n{} {}", sign, lines[i]);
  return text + more_text(lines.size() - end);
}

// What stood there, and what was written around the lines that were asked for.
std::string place_text(const repo::EditedPlace& place) {
  const std::size_t asked = place.first_asked, size = place.added.size();
  std::size_t first = asked > kBeforeAsked ? asked - kBeforeAsked : 0;
  std::size_t end = std::min(size, std::max<std::size_t>(asked + place.wrote, first + kMostAdded));
  end = std::min(end, first + kMostAdded);
  // To say that a few are left out is as long.
  if (first <= kSmallGap) first = 0;
  if (size - end <= kSmallGap) end = size;
  const std::size_t removed = place.removed.size();
  return sign_lines(place.removed, "-", 0, removed <= kMostRemoved + kSmallGap ? removed : kMostRemoved) +
         sign_lines(place.added, "+", first, end);
}

std::string places_text(const repo::LineEdit& edit) {
  std::string text;
  for (std::size_t i = 0; i < edit.places.size() && i < kMostPlaces; ++i)
    text += (i == 0 ? "" : "\n  and in another place:") + place_text(edit.places[i]);
  if (edit.places.size() > kMostPlaces)
    text += fmt::format("\n  and in {}", count_of(edit.places.size() - kMostPlaces, "more place"));
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
    const std::string from =
        edit.renamed_from.empty() ? std::string() : fmt::format(", which took the file from {}", edit.renamed_from);
    texts.push_back(fmt::format("{} {} “{}”{}{}{}", edit.commit.id.substr(0, 10), edit.commit.date.substr(0, 10),
                                edit.commit.subject, from, edit.is_new_file ? " added the file" : "",
                                places_text(edit)));
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
