#include "report/story/given_in_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

namespace {

/// Whether the text has the argument as a whole: `--x`, `--x=1`, `"--x": true`, not `--x-more`.
bool gives(std::string_view text, std::string_view argument) {
  for (std::size_t at = find_text(text, argument); at != std::string_view::npos;
       at = find_text(text, argument, at + 1)) {
    const std::size_t end = at + argument.size();
    const bool begins = at == 0 || (!is_name_char(text[at - 1]) && text[at - 1] != '-');
    const bool ends = end == text.size() || (!is_name_char(text[end]) && text[end] != '-');
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

const std::vector<GivenInFiles::File>& GivenInFiles::texts() {
  constexpr std::uint64_t kLargest = 100'000;
  constexpr std::size_t kMostFiles = 4'000;
  static constexpr std::string_view kKinds[] = {".json", ".sh", ".toml", ".yaml", ".yml"};
  if (texts_) return *texts_;
  texts_.emplace();
  for (std::size_t i = 0; files_ != nullptr && i < files_->files().size() && texts_->size() < kMostFiles; ++i) {
    const repo::FileEntry& file = files_->files()[i];
    const bool is_kind = std::any_of(std::begin(kKinds), std::end(kKinds),
                                     [&](std::string_view kind) { return file.path.ends_with(kind); });
    // Values that a test compares with hold no arguments.
    if (!is_kind || file.kind != repo::FileKind::file || file.size_bytes > kLargest ||
        (program::is_test_path(file.path) && file.path.ends_with(".json")))
      continue;
    if (auto bytes = files_->read(i)) texts_->push_back({file.path, std::move(*bytes)});
  }
  return *texts_;
}

std::string GivenInFiles::words(std::string_view argument) {
  constexpr std::size_t kMostNamed = 2;
  if (!argument.starts_with("--") || texts().empty()) return {};
  std::vector<std::string> named;
  std::size_t more = 0;
  std::size_t of_tests = 0;
  for (const File& file : texts()) {
    if (!gives(file.text, argument)) continue;
    if (program::is_test_path(file.path)) {
      ++of_tests;
    } else if (named.size() < kMostNamed) {
      named.push_back(place(file.path));
    } else {
      ++more;
    }
  }
  const std::string name = code(std::string(argument));
  if (named.empty() && of_tests == 0)
    return fmt::format("No shell script or configuration file of the repository names {}", name);
  if (named.empty())
    return fmt::format("{} is given in {} of tests and in no other script or configuration", name,
                       count_of(of_tests, "file"));
  if (more > 0) named.push_back(fmt::format("{} more", more));
  const std::string tests =
      of_tests == 0 ? std::string() : fmt::format(", and in {} of tests", count_of(of_tests, "file"));
  return fmt::format("{} is given in {}{}", name, join_words(named), tests);
}

}  // namespace lockstep::report
