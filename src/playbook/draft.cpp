#include "playbook/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "program/queries.h"

namespace lockstep::playbook {

std::string named_place(std::string_view name, const Place& place) {
  return fmt::format("`{}` (`{}:{}`)", name, place.path, place.line + 1);
}

std::string quoted_list(const std::vector<std::string>& names, std::size_t most, bool tell_rest) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) {
    if (quoted.size() < most) quoted.push_back(fmt::format("`{}`", name));
  }
  std::string text = join(quoted, ", ");
  if (tell_rest && names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

bool is_below(std::string_view path, std::string_view folder) {
  return folder.empty() || (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

bool is_side_code(std::string_view path) {
  if (program::is_test_path(path)) return true;
  static const std::set<std::string_view> kSide = {
      "test",    "tests",       "testing", "example",     "examples", "bench",       "benchmark",  "tools",
      "scripts", "experiments", "docs",    "doc",         "tasks",    "tutorial",    "benchmarks", "legacy",
      "docker",  "ci",          "assets",  "third_party", "vendor",   "experimental"};
  const std::vector<std::string_view> parts = split(path, '/');
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return kSide.contains(part) || (part.starts_with('.') && part.size() > 1);
  });
}

std::size_t DraftInputs::importers_of(const std::string& qualified_name) const {
  const auto found = importers.find(qualified_name);
  return found != importers.end() ? found->second.size() : 0;
}

std::size_t DraftInputs::commits_on(std::string_view path) const {
  return static_cast<std::size_t>(std::count_if(commits.begin(), commits.end(), [&](const repo::CommitPaths& commit) {
    return std::any_of(commit.paths.begin(), commit.paths.end(),
                       [&](const std::string& one) { return one == path || is_below(one, path); });
  }));
}

std::map<std::string, std::set<std::uint32_t>> importers_in(const program::Program& program) {
  std::map<std::string, std::set<std::uint32_t>> importers;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path)) continue;
    for (const python::ImportedName& import : module.facts->imports) {
      if (import.name.empty() || import.name == "*" || import.bound_as.empty()) continue;
      const program::Reference reference = program.resolve(id, import.bound_as);
      if (reference.kind == program::Reference::Kind::kClass)
        importers[program.classes()[reference.cls].qualified_name].insert(static_cast<std::uint32_t>(i));
      if (reference.kind == program::Reference::Kind::kFunction)
        importers[program.functions()[reference.function].qualified_name].insert(static_cast<std::uint32_t>(i));
    }
  }
  return importers;
}

std::string main_package_of(const program::Program& program) {
  std::map<std::string, std::size_t> bytes;
  for (const program::Module& module : program.modules()) {
    const std::size_t slash = module.path.find('/');
    if (slash == std::string::npos || is_side_code(module.path)) continue;
    bytes[module.path.substr(0, slash)] += module.facts->source().bytes().size();
  }
  std::string best;
  std::size_t most = 0;
  for (const auto& [folder, size] : bytes) {
    if (size <= most) continue;
    most = size;
    best = folder;
  }
  return best;
}

bool is_own_code(const DraftInputs& inputs, std::string_view path) {
  return !is_side_code(path) && (inputs.main_package.empty() || is_below(path, inputs.main_package));
}

Place place_of(const program::Module& module, Span span) {
  return {module.path, module.facts->source().line_of(span.begin)};
}

Place place_of(const program::Program& program, program::ClassId cls) {
  const program::Class& entry = program.classes()[cls];
  return place_of(program.modules()[entry.module], entry.node->span);
}

Place place_of(const program::Program& program, program::FunctionId function) {
  const program::Function& entry = program.functions()[function];
  return place_of(program.modules()[entry.module], entry.node->span);
}

}  // namespace lockstep::playbook
