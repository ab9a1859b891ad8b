#include "report/ways/step_walk.h"

#include <algorithm>

namespace lockstep::report {

using program::FunctionId;
using program::Program;

namespace {

/// A class whose objects are parts of a model: it derives from torch's, or has a `forward` of its own or inherited.
bool is_part_of_model(const Program& program, program::ClassId cls) {
  return program.derives_from(cls, "torch.nn.Module") || program.find_method(cls, "forward").valid();
}

bool is_constructor(const program::Function& function) {
  return function.owner.valid() && (function.name == "__init__" || function.name == "__post_init__");
}

bool constructs_model(const Program& program, FunctionId id) {
  const program::Function& function = program.functions()[id];
  return is_constructor(function) && is_part_of_model(program, function.owner);
}

/// Functions that are there to make a model or to set something up, by the names that this field gives them.
bool is_named_for_set_up(const program::Function& function) {
  if (is_constructor(function)) return false;
  static constexpr std::string_view kStarts[] = {"setup",     "initialize",  "init_",
                                                 "get_model", "build_model", "build_module"};
  static constexpr std::string_view kEnds[] = {"_provider", "_builder"};
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return function.name.starts_with(start); }) ||
         std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return function.name.ends_with(end); });
}

}  // namespace

StepWalk::StepWalk(const Program& program, const std::vector<program::Reached>& step_path)
    : places_(program.functions().size()) {
  for (const program::Reached& reached : step_path) places_[reached.function.index()] = StepPlace::kBuild;
  // What a step calls that constructs no part of a model, by caller.
  std::vector<std::vector<FunctionId>> entered(program.functions().size());
  // The steps themselves: what they call is done in a step, whatever it makes and however it is called.
  std::vector<bool> is_step(program.functions().size(), false);
  for (const program::Reached& reached : step_path) is_step[reached.function.index()] = reached.distance == 0;
  for (const program::Reached& reached : step_path) {
    const bool is_construction = constructs_model(program, reached.function);
    for (const program::CallId call : program.callers_of(reached.function)) {
      const program::CallSite& site = program.calls()[call];
      if (is_construction && !is_step[site.caller.index()]) continue;
      const bool is_known =
          std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
            return target.function == reached.function && target.certainty != program::Certainty::kByName;
          });
      if (is_known) entered[site.caller.index()].push_back(reached.function);
    }
  }
  const auto mark = [&](StepPlace place, const auto& stops_at) {
    std::vector<FunctionId> pending;
    const auto enter = [&](FunctionId function) {
      if (places_[function.index()] == place) return;
      places_[function.index()] = place;
      pending.push_back(function);
    };
    for (const program::Reached& reached : step_path) {
      if (reached.distance == 0) enter(reached.function);
    }
    while (!pending.empty()) {
      const FunctionId at = pending.back();
      pending.pop_back();
      for (const FunctionId next : entered[at.index()]) {
        if (is_step[at.index()] || !stops_at(program.functions()[next])) enter(next);
      }
    }
  };
  mark(StepPlace::kSetUp, [](const program::Function&) { return false; });
  mark(StepPlace::kStep, is_named_for_set_up);
}

}  // namespace lockstep::report
