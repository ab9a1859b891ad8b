#include "report/source/configuration_files.h"

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"

namespace lockstep::report {

std::vector<ConfigurationFile> configuration_files(const repo::Snapshot* files, FilesOf which) {
  constexpr std::uint64_t kLargest = 200'000;
  std::vector<ConfigurationFile> out;
  if (files == nullptr) return out;
  for (std::size_t i = 0; i < files->files().size(); ++i) {
    const repo::FileEntry& file = files->files()[i];
    if (file.kind != repo::FileKind::file || file.size_bytes > kLargest ||
        program::is_test_path(file.path) != (which == FilesOf::kTests))
      continue;
    static constexpr std::string_view kKinds[] = {".cfg", ".ini", ".json", ".sh", ".toml", ".yaml", ".yml"};
    static constexpr std::string_view kPages[] = {".md", ".rst"};
    const auto is_of = [&](std::string_view kind) { return file.path.ends_with(kind); };
    if (which == FilesOf::kPages) {
      if (std::none_of(std::begin(kPages), std::end(kPages), is_of) || contains(to_lower(file.path), "changelog"))
        continue;
    } else if (std::none_of(std::begin(kKinds), std::end(kKinds), is_of)) {
      continue;
    }
    if (auto bytes = files->read(i)) out.push_back({file.path, std::move(*bytes)});
  }
  return out;
}

}  // namespace lockstep::report
