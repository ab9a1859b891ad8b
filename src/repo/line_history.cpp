#include "repo/line_history.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "repo/diff.h"
#include "repo/file_walk.h"
#include "repo/repository_state.h"

namespace lockstep::repo {
namespace {

constexpr std::size_t kMostShownLines = 12;  // of one side of an edit
constexpr std::size_t kMostSides = 16;       // of merges that lines came from, in one walk
// An edit that put these lines in place of far more replaced something else, too: what stood there is no earlier form.
constexpr std::size_t kMostForALine = 6;

void add_origin(FileHistory& history, const git_commit* commit, std::size_t lines) {
  if (lines > 0) history.wrote.push_back({info_of(commit), static_cast<std::uint32_t>(lines)});
}

/// Lines that a merge has from another parent than the one that is followed: to be followed from there.
struct Side {
  std::size_t owner = 0;  ///< Whose lines they are.
  std::string commit;
  TouchedLines lines;
  std::size_t left = 0;  ///< Commits that may be walked.
};

/// Takes from `lines`, of the text after a merge, those that only another parent has.
void take_sides(const FileStep& step, const std::string& after, const LineDiff& to_first, std::size_t owner,
                std::vector<std::uint32_t>& lines, std::vector<Side>& sides) {
  for (const OtherParent& other : step.others) {
    if (sides.size() >= kMostSides) return;
    const auto is_here = [&](std::uint32_t line) { return to_first.map_new_to_old(line).has_value(); };
    if (std::all_of(lines.begin(), lines.end(), is_here)) return;
    const std::optional<std::string> text = other.text();
    if (!text) continue;
    const LineDiff to_other = diff_lines(*text, after);
    Side side{owner, other.commit, {other.path, {}}, step.left};
    std::vector<std::uint32_t> rest;
    for (const std::uint32_t line : lines) {
      const auto there = is_here(line) ? std::nullopt : to_other.map_new_to_old(line);
      there ? side.lines.lines.push_back(*there) : rest.push_back(line);
    }
    lines = std::move(rest);
    if (!side.lines.lines.empty()) sides.push_back(std::move(side));
  }
}

/// Takes from `lines` those that the commit wrote; false where that cannot be told.
bool attribute(const FileStep& step, std::vector<std::uint32_t>& lines, FileHistory& history,
               std::vector<Side>& sides) {
  if (step.is_new) {
    add_origin(history, step.commit, lines.size());
    lines.clear();
    return true;
  }
  if (lines.empty()) return true;
  const std::optional<std::string> before = step.before(), after = step.after();
  if (!before || !after) return false;
  const LineDiff diff = diff_lines(*before, *after);
  take_sides(step, *after, diff, step.file, lines, sides);
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

namespace {

bool is_newer(const CommitInfo& a, const CommitInfo& b) { return a.date > b.date; }

std::vector<FileHistory> histories_within(const Repository& repository, std::string_view revision,
                                          const std::vector<TouchedLines>& files, std::size_t walked) {
  std::vector<FileHistory> histories(files.size());
  std::vector<std::vector<std::uint32_t>> lines(files.size());
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < files.size(); ++i) {
    histories[i].path = files[i].path;
    lines[i] = files[i].lines;
    paths.push_back(files[i].path);
  }
  std::vector<Side> sides;
  walk_files(repository, revision, paths, walked, [&](const FileStep& step) {
    FileHistory& history = histories[step.file];
    if (history.newest.size() < kMostNewest) history.newest.push_back(info_of(step.commit));
    return attribute(step, lines[step.file], history, sides) &&
           (!lines[step.file].empty() || history.newest.size() < kMostNewest);
  });
  for (std::size_t i = 0; i < files.size(); ++i) histories[i].older = static_cast<std::uint32_t>(lines[i].size());
  for (const Side& side : sides) {
    FileHistory& history = histories[side.owner];
    FileHistory found = std::move(histories_within(repository, side.commit, {side.lines}, side.left).front());
    history.older += found.older;
    for (LineOrigin& origin : found.wrote) {
      const auto same = std::find_if(history.wrote.begin(), history.wrote.end(),
                                     [&](const LineOrigin& one) { return one.commit.id == origin.commit.id; });
      if (same == history.wrote.end())
        history.wrote.push_back(std::move(origin));
      else
        same->lines += origin.lines;
    }
    std::stable_sort(history.wrote.begin(), history.wrote.end(),
                     [](const LineOrigin& a, const LineOrigin& b) { return is_newer(a.commit, b.commit); });
  }
  return histories;
}

}  // namespace

std::vector<FileHistory> line_histories(const Repository& repository, std::string_view revision,
                                        const std::vector<TouchedLines>& files) {
  if (!repository.is_git() || files.empty() || !repository.resolve(revision)) return {};
  return histories_within(repository, revision, files, kMostWalked);
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

void take_step(const FileStep& step, std::size_t most, std::vector<Followed>& all, std::vector<Side>& sides) {
  std::optional<std::string> before, after;
  std::optional<LineDiff> diff;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Followed& followed = all[i];
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
      after = step.after();
      // Without context: neighbouring edits stay apart.
      if (before && after) diff = diff_lines(*before, *after, 0);
    }
    followed.is_open = diff.has_value();
    if (!followed.is_open) continue;
    take_sides(step, *after, *diff, i, followed.lines, sides);
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
  std::vector<Side> sides;
  walk_files(repository, revision, paths, walked, [&](const FileStep& step) {
    take_step(step, most, all, sides);
    return std::any_of(all.begin(), all.end(),
                       [&](const Followed& one) { return one.is_open && one.file == step.file; });
  });
  for (std::size_t i = 0; i < all.size(); ++i) edits[i] = std::move(all[i].edits);
  for (const Side& side : sides) {
    std::vector<LineEdit>& made = edits[side.owner];
    std::vector<LineEdit> further =
        std::move(line_edits(repository, side.commit, {side.lines}, most, side.left).front());
    std::move(further.begin(), further.end(), std::back_inserter(made));
    std::stable_sort(made.begin(), made.end(),
                     [](const LineEdit& a, const LineEdit& b) { return is_newer(a.commit, b.commit); });
    if (made.size() > most) made.erase(made.begin() + static_cast<std::ptrdiff_t>(most), made.end());
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
