// Revisions, commits and references of a repository.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "base/strings.h"
#include "repo/message.h"
#include "repo/repository.h"
#include "repo/repository_state.h"

namespace lockstep::repo {
namespace {

constexpr std::string_view kFetchMore =
    "this clone may be shallow: `git fetch --unshallow` (or `--deepen=N`) gets the missing history";

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
}

// A command that brings the revision: servers know branches and whole ids, nothing behind "~" or "^", and no other
// name.
std::string fetch_command(std::string_view revision) {
  constexpr std::size_t kWholeId = 40;
  const std::string_view name = revision.substr(0, revision.find_first_of("~^@:"));
  if (is_hex(name) && name.size() >= 7) {
    return name.size() == kWholeId ? fmt::format("git fetch origin {}", name) : std::string("git fetch --all");
  }
  const bool is_plain = !name.empty() && name.size() <= 200 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '-' || c == '/';
  });
  if (!is_plain || name.starts_with('-') || name.starts_with("origin/")) return "git fetch --all";
  return fmt::format("git fetch origin {0}:{0}", name);
}

// Branches and tags by the short names that people type, sorted.
std::vector<std::string> short_names(git_repository* repository) {
  git_strarray names{};
  std::vector<std::string> result;
  if (git_reference_list(&names, repository) != 0) return result;
  for (std::size_t i = 0; i < names.count; ++i) {
    std::string_view name = names.strings[i];
    for (const std::string_view prefix : {"refs/heads/", "refs/tags/", "refs/remotes/"}) {
      if (name.starts_with(prefix)) result.emplace_back(name.substr(prefix.size()));
    }
  }
  git_strarray_dispose(&names);
  std::sort(result.begin(), result.end());
  return result;
}

// The nearest name; a remote branch also counts by its name without the remote's. What most repositories call by either
// of two names is known by both.
std::string nearest_name(const std::vector<std::string>& names, std::string_view wanted) {
  const std::size_t limit = typing_limit(wanted);
  std::size_t best = limit + 1;
  std::string nearest;
  const auto consider = [&](const std::string& name, std::string_view compared) {
    const bool is_twin = (compared == "master" && wanted == "main") || (compared == "main" && wanted == "master");
    const std::size_t distance = is_twin ? 1 : typing_distance(compared, wanted, limit);
    if (distance >= best) return;
    best = distance;
    nearest = name;
  };
  consider("HEAD", "HEAD");
  for (const std::string& name : names) {
    if (name.ends_with("/HEAD")) continue;  // What a remote checks out first has a name of its own.
    consider(name, name);
    if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
      consider(name, std::string_view(name).substr(slash + 1));
    }
  }
  return nearest;
}

bool has_remotes(git_repository* repository) {
  git_strarray names{};
  if (git_remote_list(&names, repository) != 0) return false;
  const bool has_some = names.count > 0;
  git_strarray_dispose(&names);
  return has_some;
}

}  // namespace

CommitInfo info_of(const git_commit* commit) {
  CommitInfo info;
  info.id = hex(*git_commit_id(commit));
  const char* encoding = git_commit_message_encoding(commit);
  const bool latin1 = encoding != nullptr && to_lower(encoding).find("8859-1") != std::string::npos;
  const auto decode = [&](const char* bytes) {
    if (bytes == nullptr) return std::string();
    return latin1 ? latin1_to_utf8(bytes) : to_utf8(bytes);
  };
  MessageParts parts = split_message(decode(git_commit_message(commit)));
  info.subject = std::move(parts.subject);
  info.body = std::move(parts.body);
  if (const git_signature* author = git_commit_author(commit)) {
    info.author = fmt::format("{} <{}>", decode(author->name), decode(author->email));
    info.date = iso_date(author->when.time);
  }
  for (unsigned i = 0; i < git_commit_parentcount(commit); ++i) {
    info.parents.push_back(hex(*git_commit_parent_id(commit, i)));
  }
  return info;
}

