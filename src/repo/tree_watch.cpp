#include "repo/tree_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "repo/disk.h"
#include "repo/snapshot_directory.h"

namespace lockstep::repo {
namespace {

// More folders than any code base of this field has; what lies deeper is read anew only when something else changed.
constexpr std::size_t kMostFolders = 50'000;
// Files carry the time of the kernel's last tick, which is up to 10 ms old (CONFIG_HZ=100).
constexpr std::chrono::milliseconds kTick(10);

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Names of the folders right below `path`, without links.
std::vector<std::string> folders_in(int root, const std::string& path) {
  std::vector<std::string> names;
  const int folder = ::openat(root, path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return names;
  DIR* stream = ::fdopendir(folder);
  if (stream == nullptr) {
    ::close(folder);
    return names;
  }
  while (const dirent* entry = ::readdir(stream)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    bool is_folder = entry->d_type == DT_DIR;
    if (entry->d_type == DT_UNKNOWN) {
      struct stat status {};
      is_folder =
          ::fstatat(::dirfd(stream), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
    }
    if (is_folder) names.push_back(name);
  }
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TreeWatch::State TreeWatch::state_of(int root, const std::string& path) {
  struct stat status {};
  if (::fstatat(root, path.empty() ? "." : path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  // A folder's size says nothing that its times do not.
  return {nanoseconds(status.st_mtim), nanoseconds(status.st_ctim), S_ISDIR(status.st_mode) ? 0 : status.st_size,
          status.st_ino};
}

void TreeWatch::add_folders(int root) {
  std::vector<std::string> stack = {""};
  std::size_t count = 0;
  while (!stack.empty() && count < kMostFolders) {
    const std::string folder = std::move(stack.back());
    stack.pop_back();
    ++count;
    entries_.push_back({folder, state_of(root, folder)});
    for (const std::string& name : folders_in(root, folder)) {
      std::string path = folder.empty() ? name : folder + "/" + name;
      if (!is_generated_folder(path)) stack.push_back(std::move(path));
    }
  }
}

TreeWatch::TreeWatch(const Repository& repository, const Snapshot& snapshot)
    : root_(repository.root()), repository_(repository), taken_(true) {
  if (repository.is_git()) head_ = repository.resolve("HEAD").value_or("");
  if (repository.is_bare()) return;
  const Result<FileDescriptor> root = open_folder(root_);
  if (!root) return;
  for (const FileEntry& file : snapshot.files()) {
    if (file.kind == FileKind::submodule) continue;
    std::string path = unescape_path(file.path);
    const State state = state_of(root->number(), path);
    entries_.push_back({std::move(path), state});
  }
  add_folders(root->number());
  if (repository.is_git()) entries_.push_back({".git/index", state_of(root->number(), ".git/index")});
}

bool TreeWatch::is_current() const {
  if (!taken_) return false;
  if (repository_.is_git() && repository_.resolve("HEAD").value_or("") != head_) return false;
  if (repository_.is_bare()) return true;
  const Result<FileDescriptor> root = open_folder(root_);
  if (!root) return false;
  return std::all_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return state_of(root->number(), entry.path) == entry.state; });
}

bool TreeWatch::written_since(std::chrono::system_clock::time_point time) const {
  const std::int64_t limit =
      std::chrono::duration_cast<std::chrono::nanoseconds>((time - kTick).time_since_epoch()).count();
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.state.modified_ns >= limit || entry.state.changed_ns >= limit;
  });
}

}  // namespace lockstep::repo
