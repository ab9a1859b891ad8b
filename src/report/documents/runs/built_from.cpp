#include "report/documents/runs/built_from.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/find_text.h"
#include "base/paths.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/story/wording/words.h"
#include "report/ways/scripts/script_reach.h"

namespace lockstep::report {

using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// The class `Config` in the body of the class; none where there is no such.
ClassId config_of(const Program& program, ClassId cls) {
  return program.find_class(program.classes()[cls].qualified_name + ".Config");
}

/// Functions outside tests that make objects of the class; those that call the only one, where that one is no more than
/// a helper.
std::vector<FunctionId> givers_of(const Program& program, const MadeClasses& made, ClassId config) {
  const auto is_counted = [&](FunctionId function) {
    return !program::is_test_path(program.module_of(function).path) &&
           program.functions()[function].kind == program::FunctionKind::kFunction &&
           !program.functions()[function].owner.valid();
  };
  std::vector<FunctionId> out;
  const auto add = [&](FunctionId function) {
    if (is_counted(function) && std::find(out.begin(), out.end(), function) == out.end()) out.push_back(function);
  };
  for (const program::CallId call : made.makers_of(config)) add(program.calls()[call].caller);
  if (out.size() != 1) return out;
  const FunctionId only = out.front();
  out.clear();
  for (const program::CallId call : program.callers_of(only)) add(program.calls()[call].caller);
  return out.empty() ? std::vector<FunctionId>{only} : out;
}

/// Of the class and its heirs the one of which functions near the end of the way make a configuration, with these: what
/// `experiments/x` configures runs `experiments/x`. The class itself with all of its own where none stands nearer.
std::pair<ClassId, std::vector<FunctionId>> nearest_givers(const Program& program, const MadeClasses& made, ClassId cls,
                                                           std::string_view end_of_way) {
  constexpr std::size_t kNear = 3;  // Folders, of which the first ones are everybody's.
  std::pair<ClassId, std::vector<FunctionId>> best{cls, givers_of(program, made, config_of(program, cls))};
  std::size_t nearest = kNear - 1;
  for (const ClassId heir : program::with_descendants(program, cls)) {
    const ClassId config = config_of(program, heir);
    if (!config.valid()) continue;
    std::vector<FunctionId> givers = givers_of(program, made, config);
    const auto near = [&](FunctionId giver) { return shared_folders(program.module_of(giver).path, end_of_way); };
    std::size_t most = 0;
    for (const FunctionId giver : givers) most = std::max(most, near(giver));
    if (most <= nearest) continue;
    std::erase_if(givers, [&](FunctionId giver) { return near(giver) < most; });
    nearest = most;
    best = {heir, std::move(givers)};
  }
  return best;
}

std::string built_from_text(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  constexpr std::size_t kMany = 40;
  constexpr std::size_t kMost = 2;
  const Program& program = *inputs.after;
  const EntryPath& path = story.entries[index];
  if (path.kind != program::EntryKind::kScript) return {};
  std::optional<MadeClasses> made;
  std::vector<ClassId> looked_at;
  for (std::size_t i = path.frames.size(); i-- > 0;) {
    const ClassId cls = program.functions()[path.frames[i].function].owner;
    if (!cls.valid() || std::find(looked_at.begin(), looked_at.end(), cls) != looked_at.end()) continue;
    looked_at.push_back(cls);
    const ClassId config = config_of(program, cls);
    if (!config.valid()) continue;
    if (!made) made.emplace(program);
    const auto [made_of, givers] =
        nearest_givers(program, *made, cls, program.module_of(path.frames.back().function).path);
    if (givers.empty() || givers.size() > kMany) continue;
    std::vector<std::string> names;
    for (const FunctionId giver : givers) {
      if (names.size() == kMost && givers.size() > kMost + 1) {
        names.push_back(fmt::format("{} more functions", givers.size() - kMost));
        break;
      }
      names.push_back(fmt::format("{} ({})", code(short_name(program, giver)), place_of(program, giver)));
    }
    return fmt::format("A {} comes from {}.", code(short_name(program, made_of) + ".Config"), join_words(names));
  }
  return {};
}

std::string launcher_text(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  constexpr std::size_t kMost = 2;
  const EntryPath& path = story.entries[index];
  if (path.kind != program::EntryKind::kScript || path.frames.size() < 2 || inputs.after_files == nullptr) return {};
  const std::string& script = inputs.after->module_of(path.frames.front().function).path;
  if (!script.ends_with(".py")) return {};
  const std::string module = replace_all(script.substr(0, script.size() - 3), "/", ".");
  std::vector<std::string> found;
  for (const repo::FileEntry& file : inputs.after_files->files()) {
    if (!file.path.ends_with(".sh") || contains(file.path, "/")) continue;
    const auto bytes = inputs.after_files->read(file.path);
    if (!bytes) continue;
    const bool names_module = contains(module, ".") && find_name(*bytes, module) != std::string_view::npos;
    if (names_module || contains(*bytes, script)) found.push_back(place(file.path));
  }
  if (found.empty() || found.size() > kMost) return {};
  return fmt::format("{} {} {}.", join_words(found), found.size() == 1 ? "launches" : "launch", place(script));
}

}  // namespace

std::string start_text(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  const std::string launcher = launcher_text(inputs, story, index);
  const std::string built = built_from_text(inputs, story, index);
  return launcher + (launcher.empty() || built.empty() ? "" : " ") + built;
}

}  // namespace lockstep::report
