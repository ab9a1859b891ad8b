#include "rules/training/step_reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "program/unmade_closures.h"
#include "rules/place.h"
#include "rules/syntax/rare_paths.h"

namespace lockstep::rules {

using program::CallId;
using program::FunctionId;

namespace {

// Words in a function's name that say that it does not belong to every step.
constexpr auto kRareWords = std::to_array<std::string_view>(
    {"init", "initialize", "setup", "save", "load", "print", "dump", "repr", "debug", "profile", "benchmark", "warmup",
     "validate", "state", "del", "str", "format", "reset", "test"});
constexpr std::size_t kLongPath = 5;

}  // namespace

bool runs_rarely(std::string_view function_name) {
  bool is_first = true;
  for (const std::string_view word : split(function_name, '_')) {
    if (word.empty()) continue;
    // As a verb it comes first (`load_state`); elsewhere it is a quantity (`record_load`, `expert_load`).
    const bool is_quantity = word == "load" && !is_first;
    is_first = false;
    if (!is_quantity && std::find(kRareWords.begin(), kRareWords.end(), word) != kRareWords.end()) return true;
  }
  return false;
}

namespace {

/// Code whose class or file says that it logs, profiles or looks for mistakes: `DataGradLogger`, `dgrad_logging.py`.
bool is_for_watching(std::string_view name) {
  constexpr auto kWords = std::to_array<std::string_view>({"logger", "logging", "debug", "profiler", "profiling"});
  const std::string lower = to_lower(name);
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return contains(lower, word); });
}

bool is_seldom_run(const program::Program& program, FunctionId function) {
  for (FunctionId at = function; at.valid(); at = program.functions()[at].enclosing) {
    const program::Function& row = program.functions()[at];
    if (row.kind == program::FunctionKind::kModuleBody) break;
    if (runs_rarely(row.name)) return true;
    // The version for the host: `fill_indices_cpu`, not `copy_to_cpu`.
    if (row.name.ends_with("_cpu") && !row.name.ends_with("to_cpu") && !contains(row.name, "offload")) return true;
    if (row.owner.valid() && is_for_watching(program.classes()[row.owner].name)) return true;
  }
  const std::string& module = program.module_of(function).name;
  return is_for_watching(std::string_view(module).substr(module.rfind('.') + 1));
}

}  // namespace

StepReach::StepReach(const program::Program& program, const std::vector<program::Reached>& step_path)
    : program_(program) {
  const program::UnmadeClosures unmade(program);
  const auto enter = [&](FunctionId function, CallId call) {
    if (entered_by_.contains(function) || is_seldom_run(program, function) || unmade.contains(function)) return;
    entered_by_.emplace(function, call);
    order_.push_back(function);
  };
  for (const program::Reached& reached : step_path) {
    if (reached.distance == 0) enter(reached.function, CallId{});
  }
  for (std::size_t next = 0; next < order_.size(); ++next) {
    const program::Function& row = program.functions()[order_[next]];
    if (row.calls.empty()) continue;
    const std::unordered_set<const python::Node*> rare = rare_calls(*row.node);
    for (const CallId id : row.calls) {
      if (rare.contains(program.calls()[id].node)) continue;
      for (const program::CallTarget& target : program.calls()[id].targets) {
        if (target.function.valid() && target.certainty != program::Certainty::kByName) enter(target.function, id);
      }
    }
  }
}

std::vector<CallId> StepReach::path_to(FunctionId function) const {
  std::vector<CallId> path;
  for (auto at = entered_by_.find(function); at != entered_by_.end() && at->second.valid();) {
    path.push_back(at->second);
    at = entered_by_.find(program_.calls()[at->second].caller);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

FunctionId StepReach::root_of(FunctionId function) const {
  const auto path = path_to(function);
  return path.empty() ? function : program_.calls()[path.front()].caller;
}

std::string StepReach::describe(FunctionId function) const {
  std::vector<std::string> names;
  for (const CallId call : path_to(function))
    names.push_back(fmt::format("`{}`", short_name(program_, program_.calls()[call].caller)));
  names.push_back(fmt::format("`{}`", short_name(program_, function)));
  if (names.size() > kLongPath) {
    names.erase(names.begin() + 2, names.end() - 2);
    names.insert(names.begin() + 2, "…");
  }
  return join(names, " → ");
}

}  // namespace lockstep::rules
