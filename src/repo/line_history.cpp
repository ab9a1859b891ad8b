#include "repo/line_history.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "repo/diff.h"
#include "repo/file_walk.h"
#include "repo/repository_state.h"

namespace lockstep::repo {
namespace {

constexpr std::size_t kMostShownLines = 12;  // of one side of an edit
// An edit that put these lines in place of far more replaced something else, too: what stood there is no earlier form.
constexpr std::size_t kMostForALine = 6;

void add_origin(FileHistory& history, const git_commit* commit, std::size_t lines) {
  if (lines > 0) history.wrote.push_back({info_of(commit), static_cast<std::uint32_t>(lines)});
}

/// Takes from `lines` those that the commit wrote; false where that cannot be told.
bool attribute(const FileStep& step, std::vector<std::uint32_t>& lines, FileHistory& history) {
  if (step.is_new) {
    add_origin(history, step.commit, lines.size());
    lines.clear();
    return true;
  }
  if (lines.empty()) return true;
  const std::optional<std::string> before = step.before(), after = step.after();
  if (!before || !after) return false;
  const LineDiff diff = diff_lines(*before, *after);
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t line : lines) {
    if (const auto old = diff.map_new_to_old(line)) kept.push_back(*old);
  }
  add_origin(history, step.commit, lines.size() - kept.size());
  lines = std::move(kept);
  return true;
}

void add_lines(const std::vector<DiffLine>& lines, LineKind kind, std::vector<std::string>& out) {
  for (const DiffLine& line : lines) {
    if (line.kind == kind && out.size() < kMostShownLines) out.push_back(line.text);
  }
}

}  // namespace

std::vector<FileHistory> line_histories(const Repository& repository, std::string_view revision,
                                        const std::vector<TouchedLines>& files) {
  if (!repository.is_git() || files.empty() || !repository.resolve(revision)) return {};
  std::vector<FileHistory> histories(files.size());
  std::vector<std::vector<std::uint32_t>> lines(files.size());
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < files.size(); ++i) {
    histories[i].path = files[i].path;
    lines[i] = files[i].lines;
    paths.push_back(files[i].path);
  }
  walk_files(repository, revision, paths, kMostWalked, [&](const FileStep& step) {
    FileHistory& history = histories[step.file];
    if (history.newest.size() < kMostNewest) history.newest.push_back(info_of(step.commit));
    return attribute(step, lines[step.file], history) &&
           (!lines[step.file].empty() || history.newest.size() < kMostNewest);
  });
  for (std::size_t i = 0; i < files.size(); ++i) histories[i].older = static_cast<std::uint32_t>(lines[i].size());
  return histories;
}

std::vector<LineEdit> line_edits(const Repository& repository, std::string_view revision, const TouchedLines& lines,
                                 std::size_t most) {
  std::vector<LineEdit> edits;
  if (!repository.is_git() || lines.lines.empty()) return edits;
  std::vector<std::uint32_t> tracked = lines.lines;
  walk_files(repository, revision, {lines.path}, kMostWalked, [&](const FileStep& step) {
    LineEdit edit;
    edit.commit = info_of(step.commit);
    edit.is_new_file = step.is_new;
    if (step.is_new) {
      edit.wrote = static_cast<std::uint32_t>(tracked.size());
      edits.push_back(std::move(edit));
      return false;
    }
    std::optional<std::string> before = step.before();
    const std::optional<std::string> after = step.after();
    if (!before || !after) return false;
    // Without context: neighbouring edits stay apart.
    const LineDiff diff = diff_lines(*before, *after, 0);
    std::vector<std::uint32_t> older;
    for (const std::uint32_t line : tracked) {
      if (const auto old = diff.map_new_to_old(line)) older.push_back(*old);
    }
    for (const Hunk& hunk : diff.hunks()) {
      const auto is_here = [&](std::uint32_t line) {
        return line >= hunk.new_start && line < hunk.new_start + hunk.new_count;
      };
      const auto count = static_cast<std::size_t>(std::count_if(tracked.begin(), tracked.end(), is_here));
      if (count == 0) continue;
      edit.wrote += static_cast<std::uint32_t>(count);
      add_lines(hunk.lines, LineKind::removed, edit.removed);
      add_lines(hunk.lines, LineKind::added, edit.added);
      for (std::uint32_t line = hunk.old_start; line < hunk.old_start + hunk.old_count; ++line) {
        edit.removed_lines.push_back(line);
        if (hunk.old_count <= count * kMostForALine) older.push_back(line);
      }
    }
    if (edit.added.empty()) {  // they only moved
      tracked = std::move(older);
      return true;
    }
    edit.before = std::move(*before);
    edits.push_back(std::move(edit));
    std::sort(older.begin(), older.end());
    tracked = std::move(older);
    return edits.size() < most && !tracked.empty();
  });
  return edits;
}

LineEdits line_edits_of(const Repository& repository, std::string revision) {
  return [repository, revision = std::move(revision)](const TouchedLines& lines, std::size_t most) {
    return line_edits(repository, revision, lines, most);
  };
}

}  // namespace lockstep::repo
