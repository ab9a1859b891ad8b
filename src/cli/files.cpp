#include "cli/files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/nearest.h"
#include "base/secrets.h"
#include "render/text_safety.h"

namespace lockstep::cli {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Result<std::string> read_stream(std::FILE* stream, const std::string& name, std::size_t limit_bytes) {
  std::string bytes;
  std::array<char, 1u << 16> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stream)) {
    bytes.append(buffer.data(), count);
    if (bytes.size() > limit_bytes) {
      return fail(fmt::format("{} is larger than {} MiB", name, limit_bytes >> 20), "give a smaller one");
    }
  }
  if (std::ferror(stream) != 0) return fail(fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  return bytes;
}

/// What to do about a file that cannot be written.
std::string_view cure_of(int problem) {
  switch (problem) {
    case ENOENT:
    case ENOTDIR:
      return "make its folder first, or name another";
    case EISDIR:
      return "name a file, not a folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a file in a folder that you may write to";
    case ENOSPC:
    case EDQUOT:
      return "make room, or name a file elsewhere";
    default:
      return "check that the folder exists and has room";
  }
}

Result<void> write_failed(const std::string& path) {
  return fail(fmt::format("cannot write '{}': {}", path, std::strerror(errno)), std::string(cure_of(errno)));
}

/// The names of the files beside one that is not there.
std::vector<std::string> nearest_files(const std::string& path) {
  constexpr std::size_t kMostLooked = 10'000;
  const std::filesystem::path wanted(path);
  std::error_code error;
  std::vector<std::string> names;
  const std::filesystem::path folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end && names.size() < kMostLooked;
       at.increment(error))
    names.push_back(at->path().filename().string());
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  std::vector<std::string> near = nearest_names(wanted.filename().string(), candidates, 1);
  for (std::string& name : near)
    name = render::visible_text((wanted.parent_path() / name).string(), /*keep_layout=*/false);
  return near;
}

Result<void> write_in_place(const std::string& path, std::string_view bytes) {
  File file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (file == nullptr) return write_failed(path);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  if (!written || std::fflush(file.get()) != 0) return write_failed(path);
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t limit_bytes) {
  if (path == "-") return read_stream(stdin, "standard input", limit_bytes);
  const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) {
    const std::string message = fmt::format("cannot read '{}': {}", path, std::strerror(errno));
    return fail(message, errno == ENOENT ? did_you_mean_or(nearest_files(path), "check the path")
                                         : std::string("check the path"));
  }
  return read_stream(file.get(), fmt::format("'{}'", path), limit_bytes);
}

Result<void> write_output(const std::optional<std::string>& path, std::string_view bytes) {
  if (!path || *path == "-") {
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
    // A reader that stops early (`| head`) is no error of ours.
    if (!written && errno != EPIPE)
      return fail(fmt::format("cannot write to standard output: {}", std::strerror(errno)),
                  errno == EBADF ? "it is closed: -o names a file" : std::string(cure_of(errno)));
    return {};
  }
  // A device or a pipe (/dev/null, /dev/stdout) is written to; a rename would put a file in its place.
  struct stat status {};
  if (::stat(path->c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return write_in_place(*path, bytes);
  const std::string partial = fmt::format("{}.partial-{}", *path, ::getpid());
  {
    File file(std::fopen(partial.c_str(), "wb"), &std::fclose);
    if (file == nullptr) return write_failed(*path);
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
    if (!written || std::fflush(file.get()) != 0) {
      std::remove(partial.c_str());
      return write_failed(*path);
    }
  }
  if (std::rename(partial.c_str(), path->c_str()) != 0) {
    std::remove(partial.c_str());
    return write_failed(*path);
  }
  return {};
}

int stop(const Error& error) {
  fmt::print(stderr, "lockstep: {}\n", without_secrets(error.message));
  if (!error.next_step.empty()) fmt::print(stderr, "{}\n", without_secrets(error.next_step));
  return 2;
}

}  // namespace lockstep::cli
