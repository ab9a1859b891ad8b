// How real runs reach the central entities, and which tests do.
#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "report/story.h"

namespace lockstep::report {

using program::CallPath;
using program::EntryKind;
using program::FunctionId;
using program::Program;

namespace {

bool is_helper_path(std::string_view path) {
  for (const std::string_view folder : {"tools/", "examples/", "scripts/", "benchmarks/", "tests/", "test/", "docs/"}) {
    if (path.starts_with(folder) || contains(path, "/" + std::string(folder))) return true;
  }
  return false;
}

/// How often the repository's own top-level documentation names each script: which one people run.
std::map<std::string, std::size_t> mentions(const DocumentInputs& inputs, const std::set<std::string>& names) {
  std::map<std::string, std::size_t> counts;
  if (inputs.after_files == nullptr) return counts;
  std::size_t read = 0;
  for (const repo::FileEntry& file : inputs.after_files->files()) {
    if (!file.path.ends_with(".md") || file.size_bytes > 200'000 || program::is_test_path(file.path)) continue;
    if (++read > 60) break;
    const auto bytes = inputs.after_files->read(file.path);
    if (!bytes) continue;
    for (const std::string& name : names) {
      for (std::size_t at = bytes->find(name); at != std::string::npos; at = bytes->find(name, at + 1)) ++counts[name];
    }
  }
  return counts;
}

std::string file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

class PathFinder {
 public:
  PathFinder(const DocumentInputs& inputs, const Program& program) : program_(program) {
    std::set<std::string> names;
    for (const program::Entry& entry : program::entry_points(program)) {
      const std::string& path = program.module_of(entry.function).path;
      if (entry.kind == EntryKind::kScript && !program::is_test_path(path)) {
        (is_helper_path(path) ? helper_scripts_ : scripts_).push_back(entry.function);
        if (!is_helper_path(path)) names.insert(file_name(path));
      } else if (entry.kind == EntryKind::kTest) {
        tests_.push_back(entry.function);
      }
    }
    mentions_ = mentions(inputs, names);
  }

  EntryPath find(FunctionId target) const {
    for (const auto& [sources, kind] :
         {std::make_pair(&scripts_, EntryKind::kScript), std::make_pair(&helper_scripts_, EntryKind::kScript)}) {
      if (EntryPath path = best_script(*sources, target); !path.frames.empty()) {
        path.kind = kind;
        return path;
      }
    }
    if (EntryPath path = from_public_api(target); path.frames.size() > 1) return path;
    EntryPath path = built(program::shortest_path(program_, tests_, target));
    path.kind = EntryKind::kTest;
    return path;
  }

 private:
  /// Shortest from any script; among scripts that are as near, the one that the documentation names most.
  EntryPath best_script(const std::vector<FunctionId>& sources, FunctionId target) const {
    const CallPath shortest = program::shortest_path(program_, sources, target);
    if (shortest.empty()) return {};
    // Everything that reaches the target, once, tells how many scripts do and how far each is.
    std::map<std::uint32_t, int> distance;
    for (const program::Reached& reached : program::reaching(program_, target, 20'000))
      distance[reached.function.value] = reached.distance;
    FunctionId best = program_.calls()[shortest.front().call].caller;
    std::size_t entries = 0;
    std::size_t best_mentions = 0;
    std::set<std::string> files;
    for (const FunctionId source : sources) {
      const auto at = distance.find(source.value);
      if (at == distance.end()) continue;
      const std::string name = file_name(program_.module_of(source).path);
      if (files.insert(program_.module_of(source).path).second) ++entries;
      const auto mentioned = mentions_.find(name);
      const std::size_t count = mentioned == mentions_.end() ? 0 : mentioned->second;
      if (at->second <= static_cast<int>(shortest.size()) + 1 && count > best_mentions) {
        best = source;
        best_mentions = count;
      }
    }
    EntryPath path = built(program::shortest_path(program_, std::span(&best, 1), target));
    if (path.frames.empty()) path = built(shortest);
    path.other_entries = entries > 0 ? entries - 1 : 0;
    return path;
  }

  /// Up through callers outside tests until nobody calls: the outermost function there is.
  EntryPath from_public_api(FunctionId target) const {
    FunctionId top;
    int distance = -1;
    for (const program::Reached& reached : program::reaching(program_, target, 2'000)) {
      const auto& function = program_.functions()[reached.function];
      const std::string& path = program_.module_of(reached.function).path;
      if (program::is_test_path(path) || is_helper_path(path) || function.kind != program::FunctionKind::kFunction)
        continue;
      const auto callers = program_.callers_of(reached.function);
      const bool called = std::any_of(callers.begin(), callers.end(), [&](program::CallId call) {
        return !program::is_test_path(program_.module_of(program_.calls()[call].caller).path);
      });
      if (called || function.name.starts_with("_")) continue;
      if (distance < 0 || reached.distance < distance) {
        top = reached.function;
        distance = reached.distance;
      }
    }
    if (!top.valid() || distance <= 0) return {};
    EntryPath path = built(program::shortest_path(program_, std::span(&top, 1), target));
    path.kind = EntryKind::kPublicApi;
    return path;
  }

  EntryPath built(const CallPath& path) const {
    EntryPath out;
    for (const program::PathStep& step : path) {
      const program::CallSite& site = program_.calls()[step.call];
      PathFrame frame;
      frame.function = site.caller;
      frame.call = site.node;
      if (const python::Node* body = program_.functions()[site.caller].node)
        frame.guards = guards_of(*body, site.node->span);
      frame.is_certain = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
        return target.function == step.callee && target.certainty == program::Certainty::kExact;
      });
      out.frames.push_back(std::move(frame));
    }
    if (!path.empty()) out.frames.push_back({path.back().callee, nullptr, {}, true});
    return out;
  }

  const Program& program_;
  std::vector<FunctionId> scripts_;
  std::vector<FunctionId> helper_scripts_;
  std::vector<FunctionId> tests_;
  std::map<std::string, std::size_t> mentions_;
};

std::vector<TestReach> tests_reaching(const DocumentInputs& inputs, FunctionId target) {
  std::set<std::uint32_t> changed;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (entity.after && entity.after->function.valid()) changed.insert(entity.after->function.value);
  }
  std::vector<TestReach> out;
  for (const program::Reached& reached : program::reaching(*inputs.after, target, 20'000)) {
    const auto& function = inputs.after->functions()[reached.function];
    if (!function.name.starts_with("test") || function.kind != program::FunctionKind::kFunction) continue;
    if (!program::is_test_path(inputs.after->module_of(reached.function).path)) continue;
    out.push_back({reached.function, reached.distance, changed.contains(reached.function.value)});
  }
  std::stable_sort(out.begin(), out.end(), [&](const TestReach& a, const TestReach& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    if (a.is_changed != b.is_changed) return a.is_changed;
    return inputs.after->functions()[a.test].qualified_name < inputs.after->functions()[b.test].qualified_name;
  });
  return out;
}

/// What stands for an actor in the call graph: itself, or a class's constructor.
FunctionId function_of(const Program& program, const change::EntityChange& entity, const change::EntitySide& side) {
  if (entity.kind != change::EntityKind::kClass)
    return entity.kind == change::EntityKind::kFunction || entity.kind == change::EntityKind::kMethod ? side.function
                                                                                                      : FunctionId();
  return side.cls.valid() ? program.find_method(side.cls, "__init__") : FunctionId();
}

}  // namespace

void find_paths(const DocumentInputs& inputs, Story& story) {
  const PathFinder finder(inputs, *inputs.after);
  for (const std::size_t index : story.central) {
    const change::EntityChange& entity = *story.actors[index].change;
    story.entries.emplace_back();
    story.tests.emplace_back();
    if (!entity.after) continue;
    const FunctionId target = function_of(*inputs.after, entity, *entity.after);
    if (!target.valid()) continue;
    story.entries.back() = finder.find(target);
    story.tests.back() = tests_reaching(inputs, target);
  }
}

}  // namespace lockstep::report
