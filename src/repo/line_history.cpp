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
constexpr std::size_t kMostMerged = 3;       // titles of what a merge brought
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

// `asked` are lines of the text after the commit.
EditedPlace place_of(const Hunk& hunk, const std::vector<std::uint32_t>& asked, std::size_t count) {
  EditedPlace place;
  place.wrote = static_cast<std::uint32_t>(count);
  bool is_found = false;
  for (const DiffLine& line : hunk.lines) {
    if (line.kind == LineKind::removed) place.removed.push_back(line.text);
    if (line.kind != LineKind::added) continue;
    if (!is_found && std::find(asked.begin(), asked.end(), line.new_line) != asked.end()) {
      is_found = true;
      place.first_asked = static_cast<std::uint32_t>(place.added.size());
    }
    place.added.push_back(line.text);
  }
  return place;
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

namespace {

/// Some lines on their way back, and the commits that made them.
struct Followed {
  std::size_t file = 0;
  std::vector<std::uint32_t> lines;  // of the newer commit's text
  std::vector<LineEdit> edits;
  bool is_open = true;
};

/// What the commit did to the lines; leaves in them what stood there before.
void follow(const FileStep& step, const std::string& before, const LineDiff& diff, Followed& followed) {
  LineEdit edit;
  edit.commit = info_of(step.commit);
  edit.renamed_from = step.renamed_from;
  std::vector<std::uint32_t> older;
  for (const std::uint32_t line : followed.lines) {
    if (const auto old = diff.map_new_to_old(line)) older.push_back(*old);
  }
  for (const Hunk& hunk : diff.hunks()) {
    const auto is_here = [&](std::uint32_t line) {
      return line >= hunk.new_start && line < hunk.new_start + hunk.new_count;
    };
    const auto count = static_cast<std::size_t>(std::count_if(followed.lines.begin(), followed.lines.end(), is_here));
    if (count == 0) continue;
    edit.wrote += static_cast<std::uint32_t>(count);
    add_lines(hunk.lines, LineKind::removed, edit.removed);
    add_lines(hunk.lines, LineKind::added, edit.added);
    edit.places.push_back(place_of(hunk, followed.lines, count));
    for (std::uint32_t line = hunk.old_start; line < hunk.old_start + hunk.old_count; ++line) {
      edit.removed_lines.push_back(line);
      if (hunk.old_count <= count * kMostForALine) older.push_back(line);
    }
  }
  std::sort(older.begin(), older.end());
  followed.lines = std::move(older);
  if (edit.wrote == 0) return;  // they only moved
  std::stable_sort(edit.places.begin(), edit.places.end(),
                   [](const EditedPlace& a, const EditedPlace& b) { return a.wrote > b.wrote; });
  edit.before = before;
  followed.edits.push_back(std::move(edit));
}

// "Merge branch 'x' into 'main'" says nothing of what it did; the titles of what it brought do.
std::vector<std::string> merged_by(const Repository& repository, const CommitInfo& commit) {
  if (commit.parents.size() < 2) return {};
  std::vector<std::string> titles;
  const Result<std::vector<CommitInfo>> brought = repository.commits_between(commit.parents.front(), commit.id);
  if (!brought) return titles;
  for (const CommitInfo& one : *brought) {
    const bool is_told = one.parents.size() < 2 && titles.size() < kMostMerged &&
                         std::find(titles.begin(), titles.end(), one.subject) == titles.end();
    if (is_told) titles.push_back(one.subject);
  }
  return titles;
}

void take_step(const FileStep& step, std::size_t most, std::vector<Followed>& all) {
  std::optional<std::string> before;
  std::optional<LineDiff> diff;
  for (Followed& followed : all) {
    if (!followed.is_open || followed.file != step.file) continue;
    if (step.is_new) {
      LineEdit edit;
      edit.commit = info_of(step.commit);
      edit.is_new_file = true;
      edit.wrote = static_cast<std::uint32_t>(followed.lines.size());
      followed.edits.push_back(std::move(edit));
      followed.is_open = false;
      continue;
    }
    if (!diff) {
      before = step.before();
      const std::optional<std::string> after = step.after();
      // Without context: neighbouring edits stay apart.
      if (before && after) diff = diff_lines(*before, *after, 0);
    }
    followed.is_open = diff.has_value();
    if (!followed.is_open) continue;
    follow(step, *before, *diff, followed);
    followed.is_open = followed.edits.size() < most && !followed.lines.empty();
  }
}

}  // namespace

std::vector<std::vector<LineEdit>> line_edits(const Repository& repository, std::string_view revision,
                                              const std::vector<TouchedLines>& lines, std::size_t most,
                                              std::size_t walked) {
  std::vector<std::vector<LineEdit>> edits(lines.size());
  if (!repository.is_git() || most == 0) return edits;
  std::vector<std::string> paths;
  std::vector<Followed> all;
  for (const TouchedLines& one : lines) {
    const auto path = std::find(paths.begin(), paths.end(), one.path);
    all.push_back({static_cast<std::size_t>(path - paths.begin()), one.lines, {}, !one.lines.empty()});
    if (path == paths.end()) paths.push_back(one.path);
  }
  walk_files(repository, revision, paths, walked, [&](const FileStep& step) {
    take_step(step, most, all);
    return std::any_of(all.begin(), all.end(),
                       [&](const Followed& one) { return one.is_open && one.file == step.file; });
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (LineEdit& edit : all[i].edits) edit.merged = merged_by(repository, edit.commit);
    edits[i] = std::move(all[i].edits);
  }
  return edits;
}

LineEdits line_edits_of(const Repository& repository, std::string revision, std::size_t walked) {
  return
      [repository, revision = std::move(revision), walked](const std::vector<TouchedLines>& lines, std::size_t most) {
        return line_edits(repository, revision, lines, most, walked);
      };
}

}  // namespace lockstep::repo
