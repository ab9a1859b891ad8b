// Which folder holds what: by the definitions that the rest of the repository imports most.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "playbook/draft.h"
#include "program/queries.h"

namespace lockstep::playbook {

namespace {

/// A class or function and the modules that import it.
struct Popular {
  std::string name;
  Place place;
  std::set<std::uint32_t> importers;  // indices of modules
};

struct Folder {
  std::size_t files = 0, bytes = 0;
  std::map<std::string, Popular> popular;  // by qualified name
};

// The folder of a module that the layout speaks of: below the main package at most two levels, else the first.
std::string folder_for(std::string_view path, std::string_view main) {
  const std::size_t depth = is_below(path, main) && !main.empty() ? 3 : 1;
  std::size_t end = 0;
  for (std::size_t level = 0; level < depth; ++level) {
    const std::size_t slash = path.find('/', end == 0 ? 0 : end + 1);
    if (slash == std::string_view::npos) break;
    end = slash;
  }
  return std::string(path.substr(0, end));
}

std::map<std::string, Folder> folders_of(const DraftInputs& inputs) {
  std::map<std::string, Folder> folders;
  const program::Program& program = inputs.ground.program;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    const std::string folder = folder_for(module.path, inputs.main_package);
    ++folders[folder].files;
    folders[folder].bytes += module.facts->source().bytes().size();
    if (program::is_test_path(module.path)) continue;
    for (const python::ImportedName& import : module.facts->imports) {
      if (import.name.empty() || import.name == "*" || import.bound_as.empty()) continue;
      const program::Reference reference = program.resolve(id, import.bound_as);
      Place place;
      std::string qualified;
      std::string_view name;
      if (reference.kind == program::Reference::Kind::kClass) {
        place = place_of(program, reference.cls);
        qualified = program.classes()[reference.cls].qualified_name;
        name = program.classes()[reference.cls].name;
      } else if (reference.kind == program::Reference::Kind::kFunction) {
        place = place_of(program, reference.function);
        qualified = program.functions()[reference.function].qualified_name;
        name = program.functions()[reference.function].name;
      } else {
        continue;
      }
      const std::string home = folder_for(place.path, inputs.main_package);
      Popular& popular = folders[home].popular[qualified];
      popular.name = name;
      popular.place = place;
      popular.importers.insert(static_cast<std::uint32_t>(i));
    }
  }
  return folders;
}

// Classes say more of a folder than functions do.
std::vector<Popular> best_of(const Folder& folder, std::size_t most) {
  std::vector<Popular> all;
  for (const auto& [name, popular] : folder.popular) all.push_back(popular);
  const auto worth = [](const Popular& one) {
    const bool is_class = !one.name.empty() && one.name.front() >= 'A' && one.name.front() <= 'Z';
    return one.importers.size() * (is_class ? 3 : 1);
  };
  std::stable_sort(all.begin(), all.end(), [&](const Popular& a, const Popular& b) { return worth(a) > worth(b); });
  if (all.size() > most) all.resize(most);
  return all;
}

void draft_folder(const std::string& path, const Folder& folder, int worth, DraftSection& section) {
  const std::vector<Popular> best = best_of(folder, 4);
  if (best.empty()) return;
  DraftLine line{fmt::format("`{}/`", path), {}, worth, {}};
  std::vector<std::string> names;
  for (const Popular& one : best) {
    names.push_back(one.name);
    line.sources.push_back(one.place);
  }
  line.text = quoted_list(names, names.size());
  section.lines.push_back(std::move(line));
}

void draft_programs(const DraftInputs& inputs, DraftSection& section) {
  DraftLine line{"Programs", {}, 72, {}};
  std::vector<std::string> names;
  for (const program::Module& module : inputs.ground.program.modules()) {
    if (contains(module.path, "/") || program::is_test_path(module.path) || module.path == "setup.py") continue;
    const std::string_view text = module.facts->source().bytes();
    const std::size_t at = text.find("__name__ == ");
    if (at == std::string_view::npos) continue;
    names.push_back(module.path);
    line.sources.push_back({module.path, module.facts->source().line_of(static_cast<std::uint32_t>(at))});
  }
  for (const Project& project : inputs.ground.tools.projects) {
    if (!project.folder.empty()) continue;
    for (const auto& [name, place] : project.scripts) {
      names.push_back(name);
      line.sources.push_back(place);
    }
  }
  for (const std::string& path : inputs.ground.paths.files()) {
    if (!path.ends_with(".sh") || contains(path, "/")) continue;
    names.push_back(path);
    line.sources.push_back({path, 0});
  }
  if (names.empty()) return;
  line.text = fmt::format("{}.", quoted_list(names, 8));
  section.lines.push_back(std::move(line));
}

}  // namespace

DraftSection draft_layout(const DraftInputs& inputs) {
  DraftSection section{"Where things are", {}};
  draft_programs(inputs, section);
  const std::map<std::string, Folder> folders = folders_of(inputs);
  std::vector<std::pair<std::string, const Folder*>> ranked;
  for (const auto& [path, folder] : folders) {
    if (!path.empty() && !path.starts_with('.') && !program::is_test_path(path + "/x.py") && !folder.popular.empty() &&
        folder.files > 1)
      ranked.emplace_back(path, &folder);
  }
  const auto importers = [](const Folder& folder) {
    std::size_t count = 0;
    for (const auto& [name, popular] : folder.popular) count += popular.importers.size();
    return count;
  };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const auto& a, const auto& b) { return importers(*a.second) > importers(*b.second); });
  if (ranked.size() > 14) ranked.resize(14);
  // What is imported most is needed most; in the text the folders stand in the order of their names.
  std::map<std::string, std::pair<const Folder*, int>> chosen;
  for (std::size_t i = 0; i < ranked.size(); ++i)
    chosen[ranked[i].first] = {ranked[i].second, 70 - 2 * static_cast<int>(i)};
  for (const auto& [path, one] : chosen) draft_folder(path, *one.first, one.second, section);
  return section;
}

}  // namespace lockstep::playbook