tl::unexpected<Error> Repository::State::unknown_revision(std::string_view revision) const {
  if (git_repository_head_unborn(git.get()) == 1 && (revision == "HEAD" || short_names(git.get()).empty())) {
    return fail("this repository has no commit yet", "commit something first");
  }
  const std::string shown = to_utf8(revision.substr(0, 200));
  // "C~1", "C^": of a commit that is here its history is asked for.
  if (const std::size_t mark = revision.find_first_of("~^"); mark != std::string_view::npos && mark > 0) {
    const std::string start(revision.substr(0, mark));
    if (git_make<GitObjectHandle>(
            [&](git_object** out) { return git_revparse_single(out, git.get(), start.c_str()); }) != nullptr) {
      if (git_repository_is_shallow(git.get()) == 1)
        return fail(fmt::format("no revision '{}' in this clone, which is shallow", shown),
                    "`git fetch --unshallow` (or `--deepen=N`) gets the missing history");
      return fail(fmt::format("no revision '{}': the history of '{}' does not go back so far", shown, to_utf8(start)),
                  "the first commit of a repository is named alone: it is compared with nothing");
    }
  }
  std::string next_step = has_remotes(git.get()) ? fmt::format("fetch it first: `{}`", fetch_command(revision))
                                                 : std::string("`git branch -a` and `git tag` list the names");
  if (is_hex(revision) && revision.size() >= 7) {
    return fail(fmt::format("no commit {} in this repository", shown), std::move(next_step));
  }
  if (const std::string path = fmt::format("HEAD:{}", revision);
      !revision.empty() && revision.size() <= 1000 && revision.find('\0') == std::string_view::npos &&
      git_make<GitObjectHandle>([&](git_object** out) { return git_revparse_single(out, git.get(), path.c_str()); }) !=
          nullptr)
    return fail(fmt::format("'{}' is a path in this repository, not a revision", shown),
                fmt::format("name a commit, a branch or a range (`A..B`); `lockstep check {}` looks at files", shown));
  const std::string nearest = nearest_name(short_names(git.get()), revision);
  if (!nearest.empty()) next_step = fmt::format("did you mean '{}'? Otherwise {}", to_utf8(nearest), next_step);
  return fail(fmt::format("no revision '{}' in this repository", shown), std::move(next_step));
}

Result<GitObjectHandle> Repository::State::find_object(std::string_view revision) const {
  if (!git) {
    return fail(git_problem.empty() ? fmt::format("{} is not a Git repository, so it has no revision '{}'", root,
                                                  to_utf8(revision.substr(0, 200)))
                                    : fmt::format("the Git repository {} cannot be opened: {}", root, git_problem),
                "run inside a Git repository, or name one with -C");
  }
  // libgit2 would take a leading ':' as a path in the index; no revision is this long.
  if (revision.empty() || revision.size() > 1000 || revision.find('\0') != std::string_view::npos) {
    return unknown_revision(revision);
  }
  const std::string text(revision);
  git_object* object = nullptr;
  const int code = git_revparse_single(&object, git.get(), text.c_str());
  if (code == GIT_EAMBIGUOUS) {
    return fail(fmt::format("'{}' is ambiguous: several objects start with it", to_utf8(text)), "give more digits");
  }
  if (code != 0) return unknown_revision(revision);
  return GitObjectHandle(object);
}

Result<GitCommitHandle> Repository::State::find_commit(std::string_view revision) const {
  Result<GitObjectHandle> object = find_object(revision);
  if (!object) return tl::unexpected(object.error());
  git_object* peeled = nullptr;
  if (git_object_peel(&peeled, object->get(), GIT_OBJECT_COMMIT) != 0) {
    return fail(fmt::format("'{}' names a {}, not a commit", to_utf8(revision),
                            git_object_type2string(git_object_type(object->get()))));
  }
  return GitCommitHandle(reinterpret_cast<git_commit*>(peeled));
}

Result<std::string> Repository::resolve(std::string_view revision) const {
  const std::lock_guard lock(state_->mutex);
  Result<GitCommitHandle> commit = state_->find_commit(revision);
  if (!commit) return tl::unexpected(commit.error());
  return hex(*git_commit_id(commit->get()));
}

bool Repository::has_revision(std::string_view revision) const {
  if (!state_->git || revision.empty() || revision.size() > 1000) return false;
  const std::lock_guard lock(state_->mutex);
  const std::string text = std::string(revision) + "^{commit}";
  const auto object = git_make<GitObjectHandle>(
      [&](git_object** out) { return git_revparse_single(out, state_->git.get(), text.c_str()); });
  return object != nullptr;
}

bool Repository::has_commits() const {
  if (!state_->git) return false;
  const std::lock_guard lock(state_->mutex);
  return git_repository_head_unborn(state_->git.get()) == 0;
}

bool Repository::has_reference(std::string_view name) const {
  if (!state_->git || name.empty() || name.size() > 1000) return false;
  const std::lock_guard lock(state_->mutex);
  const std::string text(name);
  const auto reference = git_make<GitReferenceHandle>(
      [&](git_reference** out) { return git_reference_dwim(out, state_->git.get(), text.c_str()); });
  return reference != nullptr;
}

