// What a change names → its two sides.
#include <fmt/format.h>

#include <algorithm>

#include <utility>

#include "base/strings.h"
#include "repo/change_spec.h"
#include "repo/message.h"
#include "repo/named_commits.h"

namespace lockstep::repo {
namespace {

std::string short_id(const std::string& id) { return id.substr(0, 12); }

// "main (4dd85559d2ab)"; an id alone where the revision is one.
std::string named(std::string_view revision, const std::string& id) {
  if (id.starts_with(revision)) return short_id(id);
  return fmt::format("{} ({})", to_utf8(revision), short_id(id));
}

// Exactly one commit speaks for the whole change; several do not.
void take_words(ChangeSides& sides) {
  if (sides.commits.size() != 1) return;
  sides.title = sides.commits[0].subject;
  sides.body = sides.commits[0].body;
}

Result<void> read_commit_side(const Repository& repository, const std::string& id, const LoadOptions& options,
                              Snapshot& side, std::string& commit) {
  Result<Snapshot> snapshot = repository.snapshot_at(id, options.limits);
  if (!snapshot) return tl::unexpected(snapshot.error());
  side = std::move(*snapshot);
  commit = id;
  return {};
}

Result<ChangeSides> load(const Repository& repository, const RangeChange& range, const LoadOptions& options) {
  const Result<std::string> base = repository.resolve(range.base), head = repository.resolve(range.head);
  if (!base) return tl::unexpected(base.error());
  if (!head) return tl::unexpected(head.error());
  std::string start = *base;
  ChangeSides sides;
  sides.before_name = named(range.base, start);
  if (range.from_merge_base) {
    Result<std::string> ancestor = repository.merge_base(*base, *head);
    if (!ancestor) return tl::unexpected(ancestor.error());
    if (*ancestor != start) {
      sides.before_name =
          fmt::format("{}, where {} and {} part", short_id(*ancestor), to_utf8(range.base), to_utf8(range.head));
    }
    start = std::move(*ancestor);
  }
  sides.after_name = named(range.head, *head);
  Result<void> read = read_commit_side(repository, start, options, sides.before, sides.before_commit);
  if (read) read = read_commit_side(repository, *head, options, sides.after, sides.after_commit);
  if (!read) return tl::unexpected(read.error());
  // The words are a help, not a need: a shallow clone has the trees but not the history between them.
  if (Result<std::vector<CommitInfo>> commits = repository.commits_between(start, *head)) {
    sides.commits = std::move(*commits);
  } else if (Result<CommitInfo> last = repository.commit_info(*head)) {
    sides.commits.push_back(std::move(*last));
  }
  take_words(sides);
  return sides;
}

Result<ChangeSides> load(const Repository& repository, const CommitChange& change, const LoadOptions& options) {
  Result<CommitInfo> commit = repository.commit_info(change.revision);
  if (!commit) return tl::unexpected(commit.error());
  const Result<std::optional<std::string>> parent = repository.first_parent(commit->id);
  if (!parent) return tl::unexpected(parent.error());
  ChangeSides sides;
  sides.after_name = named(change.revision, commit->id);
  sides.before_name = "nothing (this is a root commit)";
  Result<void> read = read_commit_side(repository, commit->id, options, sides.after, sides.after_commit);
  if (read && *parent) {
    sides.before_name = fmt::format("{}, the first parent of {}", short_id(**parent), short_id(commit->id));
    read = read_commit_side(repository, **parent, options, sides.before, sides.before_commit);
  }
  if (!read) return tl::unexpected(read.error());
  sides.commits.push_back(std::move(*commit));
  take_words(sides);
  return sides;
}

Result<ChangeSides> load(const Repository& repository, const WorktreeChange&, const LoadOptions& options) {
  if (!repository.is_git()) {
    return fail(fmt::format("{} is not a Git repository, so nothing says what changed in it", repository.root()),
                "name a patch file instead");
  }
  ChangeSides sides;
  Result<Snapshot> after = repository.worktree(options.limits);
  if (!after) return tl::unexpected(after.error());
  sides.after = std::move(*after);
  sides.after_name = "the working tree";
  const Result<std::string> head = repository.resolve("HEAD");
  if (!head && !repository.has_commits()) {
    sides.before_name = "nothing (no commit yet)";
    return sides;
  }
  if (!head) return tl::unexpected(head.error());
  sides.before_name = named("HEAD", *head);
  Result<void> read = read_commit_side(repository, *head, options, sides.before, sides.before_commit);
  if (!read) return tl::unexpected(read.error());
  return sides;
}

CommitInfo commit_of(const PatchMessage& message) {
  return {"", message.subject, message.body, message.author, message.date, {}};
}

/// Whether somebody named a file of the repository where a change is asked for.
bool is_file_of(const Repository& repository, const std::string& path, const LoadOptions& options) {
  if (!repository.is_git() || repository.is_bare()) return false;
  const Result<Snapshot> tree = repository.worktree(options.limits);
  return tree && std::any_of(tree->files().begin(), tree->files().end(),
                             [&](const FileEntry& file) { return file.path == path; });
}

Result<ChangeSides> load(const Repository& repository, const PatchChange& change, const LoadOptions& options) {
  Result<Patch> patch = parse_patch(change.text);
  if (!patch && is_file_of(repository, change.name, options))
    return fail(fmt::format("'{}' is a file of this repository, not a patch", change.name),
                fmt::format("`lockstep check {}` looks at a file; a change is a commit, BASE..HEAD or a patch file",
                            change.name));
  if (!patch) return fail(fmt::format("{}: {}", change.name, patch.error().message), patch.error().next_step);
  ChangeSides sides;
  Result<void> read;
  if (options.patch_base || repository.is_bare()) {
    const std::string revision = options.patch_base.value_or("HEAD");
    Result<std::string> base = repository.resolve(revision);
    if (!base) return tl::unexpected(base.error());
    sides.before_name = named(revision, *base);
    read = read_commit_side(repository, *base, options, sides.before, sides.before_commit);
  } else {
    Result<Snapshot> before = repository.worktree(options.limits);
    if (!before) return tl::unexpected(before.error());
    sides.before = std::move(*before);
    sides.before_name = repository.is_git() ? "the working tree" : repository.root();
  }
  if (!read) return tl::unexpected(read.error());
  Result<AppliedPatch> applied = apply_patch(sides.before, *patch);
  if (!applied) return fail(fmt::format("{}: {}", change.name, applied.error().message), applied.error().next_step);
  sides.after = std::move(applied->after);
  for (SnapshotProblem& problem : applied->problems) sides.after = with_problem(sides.after, std::move(problem));
  sides.after_name = fmt::format("{} with the patch from {}", sides.before_name, change.name);
  for (const PatchMessage& message : patch->messages) sides.commits.push_back(commit_of(message));
  take_words(sides);
  return sides;
}

Result<ChangeSides> load(const Repository&, const ForgeRef& ref, const LoadOptions&) {
  return fail(fmt::format("pull request {} must be fetched from its forge first", ref.number),
              fmt::format("fetch it yourself: `git fetch origin pull/{}/head`, then name FETCH_HEAD", ref.number));
}

}  // namespace

Result<ChangeSides> load_change(const Repository& repository, const ChangeInput& input, const LoadOptions& options) {
  Result<ChangeSides> sides = std::visit([&](const auto& change) { return load(repository, change, options); }, input);
  if (sides) find_named_commits(repository, *sides);
  if (sides && repository.is_git()) sides->repository = repository;
  return sides;
}

}  // namespace lockstep::repo
