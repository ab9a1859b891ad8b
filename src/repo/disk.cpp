#include "repo/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/strings.h"
#include "repo/snapshot.h"

namespace lockstep::repo {
namespace {

constexpr std::size_t kMaxDepth = 256;  // Deeper folders are not real code.

std::string system_text(int code) { return std::error_code(code, std::generic_category()).message(); }

// The folder that holds the last component of `raw_path`, opened one component at a time.
Result<FileDescriptor> open_parent(int root, std::string_view raw_path) {
  FileDescriptor folder(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  std::size_t start = 0;
  for (std::size_t slash = raw_path.find('/'); slash != std::string_view::npos; slash = raw_path.find('/', start)) {
    const std::string part(raw_path.substr(start, slash - start));
    FileDescriptor next(::openat(folder.number(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) return fail(fmt::format("{}: {}", escape_path(raw_path), system_text(errno)));
    folder = std::move(next);
    start = slash + 1;
  }
  return folder;
}

std::string last_component(std::string_view raw_path) {
  const std::size_t slash = raw_path.rfind('/');
  return std::string(slash == std::string_view::npos ? raw_path : raw_path.substr(slash + 1));
}

Result<std::string> read_link(int folder, const std::string& name, std::string_view raw_path) {
  std::array<char, 4096> target{};
  const ssize_t length = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  if (length < 0) return fail(fmt::format("{}: {}", escape_path(raw_path), system_text(errno)));
  return std::string(target.data(), static_cast<std::size_t>(length));
}

Result<std::string> read_all(int file, std::uint64_t size_hint, std::uint64_t max_bytes, std::string_view raw_path) {
  std::string bytes;
  std::size_t used = 0;
  // One byte more than expected, so that a file that did not grow needs one read and one that ends it.
  bytes.resize(static_cast<std::size_t>(std::min(size_hint, max_bytes)) + 1);
  while (true) {
    const ssize_t count = ::read(file, bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(fmt::format("{}: {}", escape_path(raw_path), system_text(errno)));
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > max_bytes) {
      return fail(fmt::format("{} has more than {} bytes; it is not read", escape_path(raw_path), max_bytes));
    }
    if (used == bytes.size()) bytes.resize(bytes.size() * 2);
  }
  bytes.resize(used);
  return bytes;
}

std::optional<DiskFile> disk_file(const struct stat& status, std::string raw_path) {
  DiskFile file;
  if (S_ISLNK(status.st_mode)) {
    file.mode = 0120000;
  } else if (S_ISREG(status.st_mode)) {
    file.mode = (status.st_mode & S_IXUSR) != 0 ? 0100755 : 0100644;
  } else {
    return std::nullopt;
  }
  file.size_bytes = static_cast<std::uint64_t>(status.st_size);
  file.identity = hash128_hex(fmt::format("{}:{}:{}:{}.{}:{}.{}:{}", status.st_dev, status.st_ino, status.st_size,
                                          status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                                          status.st_ctim.tv_nsec, raw_path));
  file.raw_path = std::move(raw_path);
  return file;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Names in a folder, sorted, without "." and "..".
std::vector<std::string> names_in(FileDescriptor folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseFolder> stream(::fdopendir(folder.number()));
  if (!stream) return names;
  (void)folder.release();  // The stream owns it now.
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

int FileDescriptor::release() { return std::exchange(number_, -1); }

Result<FileDescriptor> open_folder(const std::string& path) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return fail(fmt::format("{}: {}", path, system_text(errno)));
  return folder;
}

Result<std::string> read_open_file(int file, std::uint64_t max_bytes, std::string_view raw_path) {
  return read_all(file, 64u << 10, max_bytes, raw_path);
}

Result<std::string> read_below(int root, std::string_view raw_path, std::uint64_t max_bytes) {
  Result<FileDescriptor> folder = open_parent(root, raw_path);
  if (!folder) return tl::unexpected(folder.error());
  const std::string name = last_component(raw_path);
  // Without blocking: opening a pipe that nobody writes to would wait for ever.
  const FileDescriptor file(::openat(folder->number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) {
    if (errno == ELOOP) return read_link(folder->number(), name, raw_path);
    return fail(fmt::format("{}: {}", escape_path(raw_path), system_text(errno)));
  }
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(fmt::format("{} is no regular file", escape_path(raw_path)));
  }
  return read_all(file.number(), static_cast<std::uint64_t>(status.st_size), max_bytes, raw_path);
}

std::optional<DiskFile> stat_below(int root, std::string_view raw_path) {
  Result<FileDescriptor> folder = open_parent(root, raw_path);
  struct stat status {};
  if (!folder || ::fstatat(folder->number(), last_component(raw_path).c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  return disk_file(status, std::string(raw_path));
}

FolderWalk walk_below(int root, std::size_t max_files,
                      const std::function<bool(std::string_view, const std::vector<std::string>&)>& skip) {
  FolderWalk walk;
  std::vector<std::string> pending = {""};  // Folders still to be listed; raw paths that end in '/', or "".
  std::size_t listed = 0;
  while (!pending.empty() && walk.files.size() <= max_files && listed++ <= max_files) {
    const std::string prefix = std::move(pending.back());
    pending.pop_back();
    Result<FileDescriptor> parent = open_parent(root, prefix);  // The path ends in '/': the folder itself.
    if (!parent) {
      walk.problems.push_back({prefix, "the folder cannot be read: " + parent.error().message});
      continue;
    }
    const int folder = parent->number();
    // Listing needs a descriptor of its own offset; "." opened anew has one.
    const std::vector<std::string> names =
        names_in(FileDescriptor(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
    if (skip(std::string_view(prefix).substr(0, prefix.empty() ? 0 : prefix.size() - 1), names)) continue;
    for (const std::string& name : names) {
      struct stat status {};
      if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISDIR(status.st_mode)) {
        const auto depth = static_cast<std::size_t>(std::count(prefix.begin(), prefix.end(), '/'));
        if (depth < kMaxDepth) pending.push_back(prefix + name + "/");
        if (depth >= kMaxDepth) walk.problems.push_back({prefix + name, "folders are nested too deeply"});
      } else if (auto file = disk_file(status, prefix + name)) {
        walk.files.push_back(std::move(*file));
      }
    }
  }
  return walk;
}

}  // namespace lockstep::repo
