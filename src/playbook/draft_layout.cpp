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

/// A class or function and how many modules of other folders import it.
struct Popular {
  std::string name;
  Place place;
  std::size_t importers = 0;
};

struct Folder {
  std::size_t files = 0;
  std::vector<Popular> popular;
};

constexpr std::size_t kLargeFolder = 10;  // files; a folder below the third level that earns a line of its own

std::string_view first_levels(std::string_view path, std::size_t levels) {
  std::size_t end = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    const std::size_t slash = path.find('/', end == 0 ? 0 : end + 1);
    if (slash == std::string_view::npos) break;
    end = slash;
  }
  return path.substr(0, end);
}

/// The folders that the layout speaks of: below the main package three levels deep, four where there is much, else one.
class Folders {
 public:
  Folders(const program::Program& program, std::string_view main) : main_(main) {
    for (const program::Module& module : program.modules()) ++deep_[std::string(first_levels(module.path, 4))];
  }
  [[nodiscard]] std::string of(std::string_view path) const {
    if (main_.empty() || !is_below(path, main_)) return std::string(first_levels(path, 1));
    const auto deep = deep_.find(first_levels(path, 4));
    return std::string(first_levels(path, deep != deep_.end() && deep->second >= kLargeFolder ? 4 : 3));
  }

 private:
  std::string_view main_;
  std::map<std::string, std::size_t, std::less<>> deep_;
};

std::map<std::string, Folder> folders_of(const DraftInputs& inputs) {
  std::map<std::string, Folder> result;
  const program::Program& program = inputs.ground.program;
  const Folders folders(program, inputs.main_package);
  for (const program::Module& module : program.modules()) ++result[folders.of(module.path)].files;
  for (const auto& [qualified, importers] : inputs.importers) {
    const program::ClassId cls = program.find_class(qualified);
    const program::FunctionId function = program.find_function(qualified);
    if (!cls.valid() && !function.valid()) continue;
    const Place place = cls.valid() ? place_of(program, cls) : place_of(program, function);
    const std::string home = folders.of(place.path);
    Popular popular{std::string(cls.valid() ? program.classes()[cls].name : program.functions()[function].name), place,
                    0};
    for (const std::uint32_t index : importers)
      popular.importers += folders.of(program.modules()[program::ModuleId(index)].path) != home ? 1u : 0u;
    if (popular.importers > 0 && !popular.name.starts_with('_')) result[home].popular.push_back(std::move(popular));
  }
  return result;
}

// Classes say more of a folder than functions do.
std::vector<Popular> best_of(const Folder& folder, std::size_t most) {
  std::vector<Popular> all = folder.popular;
  const auto worth = [](const Popular& one) {
    const bool is_class = !one.name.empty() && one.name.front() >= 'A' && one.name.front() <= 'Z';
    return one.importers * (is_class ? 3 : 1);
  };
  std::stable_sort(all.begin(), all.end(), [&](const Popular& a, const Popular& b) { return worth(a) > worth(b); });
  if (all.size() > most) all.resize(most);
  return all;
}

void draft_folder(const std::string& path, const Folder& folder, int worth, DraftSection& section) {
  const std::vector<Popular> best = best_of(folder, 4);
  if (best.size() < 2) return;
  DraftLine line{fmt::format("`{}/`", path), {}, worth, {}};
  std::vector<std::string> names;
  for (const Popular& one : best) {
    names.push_back(one.name);
    line.sources.push_back(one.place);
  }
  line.text = fmt::format("{}.", quoted_list(names, names.size()));
  section.lines.push_back(std::move(line));
}

// "Deprecated. Use x.py instead.": a few lines that hand over to another script.
bool is_deprecated_wrapper(std::string_view text) {
  constexpr std::size_t kFewBytes = 3000;
  return text.size() < kFewBytes && contains(to_lower(text), "deprecated");
}

// What a shell script takes from its environment where the caller sets it: NAME=${NAME:-"default"}, ${NAME:?…}.
std::vector<std::string> variables_of(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view raw : split_lines(text)) {
    std::string_view line = trim(raw);
    if (line.starts_with("export ")) line = trim(line.substr(7));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || line.starts_with('#')) continue;
    const std::string_view name = line.substr(0, equals);
    if (name.empty() || name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string_view::npos)
      continue;
    std::string_view value = line.substr(equals + 1);
    if (value.starts_with('"')) value.remove_prefix(1);
    const std::string lead = fmt::format("${{{}:", name);
    if (!value.starts_with(lead) || value.size() <= lead.size()) continue;
    std::string_view rest = value.substr(lead.size() + 1);
    rest = rest.substr(0, rest.find('}'));
    const std::string plain = replace_all(rest, "\"", "");
    const bool shown = value[lead.size()] == '-' && !plain.empty() && plain.find_first_of("`$ /") == std::string::npos;
    names.push_back(shown ? fmt::format("{}={}", name, plain) : std::string(name));
  }
  return names;
}

// How a run is started, where a script at the root reads its settings from the environment.
void draft_run_scripts(const DraftInputs& inputs, DraftSection& section) {
  for (const std::string& path : inputs.ground.paths.files()) {
    if (!path.ends_with(".sh") || contains(path, "/")) continue;
    const Result<std::string> text = inputs.ground.snapshot.read(path);
    if (!text || text->size() > kMaxConfigBytes) continue;
    const std::vector<std::string> variables = variables_of(*text);
    if (variables.size() < 2) continue;
    const bool passes = contains(*text, "\"$@\"");
    section.lines.push_back({fmt::format("Run with `./{}`", path),
                             fmt::format("reads from the environment {}{}.", quoted_list(variables, 6, true),
                                         passes ? "; its arguments go on to the program" : ""),
                             84,
                             {{path, 0}}});
    return;
  }
}

void draft_programs(const DraftInputs& inputs, DraftSection& section) {
  DraftLine line{"Programs", {}, 72, {}};
  std::vector<std::string> names;
  for (const program::Module& module : inputs.ground.program.modules()) {
    if (contains(module.path, "/") || program::is_test_path(module.path) || module.path == "setup.py") continue;
    const std::string_view text = module.facts->source().bytes();
    const std::size_t at = text.find("__name__ == ");
    if (at == std::string_view::npos || is_deprecated_wrapper(text)) continue;
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
  draft_run_scripts(inputs, section);
  draft_programs(inputs, section);
  const std::map<std::string, Folder> folders = folders_of(inputs);
  std::vector<std::pair<std::string, const Folder*>> ranked;
  for (const auto& [path, folder] : folders) {
    if (!path.empty() && !path.starts_with('.') && !program::is_test_path(path + "/x.py") && !folder.popular.empty() &&
        folder.files > 1)
      ranked.emplace_back(path, &folder);
  }
  std::map<std::string, std::size_t> use;
  for (const auto& [path, folder] : ranked) {
    use[path] = 2 * inputs.commits_on(path);
    for (const Popular& popular : folder->popular) use[path] += popular.importers;
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const auto& a, const auto& b) { return use[a.first] > use[b.first]; });
  if (ranked.size() > 14) ranked.resize(14);
  // What is imported and changed most is needed most; in the text the folders stand in the order of their names.
  std::map<std::string, std::pair<const Folder*, int>> chosen;
  for (std::size_t i = 0; i < ranked.size(); ++i)
    chosen[ranked[i].first] = {ranked[i].second, 70 - 2 * static_cast<int>(i)};
  for (const auto& [path, one] : chosen) draft_folder(path, *one.first, one.second, section);
  return section;
}

}  // namespace lockstep::playbook