Result<std::string> Repository::merge_base(std::string_view a, std::string_view b) const {
  const std::lock_guard lock(state_->mutex);
  Result<GitCommitHandle> first = state_->find_commit(a);
  if (!first) return tl::unexpected(first.error());
  Result<GitCommitHandle> second = state_->find_commit(b);
  if (!second) return tl::unexpected(second.error());
  git_oid base{};
  if (git_merge_base(&base, state_->git.get(), git_commit_id(first->get()), git_commit_id(second->get())) == 0) {
    return hex(base);
  }
  return fail(fmt::format("no common ancestor of '{}' and '{}' in this repository", to_utf8(a), to_utf8(b)),
              fmt::format("{}; or compare them directly with `{}..{}`", kFetchMore, to_utf8(a), to_utf8(b)));
}

Result<std::optional<std::string>> Repository::first_parent(std::string_view revision) const {
  const std::lock_guard lock(state_->mutex);
  Result<GitCommitHandle> commit = state_->find_commit(revision);
  if (!commit) return tl::unexpected(commit.error());
  if (git_commit_parentcount(commit->get()) == 0) return std::optional<std::string>();
  git_commit* parent = nullptr;
  const std::string parent_id = hex(*git_commit_parent_id(commit->get(), 0));
  if (git_commit_parent(&parent, commit->get(), 0) != 0) {
    return fail(fmt::format("the parent {} of '{}' is not in this clone", parent_id.substr(0, 12), to_utf8(revision)),
                std::string(kFetchMore));
  }
  git_commit_free(parent);
  return std::optional<std::string>(parent_id);
}

Result<CommitInfo> Repository::commit_info(std::string_view revision) const {
  const std::lock_guard lock(state_->mutex);
  Result<GitCommitHandle> commit = state_->find_commit(revision);
  if (!commit) return tl::unexpected(commit.error());
  return info_of(commit->get());
}

Result<std::vector<CommitInfo>> Repository::commits_between(std::string_view base, std::string_view head) const {
  const std::lock_guard lock(state_->mutex);
  Result<GitCommitHandle> from = state_->find_commit(base);
  if (!from) return tl::unexpected(from.error());
  Result<GitCommitHandle> to = state_->find_commit(head);
  if (!to) return tl::unexpected(to.error());
  git_repository* git = state_->git.get();
  const auto walk = git_make<GitRevwalkHandle>([&](git_revwalk** out) { return git_revwalk_new(out, git); });
  if (!walk || git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME) != 0 ||
      git_revwalk_push(walk.get(), git_commit_id(to->get())) != 0 ||
      git_revwalk_hide(walk.get(), git_commit_id(from->get())) != 0) {
    return fail(fmt::format("the history of '{}' cannot be read: {}", to_utf8(head), git_error_text()));
  }
  std::vector<CommitInfo> commits;
  git_oid id{};
  int code = 0;
  while (commits.size() < kMaxCommits && (code = git_revwalk_next(&id, walk.get())) == 0) {
    const auto commit = git_make<GitCommitHandle>([&](git_commit** out) { return git_commit_lookup(out, git, &id); });
    if (commit) commits.push_back(info_of(commit.get()));
  }
  if (code != 0 && code != GIT_ITEROVER) {
    return fail(fmt::format("the history of '{}' cannot be read: {}", to_utf8(head), git_error_text()),
                std::string(kFetchMore));
  }
  std::reverse(commits.begin(), commits.end());
  return commits;
}

std::optional<std::string> Repository::head_branch() const {
  if (!state_->git) return std::nullopt;
  const std::lock_guard lock(state_->mutex);
  const auto head = git_make<GitReferenceHandle>(
      [&](git_reference** out) { return git_reference_lookup(out, state_->git.get(), "HEAD"); });
  const char* target = head ? git_reference_symbolic_target(head.get()) : nullptr;
  constexpr std::string_view kBranches = "refs/heads/";
  if (target == nullptr || !std::string_view(target).starts_with(kBranches)) return std::nullopt;
  return to_utf8(std::string_view(target).substr(kBranches.size()));
}

std::vector<Remote> Repository::remotes() const {
  std::vector<Remote> remotes;
  if (!state_->git) return remotes;
  const std::lock_guard lock(state_->mutex);
  git_strarray names{};
  if (git_remote_list(&names, state_->git.get()) != 0) return remotes;
  for (std::size_t i = 0; i < names.count; ++i) {
    const auto remote = git_make<GitRemoteHandle>(
        [&](git_remote** out) { return git_remote_lookup(out, state_->git.get(), names.strings[i]); });
    if (remote && git_remote_url(remote.get()) != nullptr) {
      remotes.push_back({names.strings[i], git_remote_url(remote.get())});
    }
  }
  git_strarray_dispose(&names);
  std::sort(remotes.begin(), remotes.end(), [](const Remote& a, const Remote& b) {
    return std::pair(a.name != "origin", a.name) < std::pair(b.name != "origin", b.name);
  });
  return remotes;
}

}  // namespace lockstep::repo
