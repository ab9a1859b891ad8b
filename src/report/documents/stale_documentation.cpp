#include "report/documents/stale_documentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "report/document.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostFiles = 500;
constexpr std::size_t kMostBytes = 300'000;  ///< Of one file.
constexpr std::size_t kMostNames = 200;

/// The names of definitions and fields outside tests that nothing of the change goes on with under that name.
std::set<std::string> gone_names(const DocumentInputs& inputs) {
  std::set<std::string> gone;
  std::set<std::string> kept;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (entity.after) kept.emplace(change::last_part(entity.after->qualified_name));
    if (!entity.before || program::is_test_path(entity.before->path) || entity.kind == change::EntityKind::kModule)
      continue;
    const std::string_view name = change::last_part(entity.before->qualified_name);
    if (gone.size() < kMostNames && change::stands_out(name)) gone.emplace(name);
  }
  std::erase_if(gone, [&](const std::string& name) { return kept.contains(name); });
  return gone;
}

bool is_documentation(const repo::FileEntry& file) {
  const std::string name = to_lower(file.path);
  const bool is_prose = name.ends_with(".md") || name.ends_with(".rst");
  return is_prose && !contains(name, "changelog") && !contains(name, "release") && !program::is_test_path(file.path) &&
         file.size_bytes <= kMostBytes;
}

bool stands_in_code(const program::Program& program, const std::string& name) {
  return std::any_of(program.modules().begin(), program.modules().end(),
                     [&](const program::Module& module) { return module.facts->has_name(name); });
}

}  // namespace

void add_stale_documentation(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  if (inputs.after_files == nullptr) return;
  const std::set<std::string> gone = gone_names(inputs);
  if (gone.empty()) return;
  std::map<std::string, std::vector<std::string>> places;  // By name, marked.
  std::size_t read = 0;
  for (const repo::FileEntry& file : inputs.after_files->files()) {
    if (!is_documentation(file)) continue;
    if (++read > kMostFiles) break;
    const auto bytes = inputs.after_files->read(file.path);
    if (!bytes) continue;
    for (const std::string& name : gone) {
      std::uint32_t line = 0;
      std::size_t from = 0;
      for (std::size_t at = find_name(*bytes, name); at != std::string_view::npos;
           at = find_name(*bytes, name, at + 1)) {
        line += static_cast<std::uint32_t>(std::count(bytes->begin() + static_cast<std::ptrdiff_t>(from),
                                                      bytes->begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        from = at;
        std::string where = place(file.path, line);
        if (places[name].empty() || places[name].back() != where) places[name].push_back(std::move(where));
      }
    }
  }
  std::erase_if(places, [&](const auto& one) { return stands_in_code(*inputs.after, one.first); });
  if (places.empty()) return;
  constexpr std::size_t kMostTold = 3;
  std::vector<std::string> told;
  for (const auto& [name, where] : places) {
    if (told.size() == kMostTold) break;
    constexpr std::size_t kMostPlaces = 2;
    std::vector<std::string> shown(where.begin(),
                                   where.begin() + static_cast<std::ptrdiff_t>(std::min(where.size(), kMostPlaces)));
    if (where.size() > shown.size()) shown.push_back(fmt::format("{} more", where.size() - shown.size()));
    told.push_back(fmt::format("{} ({})", code(name), join_words(shown)));
  }
  std::string names = join_words(told);
  if (places.size() > told.size()) names += fmt::format(" and {} more", places.size() - told.size());
  risks.push_back(
      {RiskKind::kCompatibility,
       fmt::format("Documentation still names what no Python code of the repository has any more: {}.", names),
       "Describes what is gone", false});
}

}  // namespace lockstep::report
