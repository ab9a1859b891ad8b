// File-level differences of two snapshots.
#include "repo/diff.h"

#include <algorithm>
#include <utility>

#include "base/worker_pool.h"
#include "repo/renames.h"

namespace lockstep::repo {
namespace {

// The files of both sides by what happened to their paths; indices into the snapshots.
struct PathChanges {
  std::vector<std::size_t> deleted, added;
  std::vector<std::pair<std::size_t, std::size_t>> changed;
};

PathChanges compare_paths(const std::vector<FileEntry>& before, const std::vector<FileEntry>& after) {
  PathChanges changes;
  std::size_t b = 0, a = 0;
  while (b < before.size() || a < after.size()) {
    if (a == after.size() || (b < before.size() && before[b].path < after[a].path)) {
      changes.deleted.push_back(b++);
    } else if (b == before.size() || after[a].path < before[b].path) {
      changes.added.push_back(a++);
    } else {
      if (before[b].kind != after[a].kind) {
        changes.deleted.push_back(b);
        changes.added.push_back(a);
      } else if (before[b].content_id != after[a].content_id || before[b].mode != after[a].mode) {
        changes.changed.emplace_back(b, a);
      }
      ++b, ++a;
    }
  }
  return changes;
}

FileChange make_change(ChangeKind kind, const FileEntry* before, std::size_t before_index, const FileEntry* after,
                       std::size_t after_index) {
  FileChange change;
  change.kind = kind;
  if (before != nullptr) {
    change.old_path = before->path;
    change.old_mode = before->mode;
    change.before_index = before_index;
    change.file_kind = before->kind;
  }
  if (after != nullptr) {
    change.new_path = after->path;
    change.new_mode = after->mode;
    change.after_index = after_index;
    change.file_kind = after->kind;
  }
  return change;
}

std::vector<FileChange> list_changes(const Snapshot& before, const Snapshot& after) {
  const PathChanges paths = compare_paths(before.files(), after.files());
  const std::vector<RenamePair> renames = find_renames(before, paths.deleted, after, paths.added);
  std::vector<FileChange> files;
  std::vector<bool> deleted_used(paths.deleted.size(), false), added_used(paths.added.size(), false);
  const auto add = [&](ChangeKind kind, std::optional<std::size_t> b, std::optional<std::size_t> a) -> FileChange& {
    files.push_back(make_change(kind, b ? &before.files()[*b] : nullptr, b.value_or(0),
                                a ? &after.files()[*a] : nullptr, a.value_or(0)));
    return files.back();
  };
  for (const RenamePair& pair : renames) {
    deleted_used[pair.deleted] = added_used[pair.added] = true;
    add(ChangeKind::renamed, paths.deleted[pair.deleted], paths.added[pair.added]).similarity_percent =
        pair.similarity_percent;
  }
  for (std::size_t i = 0; i < paths.deleted.size(); ++i) {
    if (!deleted_used[i]) add(ChangeKind::deleted, paths.deleted[i], std::nullopt);
  }
  for (std::size_t i = 0; i < paths.added.size(); ++i) {
    if (!added_used[i]) add(ChangeKind::added, std::nullopt, paths.added[i]);
  }
  for (const auto& [b, a] : paths.changed) {
    const bool same_bytes = before.files()[b].content_id == after.files()[a].content_id;
    add(same_bytes ? ChangeKind::mode_changed : ChangeKind::modified, b, a);
  }
  // The order in which they were added settles equal paths: deleted before added.
  std::stable_sort(files.begin(), files.end(),
                   [](const FileChange& x, const FileChange& y) { return x.path() < y.path(); });
  return files;
}

// What comparing one file's lines found out.
struct LineOutcome {
  std::optional<SnapshotProblem> problem;
  bool same_bytes = false;  // The ids differed, the bytes do not.
};

LineOutcome compare_lines(const Snapshot& before, const Snapshot& after, const DiffOptions& options,
                          FileChange& change) {
  if (change.file_kind == FileKind::submodule) {
    change.binary = true;
    return {};
  }
  if (change.before_index && change.after_index &&
      before.files()[*change.before_index].content_id == after.files()[*change.after_index].content_id) {
    return {};
  }
  Result<std::string> old_bytes = std::string(), new_bytes = std::string();
  if (change.before_index) old_bytes = before.read(*change.before_index);
  if (change.after_index) new_bytes = after.read(*change.after_index);
  if (!old_bytes || !new_bytes) {
    change.lines_known = false;
    return {SnapshotProblem{change.path(), (old_bytes ? new_bytes : old_bytes).error().message}, false};
  }
  if (change.before_index && change.after_index && *old_bytes == *new_bytes) return {std::nullopt, true};
  change.binary = is_binary(*old_bytes) || is_binary(*new_bytes);
  if (!change.binary) change.lines = diff_lines(*old_bytes, *new_bytes, options.context_lines);
  return {};
}

}  // namespace

SnapshotDiff diff_snapshots(const Snapshot& before, const Snapshot& after, const DiffOptions& options) {
  std::vector<FileChange> files = list_changes(before, after);
  std::vector<LineOutcome> outcomes(files.size());
  parallel_for(files.size(), options.jobs,
               [&](std::size_t i) { outcomes[i] = compare_lines(before, after, options, files[i]); });
  SnapshotDiff diff;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (outcomes[i].problem) diff.problems.push_back(std::move(*outcomes[i].problem));
    if (outcomes[i].same_bytes && files[i].kind == ChangeKind::modified) {
      if (files[i].old_mode == files[i].new_mode) continue;
      files[i].kind = ChangeKind::mode_changed;
    }
    diff.files.push_back(std::move(files[i]));
  }
  for (std::size_t i = 0; i < diff.files.size(); ++i) {
    if (!diff.files[i].old_path.empty()) diff.by_old_path.push_back(i);
  }
  std::sort(diff.by_old_path.begin(), diff.by_old_path.end(),
            [&](std::size_t x, std::size_t y) { return diff.files[x].old_path < diff.files[y].old_path; });
  return diff;
}

const FileChange* SnapshotDiff::find_after(std::string_view path) const {
  // Sorted by path(), which is the new path wherever there is one.
  auto at = std::lower_bound(files.begin(), files.end(), path,
                             [](const FileChange& change, std::string_view wanted) { return change.path() < wanted; });
  for (; at != files.end() && at->path() == path; ++at) {
    if (at->new_path == path) return &*at;
  }
  return nullptr;
}

const FileChange* SnapshotDiff::find_before(std::string_view path) const {
  const auto at = std::lower_bound(by_old_path.begin(), by_old_path.end(), path,
                                   [&](std::size_t i, std::string_view wanted) { return files[i].old_path < wanted; });
  return at != by_old_path.end() && files[*at].old_path == path ? &files[*at] : nullptr;
}

}  // namespace lockstep::repo
