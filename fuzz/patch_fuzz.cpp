// Fuzzes the patch reader: parsing, applying to files that match to some degree, and the line diff of what comes out.
//
// Input: the bytes of the files that the patch speaks of, a NUL byte, the text of the patch.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/check.h"
#include "repo/diff.h"
#include "repo/patch.h"
#include "repo/snapshot.h"

namespace lockstep::repo {
namespace {

// Laws that hold for any two texts.
void check_diff(std::string_view before, std::string_view after) {
  const LineDiff diff = diff_lines(before, after);
  CHECK(diff.empty() == (before == after));
  for (const std::uint32_t line : diff.added_lines()) {
    CHECK(diff.is_added_line(line) && diff.in_hunk(line) && !diff.map_new_to_old(line));
  }
  for (const std::uint32_t line : diff.removed_lines()) {
    CHECK(diff.is_removed_line(line) && diff.in_hunk_before(line) && !diff.map_old_to_new(line));
  }
  for (const Hunk& hunk : diff.hunks()) {
    for (const DiffLine& line : hunk.lines) {
      if (line.kind != LineKind::context) continue;
      CHECK(diff.map_old_to_new(line.old_line) == line.new_line);
      CHECK(diff.map_new_to_old(line.new_line) == line.old_line);
    }
  }
}

void check_patch(const Patch& patch, const std::string& base_bytes) {
  std::map<std::string, std::string> files;
  for (const FilePatch& file : patch.files) {
    CHECK(!file.old_path.empty() || !file.new_path.empty());
    for (const std::string& path : {file.old_path, file.new_path})
      CHECK(path.empty() || is_safe_path(unescape_path(path)));
    if (!file.old_path.empty() && files.size() < 8) files.emplace(file.old_path, base_bytes);
  }
  const Snapshot before = memory_snapshot(files);
  const Result<AppliedPatch> applied = apply_patch(before, patch);
  if (!applied) {
    CHECK(!applied.error().message.empty());
    return;
  }
  const SnapshotDiff diff = diff_snapshots(before, applied->after);
  for (const FileChange& file : diff.files) {
    if (file.file_kind == FileKind::submodule || !file.before_index || !file.after_index) continue;
    check_diff(before.read(*file.before_index).value(), applied->after.read(*file.after_index).value());
  }
}

}  // namespace
}  // namespace lockstep::repo

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep::repo;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\0');
  const std::string base_bytes(input.substr(0, end));
  const std::string_view text = end == std::string_view::npos ? input : input.substr(end + 1);
  if (const auto patch = parse_patch(std::string(text))) check_patch(*patch, base_bytes);
  return 0;
}
