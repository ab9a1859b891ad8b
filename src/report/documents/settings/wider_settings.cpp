#include "report/documents/settings/wider_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/find_text.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/attribute_stores.h"
#include "report/source/code.h"
#include "report/story/settings/flag_declarations.h"
#include "report/ways/objects/class_uses.h"

namespace lockstep::report {

using program::FunctionId;
using program::Program;

namespace {

/// Whether the function only sees to it that settings fit together.
bool is_check(std::string_view name) {
  // Not `save_checkpoint`.
  const bool checks = name == "check" || name.starts_with("check_") || name.ends_with("_check") ||
                      find_text(name, "_check_") != std::string_view::npos ||
                      find_text(name, "checks") != std::string_view::npos;
  return name == "__post_init__" || find_text(name, "validate") != std::string_view::npos || checks;
}

bool counts(const Program& program, FunctionId function) {
  const std::string& path = program.module_of(function).path;
  return !program::is_test_path(path) && !program::is_helper_path(path) &&
         !is_check(program.functions()[function].name);
}

/// Who reads the setting off a configuration, without who counts not; in the order of files and lines.
std::vector<FunctionId> readers_of(const Program& program, std::string_view setting) {
  std::vector<FunctionId> out;
  std::set<FunctionId> looked;
  for_each_place(program, setting, [&](program::ModuleId module, std::uint32_t at) {
    const FunctionId function = program.function_at(module, at);
    if (!function.valid() || !looked.insert(function).second || !counts(program, function) ||
        program.functions()[function].def() == nullptr)
      return true;
    const std::vector<std::string> read = config_reads(*program.functions()[function].node);
    if (std::find(read.begin(), read.end(), setting) != read.end()) out.push_back(function);
    return true;
  });
  return out;
}

/// "`a`, `b` and 2 more", each name once.
std::string names_of(const Program& program, const std::vector<FunctionId>& functions) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> names;
  for (const FunctionId one : functions) {
    std::string name = code(short_name(program, one));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  const std::size_t all = names.size();
  if (all > kMostNamed + 1) {
    names.resize(kMostNamed);
    names.push_back(fmt::format("{} more", all - kMostNamed));
  }
  return join_words(names);
}

/// By setting: the changed functions that read it and did not.
std::map<std::string, std::vector<FunctionId>> new_readers(const DocumentInputs& inputs, const Story& story) {
  std::map<std::string, std::vector<FunctionId>> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() || actor.is_module_code ||
        !actor.change->after->function.valid() || !counts(*inputs.after, actor.change->after->function) ||
        actor.extracted_from != nullptr || actor.successor_of != nullptr)
      continue;
    const std::vector<std::string> was =
        actor.change->before ? config_reads(*actor.change->before->node) : std::vector<std::string>();
    for (const std::string& name : config_reads(*actor.change->after->node)) {
      if (std::find(was.begin(), was.end(), name) == was.end()) out[name].push_back(actor.change->after->function);
    }
  }
  return out;
}

/// Whether a method of the same class read the setting before, or one of a class above it that reads it no more: then
/// its parts do now. `after`: all that read it now.
bool is_of_reading_class(const DocumentInputs& inputs, FunctionId reader, const std::vector<FunctionId>& before,
                         const std::vector<FunctionId>& after) {
  const program::ClassId own = class_of_self(*inputs.after, reader);
  if (!own.valid()) return false;
  return std::any_of(before.begin(), before.end(), [&](FunctionId old) {
    const program::ClassId cls = class_of_self(*inputs.before, old);
    if (!cls.valid()) return false;
    const std::string& name = inputs.before->classes()[cls].qualified_name;
    const FunctionId now = inputs.after->find_function(inputs.before->functions()[old].qualified_name);
    const bool reads_on = now.valid() && std::find(after.begin(), after.end(), now) != after.end();
    return name == inputs.after->classes()[own].qualified_name || (!reads_on && inputs.after->derives_from(own, name));
  });
}

}  // namespace

std::vector<std::string> wider_setting_items(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kFewestNew = 2;
  constexpr std::size_t kMostBefore = 6;
  constexpr std::size_t kMostLooked = 4;
  if (inputs.before == nullptr) return {};
  std::vector<std::pair<std::string, std::vector<FunctionId>>> settings;
  for (auto& [name, readers] : new_readers(inputs, story)) {
    if (readers.size() >= kFewestNew) settings.emplace_back(name, std::move(readers));
  }
  std::stable_sort(settings.begin(), settings.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  if (settings.size() > kMostLooked) settings.resize(kMostLooked);
  for (auto& [name, readers] : settings) {
    // What many read is no matter of a few paths; readers in the place of others are no more of them.
    const std::vector<FunctionId> before = readers_of(*inputs.before, name);
    const std::vector<FunctionId> after = readers_of(*inputs.after, name);
    if (before.empty() || before.size() > kMostBefore || after.size() < before.size() + kFewestNew) continue;
    std::erase_if(readers, [&](FunctionId one) { return is_of_reading_class(inputs, one, before, after); });
    if (readers.size() < kFewestNew) continue;
    Flag flag;
    flag.name = name;
    FlagDeclarations(*inputs.after).declare(flag);
    if (flag.place.empty()) continue;
    return {fmt::format(
        "The setting {} ({}), which was there, is newly read in {}; before, beside checks of settings, it was "
        "read in {}.",
        code(name), flag.place, names_of(*inputs.after, readers), names_of(*inputs.before, before))};
  }
  return {};
}

}  // namespace lockstep::report
