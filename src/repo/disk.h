// Reading files below a root folder without ever leaving it: every component is opened without following symbolic
// links. Private to this room.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lockstep::repo {

/// Owns a file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }
  [[nodiscard]] int release();

 private:
  int number_;
};

/// A regular file or symlink found below a root.
struct DiskFile {
  std::string raw_path;  ///< Relative to the root.
  std::uint64_t size_bytes = 0;
  std::uint32_t mode = 0100644;  ///< Git's: 0100644, 0100755, 0120000.
  std::string identity;          ///< Changes whenever the bytes may have: from device, inode, size and times.
};

struct DiskFolderError {
  std::string raw_path;
  std::string message;
};

/// Opens the folder; Error names it.
Result<FileDescriptor> open_folder(const std::string& path);
/// All that an open file (or pipe) holds; more than `max_bytes` is an Error. `raw_path` is for messages.
Result<std::string> read_open_file(int file, std::uint64_t max_bytes, std::string_view raw_path);
/// Bytes of the regular file at `raw_path` below `root` (a folder's descriptor); of a symlink, its target's text. Files
/// of more than `max_bytes` are an Error.
Result<std::string> read_below(int root, std::string_view raw_path, std::uint64_t max_bytes);
/// What is at `raw_path`, without reading it; nullopt if nothing that could be read.
std::optional<DiskFile> stat_below(int root, std::string_view raw_path);

struct FolderWalk {
  std::vector<DiskFile> files;
  std::vector<DiskFolderError> problems;
};
/// All files below `root`, at most `max_files` + 1 of them; `skip` says which folders to stay out of, given the
/// folder's relative path and the names in it.
FolderWalk walk_below(int root, std::size_t max_files,
                      const std::function<bool(std::string_view, const std::vector<std::string>&)>& skip);

}  // namespace lockstep::repo
