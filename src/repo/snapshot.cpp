#include "repo/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "text/source.h"

namespace lockstep::repo {

struct Snapshot::State {
  std::vector<FileEntry> files;
  std::shared_ptr<const ContentSource> source;
  std::vector<SnapshotProblem> problems;
  SnapshotLimits limits;
};

namespace {

// Moves what is valid of `files` into the result; what is not becomes a problem.
std::vector<FileEntry> checked(std::vector<FileEntry> files, const SnapshotLimits& limits,
                               std::vector<SnapshotProblem>& problems) {
  // Equal paths keep their given order, so that the first of them wins.
  std::stable_sort(files.begin(), files.end(), [](const FileEntry& a, const FileEntry& b) { return a.path < b.path; });
  std::vector<FileEntry> valid;
  valid.reserve(files.size());
  for (FileEntry& file : files) {
    if (file.path.size() > limits.max_path_bytes) {
      problems.push_back({file.path.substr(0, 80) + "…", "path is too long; the file is left out"});
    } else if (!is_safe_path(unescape_path(file.path))) {
      problems.push_back({file.path, "path could leave the repository; the file is left out"});
    } else if (!valid.empty() && valid.back().path == file.path) {
      problems.push_back({file.path, "the path occurs twice; only the first file is used"});
    } else if (valid.size() == limits.max_files) {
      problems.push_back({"", fmt::format("more than {} files; the rest is left out", limits.max_files)});
      break;
    } else {
      valid.push_back(std::move(file));
    }
  }
  return valid;
}

}  // namespace

Snapshot::Snapshot() {
  static const auto empty = std::make_shared<const State>();
  state_ = empty;
}

Snapshot::Snapshot(std::vector<FileEntry> files, std::shared_ptr<const ContentSource> source,
                   std::vector<SnapshotProblem> problems, const SnapshotLimits& limits) {
  auto state = std::make_shared<State>();
  state->files = checked(std::move(files), limits, problems);
  state->source = std::move(source);
  state->problems = std::move(problems);
  state->limits = limits;
  state_ = std::move(state);
}

const std::vector<FileEntry>& Snapshot::files() const { return state_->files; }
const std::vector<SnapshotProblem>& Snapshot::problems() const { return state_->problems; }
const SnapshotLimits& Snapshot::limits() const { return state_->limits; }

std::optional<std::size_t> Snapshot::find(std::string_view path) const {
  const auto& files = state_->files;
  const auto at = std::lower_bound(files.begin(), files.end(), path,
                                   [](const FileEntry& file, std::string_view wanted) { return file.path < wanted; });
  if (at == files.end() || at->path != path) return std::nullopt;
  return static_cast<std::size_t>(at - files.begin());
}

Result<std::string> Snapshot::read(std::size_t index) const {
  CHECK(index < state_->files.size());
  const FileEntry& file = state_->files[index];
  if (file.kind == FileKind::submodule) return fail(fmt::format("{} is a submodule; it has no bytes here", file.path));
  const std::uint64_t limit = state_->limits.max_file_bytes;
  const auto too_large = [&](std::uint64_t size_bytes) {
    return fail(fmt::format("{} has {} bytes; files over {} bytes are not read", file.path, size_bytes, limit));
  };
  if (file.size_bytes > limit) return too_large(file.size_bytes);
  Result<std::string> bytes = state_->source->read(file);
  if (bytes && bytes->size() > limit) return too_large(bytes->size());
  return bytes;
}

Result<std::string> Snapshot::read(std::string_view path) const {
  const std::optional<std::size_t> index = find(path);
  if (!index) return fail(fmt::format("no file {} in this version", path));
  return read(*index);
}

Snapshot with_problem(const Snapshot& snapshot, SnapshotProblem problem) {
  auto state = std::make_shared<Snapshot::State>(*snapshot.state_);
  state->problems.push_back(std::move(problem));
  Snapshot result;
  result.state_ = std::move(state);
  return result;
}

std::string escape_path(std::string_view raw) {
  std::string path;
  path.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    const auto byte = static_cast<unsigned char>(raw[at]);
    const std::size_t length = utf8_sequence_length(raw, at);
    // U+0080 to U+009F are control characters too; in UTF-8 they start with C2 and go up to C2 9F.
    const bool control =
        byte < 0x20 || byte == 0x7f || (byte == 0xc2 && static_cast<unsigned char>(raw[at + 1]) < 0xa0);
    if (length == 0 || control || byte == '\\') {
      const std::size_t count = std::max<std::size_t>(length, 1);
      for (std::size_t i = 0; i < count; ++i) path += fmt::format("\\{:03o}", static_cast<unsigned char>(raw[at + i]));
      at += count;
    } else {
      path.append(raw.substr(at, length));
      at += length;
    }
  }
  return path;
}

std::string unescape_path(std::string_view path) {
  std::string raw;
  raw.reserve(path.size());
  const auto octal = [&](std::size_t at) { return at < path.size() && path[at] >= '0' && path[at] <= '7'; };
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] == '\\' && octal(at + 1) && path[at + 1] <= '3' && octal(at + 2) && octal(at + 3)) {
      raw += static_cast<char>((path[at + 1] - '0') * 64 + (path[at + 2] - '0') * 8 + (path[at + 3] - '0'));
      at += 3;
    } else {
      raw += path[at];
    }
  }
  return raw;
}

bool is_safe_path(std::string_view raw) {
  if (raw.empty() || raw.find('\0') != std::string_view::npos) return false;
  for (const std::string_view part : split(raw, '/')) {
    if (part.empty() || part == "." || part == ".." || to_lower(part) == ".git") return false;
  }
  return true;
}

}  // namespace lockstep::repo
