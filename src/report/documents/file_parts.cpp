#include "report/documents/file_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "change/summary.h"
#include "report/documents/files.h"
#include "report/source/code.h"

namespace lockstep::report {

using change::FileCategory;
using change::FileSummary;

/// Of tests: what they compare with, which follows what they run.
static bool is_data(std::string_view path) {
  static constexpr std::string_view kEndings[] = {".json", ".jsonl", ".csv", ".txt"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

std::vector<const FileSummary*> files_in_order(const DocumentInputs& inputs) {
  std::vector<const FileSummary*> files;
  for (const FileSummary& file : inputs.change->files) files.push_back(&file);
  const auto rank = [](const FileSummary* file) {
    switch (file->category) {
      case FileCategory::kSource:
        return 0;
      case FileCategory::kNative:
        return 1;
      case FileCategory::kScript:
        return 2;
      case FileCategory::kTest:
        return is_data(file->file->path()) ? 5 : 4;
      default:
        return 3;
    }
  };
  // Of files in which only imports differ the lines say nothing: how many of them are layout is chance. The shortest
  // shows best what differs.
  const auto lines = [](const FileSummary* file) {
    const auto count = static_cast<std::ptrdiff_t>(file->lines_added + file->lines_removed);
    return change::tells_only_imports(*file) ? count : -count;
  };
  std::stable_sort(files.begin(), files.end(), [&](const FileSummary* a, const FileSummary* b) {
    return std::make_pair(rank(a), lines(a)) < std::make_pair(rank(b), lines(b));
  });
  return files;
}

std::string_view kind_word(const repo::FileChange& file) {
  switch (file.kind) {
    case repo::ChangeKind::added:
      return "new";
    case repo::ChangeKind::deleted:
      return "deleted";
    case repo::ChangeKind::renamed:
      return "renamed";
    case repo::ChangeKind::mode_changed:
      return "mode changed";
    case repo::ChangeKind::modified:
      break;
  }
  return "modified";
}

std::string_view category_word(FileCategory category) {
  switch (category) {
    case FileCategory::kSource:
      return "source code";
    case FileCategory::kTest:
      return "tests";
    case FileCategory::kDocs:
      return "documentation";
    case FileCategory::kConfig:
      return "configuration";
    case FileCategory::kCi:
      return "CI";
    case FileCategory::kBuild:
      return "build files";
    case FileCategory::kDependencies:
      return "dependencies";
    case FileCategory::kNative:
      return "native code";
    case FileCategory::kScript:
      return "scripts";
    case FileCategory::kData:
      return "data";
    case FileCategory::kNotebook:
      return "notebooks";
    case FileCategory::kBinary:
      return "binary files";
    case FileCategory::kOther:
      break;
  }
  return "other files";
}

std::string category_words(const change::Change& change) {
  std::map<FileCategory, std::size_t> counts;
  for (const FileSummary& file : change.files) ++counts[file.category];
  std::vector<std::string> words;
  for (const auto& [category, count] : counts)
    words.push_back(fmt::format("{} ({})", category_word(category), count_of(count, "file")));
  return join_words(words);
}

namespace {

/// One line of a diff, cut at a character with "…" where it is very long.
std::string cut_line(std::string_view text) {
  constexpr std::size_t kMostBytes = 160;
  while (text.ends_with('\r')) text.remove_suffix(1);
  if (text.size() <= kMostBytes) return std::string(text);
  return std::string(cut_at_character(text, kMostBytes)) + "\u2026";
}

/// Where the text of a file starts that opens with a licence: past its comment. 0 where there is none.
std::uint32_t line_past_licence(const repo::FileChange& file) {
  constexpr std::uint32_t kMostLines = 60;
  if (file.lines.hunks().empty() || file.kind != repo::ChangeKind::added) return 0;
  const auto& lines = file.lines.hunks().front().lines;
  bool in_html = false;
  bool is_licence = false;
  for (std::uint32_t i = 0; i < lines.size() && i < kMostLines; ++i) {
    const std::string_view text = trim(lines[i].text);
    in_html = in_html || text.starts_with("<!--") || text.starts_with("/*");
    if (!in_html && !text.empty() && !text.starts_with("#") && !text.starts_with("//"))
      return is_licence ? lines[i].new_line : 0;
    is_licence = is_licence || is_licence_text(text);
    // A heading of Markdown looks like a comment.
    if (!in_html && text.starts_with("# ") && file.path().ends_with(".md")) return is_licence ? lines[i].new_line : 0;
    if (text.ends_with("-->") || text.ends_with("*/")) in_html = false;
  }
  return 0;
}

/// Removed lines of a hunk, by index, that are not shown, for what stands in their place to have room.
struct PassedLines {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Of the removed lines that begin at `index` those that leave half of the room to the added ones behind them; none
/// where all find room, or nothing takes their place.
PassedLines passed_lines(const repo::Hunk& hunk, std::size_t index, std::size_t room) {
  const auto end_of = [&](std::size_t at, repo::LineKind kind) {
    while (at < hunk.lines.size() && hunk.lines[at].kind == kind) ++at;
    return at;
  };
  const std::size_t removed = end_of(index, repo::LineKind::removed);
  const std::size_t added = end_of(removed, repo::LineKind::added);
  const std::size_t first = index + std::max<std::size_t>(room / 2, 1);
  if (removed == index || added == removed || added - index <= room || first >= removed) return {index, index};
  return {first, removed};
}

}  // namespace

CodeBlock file_excerpt(const FileSummary& file, std::size_t most_lines) {
  constexpr std::size_t kMostBetween = 4;
  CodeBlock block;
  block.language = "diff";
  block.path = file.file->path();
  std::size_t left = 0;
  const std::uint32_t start = line_past_licence(*file.file);
  for (const repo::Hunk& hunk : file.file->lines.hunks()) {
    if (!block.lines.empty() && block.lines.size() < most_lines) block.lines.emplace_back("  \u2026");
    std::vector<const repo::DiffLine*> between;  // Unchanged lines since the last changed one.
    bool any = false;
    PassedLines passed;
    for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
      const repo::DiffLine& line = hunk.lines[i];
      if (line.new_line < start) continue;
      if (i >= passed.first && i < passed.end) {
        if (i == passed.first) block.lines.emplace_back("  \u2026");
        ++left;
        continue;
      }
      if (line.kind == repo::LineKind::context) {
        between.push_back(&line);
        continue;
      }
      if (block.lines.size() >= most_lines) {
        ++left;
        continue;
      }
      // Without what stands between them, changed lines read as if they met.
      if (any && between.size() > kMostBetween) block.lines.emplace_back("  \u2026");
      if (any && between.size() <= kMostBetween) {
        for (const repo::DiffLine* kept : between) block.lines.push_back(fmt::format("  {}", cut_line(kept->text)));
      }
      between.clear();
      any = true;
      if (i >= passed.end) passed = passed_lines(hunk, i, most_lines - block.lines.size());
      if (!block.first_line) block.first_line = line.new_line;
      block.last_line =
          std::max(*block.first_line,
                   line.kind == repo::LineKind::added || line.new_line == 0 ? line.new_line : line.new_line - 1);
      block.lines.push_back(fmt::format("{} {}", line.kind == repo::LineKind::added ? '+' : '-', cut_line(line.text)));
    }
  }
  if (file.file->kind == repo::ChangeKind::deleted) {
    block.first_line.reset();
    block.last_line.reset();
  }
  if (left > 0) block.lines.push_back(fmt::format("  \u2026 ({} more lines)", left));
  return block;
}

}  // namespace lockstep::report
