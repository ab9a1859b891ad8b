#include "repo/git_handles.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"

namespace lockstep::repo {

void ensure_libgit2() {
  static const int started = [] {
    const int count = git_libgit2_init();
    // Containers often mount a work tree of another owner. That check protects programs that run what the repository's
    // config names; we run nothing.
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    // Re-hashing every object that is read costs more than unpacking it; zlib's checksum guards against damage.
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
    // Extensions of the repository format that do not change how objects and references are read.
    std::array<const char*, 4> extensions = {"partialclone", "worktreeconfig", "preciousobjects", "relativeworktrees"};
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions.data(), extensions.size());
    return count;
  }();
  CHECK(started > 0);
}

std::string git_error_text() {
  const git_error* error = git_error_last();
  return error != nullptr && error->message != nullptr ? error->message : "unknown error";
}

std::string hex(const git_oid& id) {
  std::array<char, GIT_OID_HEXSZ> digits{};
  git_oid_fmt(digits.data(), &id);
  return std::string(digits.data(), digits.size());
}

git_oid oid_of(std::string_view hex_id) {
  git_oid id{};
  CHECK(hex_id.size() == GIT_OID_HEXSZ);
  CHECK(git_oid_fromstrn(&id, hex_id.data(), hex_id.size()) == 0);
  return id;
}

std::string blob_id(std::string_view bytes) {
  ensure_libgit2();
  git_oid id{};
  CHECK(git_odb_hash(&id, bytes.data(), bytes.size(), GIT_OBJECT_BLOB) == 0);
  return hex(id);
}

GitOdbHandle ObjectPool::take() const {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      GitOdbHandle database = std::move(free_.back());
      free_.pop_back();
      return database;
    }
  }
  ensure_libgit2();
  return git_make<GitOdbHandle>([&](git_odb** out) { return git_odb_open(out, objects_folder_.c_str()); });
}

void ObjectPool::give_back(GitOdbHandle database) const {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(database));
}

Result<std::string> ObjectPool::read_blob(const git_oid& id, std::string_view path) const {
  GitOdbHandle database = take();
  if (!database)
    return fail(fmt::format("the object folder {} cannot be opened: {}", objects_folder_, git_error_text()));
  Result<std::string> bytes =
      fail(fmt::format("{}: its content (blob {}) is not in this clone", path, hex(id).substr(0, 12)),
           "fetch it with `git checkout` of this revision, or use a full clone (`git fetch --refetch "
           "--filter=blob:limit=8m`)");
  // Asked first without a refresh: a partial clone misses thousands, and each refresh lists the folder again.
  if (git_odb_exists_ext(database.get(), &id, GIT_ODB_LOOKUP_NO_REFRESH) == 1) {
    git_odb_object* object = nullptr;
    if (git_odb_read(&object, database.get(), &id) != 0) {
      bytes = fail(
          fmt::format("{}: its content (blob {}) cannot be read: {}", path, hex(id).substr(0, 12), git_error_text()),
          "run `git fsck` in the repository");
    } else {
      bytes = std::string(static_cast<const char*>(git_odb_object_data(object)), git_odb_object_size(object));
      git_odb_object_free(object);
    }
  }
  give_back(std::move(database));
  return bytes;
}

}  // namespace lockstep::repo
