#include "report/source/compiled_modules.h"

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "report/file_name.h"
#include "rules/names/compiled_endings.h"

namespace lockstep::report {

namespace {

std::string_view stem_of(std::string_view file) { return file.substr(0, file.find('.')); }

bool is_build_file(std::string_view file) {
  return file == "setup.py" || file == "CMakeLists.txt" || file == "meson.build" || file == "pyproject.toml" ||
         file == "setup.cfg";
}

bool ends_path(char c) { return c == '"' || c == '\'' || c == ' ' || c == '(' || c == '\n' || c == '\t'; }

/// Whether the glob whose `*.` stands at `at` is of files of other languages in the folder.
bool builds_all_of(std::string_view text, std::size_t at, std::string_view folder) {
  std::size_t end = at + 2;
  while (end < text.size() && is_name_char(text[end])) ++end;
  if (!rules::is_compiled_ending(text.substr(at + 2, end - at - 2))) return false;
  std::size_t begin = at;
  constexpr std::size_t kLongest = 300;  // Bytes of a path.
  while (begin > 0 && at - begin < kLongest && !ends_path(text[begin - 1])) --begin;
  if (at - begin == kLongest) return true;  // No path: what it builds is not known.
  std::string_view of = text.substr(begin, at - begin);
  const bool is_deep = of.ends_with("**/");
  of = of.substr(0, of.find("**/"));
  if (of.ends_with('/')) of.remove_suffix(1);
  return of.empty() || folder == of || folder.ends_with("/" + std::string(of)) ||
         (is_deep && folder.starts_with(std::string(of) + "/"));
}

}  // namespace

CompiledModules::CompiledModules(const program::Program& program, const repo::Snapshot* files) {
  constexpr std::uint64_t kLargest = 500'000;
  constexpr std::size_t kMostBuilds = 64;
  for (const program::Module& module : program.modules()) {
    if (is_build_file(file_name(module.path))) builds_.emplace_back(module.facts->source().bytes());
  }
  if (files == nullptr) return;
  for (std::size_t i = 0; i < files->files().size(); ++i) {
    const repo::FileEntry& entry = files->files()[i];
    const std::string file = file_name(entry.path);
    if (file.ends_with(".py")) continue;
    if (is_build_file(file) && entry.kind == repo::FileKind::file && entry.size_bytes <= kLargest &&
        builds_.size() < kMostBuilds) {
      if (auto bytes = files->read(i)) builds_.push_back(std::move(*bytes));
    }
    if (rules::is_compiled_file(file)) stems_.emplace(stem_of(file));
  }
}

bool CompiledModules::names(std::string_view name) const {
  return std::any_of(builds_.begin(), builds_.end(),
                     [&](const std::string& text) { return find_name(text, name) != std::string_view::npos; });
}

bool CompiledModules::may_hold(const program::Module& package, std::string_view dotted) const {
  const std::size_t dot = dotted.rfind('.');
  if (stems_.contains(std::string(dotted.substr(dot + 1)))) return true;
  const std::string all = std::string(dotted.substr(0, dot)) + ".*";
  const std::size_t slash = package.path.rfind('/');
  const std::string_view folder = std::string_view(package.path).substr(0, slash == std::string::npos ? 0 : slash);
  return std::any_of(builds_.begin(), builds_.end(), [&](const std::string& text) {
    if (contains(text, all)) return true;
    for (std::size_t at = text.find("*."); at != std::string::npos; at = text.find("*.", at + 1)) {
      if (builds_all_of(text, at, folder)) return true;
    }
    return false;
  });
}

}  // namespace lockstep::report
