// A whole patch over a snapshot.
//
// The diffs of one mail (or of a patch without mails) all speak of the files as they were before it, so that two files
// may swap names; a later diff of the same file builds on the earlier one's result; a later mail builds on the whole
// mail.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/strings.h"
#include "repo/patch.h"

namespace lockstep::repo {
namespace {

constexpr std::uint64_t kMaxTotalBytes = 1u << 30;  // All patched files together.
constexpr std::string_view kSubmodulePrefix = "Subproject commit ";

using Changes = std::map<std::string, std::optional<MemoryFile>>;

FileKind kind_of_mode(std::uint32_t mode) {
  if ((mode & 0170000) == 0120000) return FileKind::symlink;
  return (mode & 0170000) == 0160000 ? FileKind::submodule : FileKind::file;
}

std::string base_step() { return "name the revision that the patch was made from: `--base REV`"; }

class PatchApplier {
 public:
  PatchApplier(const Snapshot& base, const Patch& patch) : base_(base), patch_(patch) {}

  Result<AppliedPatch> run() {
    for (std::size_t first = 0; first < patch_.files.size();) {
      std::size_t last = first;
      while (last < patch_.files.size() && patch_.files[last].part == patch_.files[first].part) ++last;
      Result<void> part = apply_part(first, last);
      if (!part) return tl::unexpected(part.error());
      first = last;
    }
    return AppliedPatch{overlay_snapshot(base_, std::move(before_part_)), std::move(problems_)};
  }

 private:
  Result<void> apply_part(std::size_t first, std::size_t last) {
    in_part_.clear();
    moved_away_.clear();
    for (std::size_t i = first; i < last; ++i) {
      const FilePatch& file = patch_.files[i];
      if (file.kind == ChangeKind::deleted || (file.kind == ChangeKind::renamed && !file.copied)) {
        moved_away_.insert(file.old_path);
      }
    }
    for (std::size_t i = first; i < last; ++i) {
      Result<void> applied = apply_file(patch_.files[i]);
      if (!applied) return applied;
    }
    for (auto& [path, file] : in_part_) before_part_[path] = std::move(file);
    return {};
  }

  Result<void> apply_file(const FilePatch& file) {
    if (file.binary && file.kind != ChangeKind::deleted) return apply_binary(file);
    if (file.kind == ChangeKind::added) return add(file);
    if (file.kind == ChangeKind::modified && creates(file)) return add(file);
    Result<MemoryFile> old_file = read_old(file);
    if (!old_file) return tl::unexpected(old_file.error());
    if (file.kind == ChangeKind::deleted) return remove(file, *old_file);
    if (file.new_path != file.old_path && exists(file.new_path)) return already_there(file.new_path);
    return write(file, std::move(*old_file));
  }

  // A plain diff without dates does not say that a file is new; its only hunk does.
  [[nodiscard]] bool creates(const FilePatch& file) const {
    return file.hunks.size() == 1 && file.hunks[0].old_start == 0 && file.hunks[0].old_count == 0 &&
           !exists(file.new_path);
  }

  Result<void> apply_binary(const FilePatch& file) {
    const std::string& path = file.new_path;
    problems_.push_back({path, "binary content of the patch is not applied; the file is left as it was"});
    if (file.kind != ChangeKind::renamed || !exists_before(file.old_path)) return {};
    Result<MemoryFile> old_file = read_old(file);
    if (!old_file) return tl::unexpected(old_file.error());
    return write(file, std::move(*old_file));
  }

  Result<void> add(const FilePatch& file) {
    if (exists(file.new_path)) return already_there(file.new_path);
    return write(file, MemoryFile{});
  }

  Result<void> remove(const FilePatch& file, const MemoryFile& old_file) {
    if (!file.hunks.empty()) {
      Result<std::string> rest = apply_hunks(old_file.bytes, file);
      if (!rest) return tl::unexpected(rest.error());
      if (!rest->empty()) {
        return fail(fmt::format("{}: the patch deletes this file, but it has {} more than the patch knows",
                                file.old_path, count_of(split_lines(*rest).size(), "line")),
                    base_step());
      }
    }
    drop(file.old_path);
    return {};
  }

  Result<void> write(const FilePatch& file, MemoryFile content) {
    const std::uint32_t mode = file.new_mode.value_or(content.mode);
    if (!file.hunks.empty()) {
      Result<std::string> bytes = apply_hunks(content.bytes, file);
      if (!bytes) return tl::unexpected(bytes.error());
      content.bytes = std::move(*bytes);
    }
    content.mode = mode;
    content.kind = kind_of_mode(mode);
    total_bytes_ += content.bytes.size();
    if (total_bytes_ > kMaxTotalBytes) {
      return fail(fmt::format("the patched files have more than {} bytes together", kMaxTotalBytes), "split the patch");
    }
    // A rename's old place is free, unless an earlier diff of this part has put another file there.
    if (file.kind == ChangeKind::renamed && !file.copied && !in_part_.contains(file.old_path)) drop(file.old_path);
    in_part_[file.new_path] = std::move(content);
    return {};
  }

  void drop(const std::string& path) { in_part_[path] = std::nullopt; }

  static Result<void> already_there(const std::string& path) {
    return fail(fmt::format("{}: the patch adds this file, but it exists already", path), base_step());
  }

  static Result<MemoryFile> missing(const std::string& path) {
    return fail(fmt::format("{}: the patch changes this file, but it does not exist", path), base_step());
  }

  // Whether the path is taken, as the part's earlier diffs left it; a file that the part moves away counts as gone.
  [[nodiscard]] bool exists(const std::string& path) const {
    const auto found = in_part_.find(path);
    if (found != in_part_.end()) return found->second.has_value();
    return !moved_away_.contains(path) && exists_before(path);
  }

  [[nodiscard]] bool exists_before(const std::string& path) const {
    const auto found = before_part_.find(path);
    return found != before_part_.end() ? found->second.has_value() : base_.find(path).has_value();
  }

  // The file that a diff starts from. As in Git, a rename or copy means it as it was before this part, whatever the
  // order of the diffs; another change builds on what the part did to it so far.
  Result<MemoryFile> read_old(const FilePatch& file) {
    const std::string& path = file.old_path;
    const bool before_part = file.kind == ChangeKind::renamed && exists_before(path);
    if (const auto found = in_part_.find(path); found != in_part_.end() && !before_part) {
      return found->second ? Result<MemoryFile>(*found->second) : missing(path);
    }
    if (const auto found = before_part_.find(path); found != before_part_.end()) {
      return found->second ? Result<MemoryFile>(*found->second) : missing(path);
    }
    const std::optional<std::size_t> index = base_.find(path);
    if (!index) return missing(path);
    const FileEntry& entry = base_.files()[*index];
    if (entry.kind == FileKind::submodule) {
      return MemoryFile{fmt::format("{}{}\n", kSubmodulePrefix, entry.content_id), entry.kind, entry.mode};
    }
    Result<std::string> bytes = base_.read(*index);
    if (!bytes) return fail("the patch cannot be applied: " + bytes.error().message, bytes.error().next_step);
    return MemoryFile{std::move(*bytes), entry.kind, entry.mode};
  }

  const Snapshot& base_;
  const Patch& patch_;
  Changes before_part_;               // What the parts before this one changed.
  Changes in_part_;                   // What this part has changed so far.
  std::set<std::string> moved_away_;  // Paths that this part deletes or renames.
  std::vector<SnapshotProblem> problems_;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace

Result<AppliedPatch> apply_patch(const Snapshot& base, const Patch& patch) { return PatchApplier(base, patch).run(); }

}  // namespace lockstep::repo
