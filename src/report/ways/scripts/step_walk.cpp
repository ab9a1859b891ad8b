#include "report/ways/scripts/step_walk.h"

#include <algorithm>

#include "base/strings.h"
#include "report/source/code.h"
#include "report/ways/conditions/condition_kinds.h"
#include "report/ways/scripts/script_places.h"

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

/// Whether nothing is trained where the condition holds, or, negated, does not hold.
bool excludes_training(const python::Expr& condition, bool negated) {
  using namespace python;
  if (asks_for_inference(condition, negated)) return true;
  if (const auto* call = as<Call>(&condition))
    return !negated && to_lower(dotted_text(call->callee)).ends_with("inferencemode.is_active");
  if (const auto* attribute = as<Attribute>(&condition)) {
    const auto* object = as<Name>(attribute->value);
    return negated && attribute->name.text == "training" && object != nullptr && object->id == "self";
  }
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot)
    return excludes_training(*unary->operand, !negated);
  if (const auto* parts = as<BoolOp>(&condition)) {
    const auto excludes = [&](const Expr* part) { return excludes_training(*part, negated); };
    return (parts->op == BoolOperator::kAnd) != negated
               ? std::any_of(parts->values.begin(), parts->values.end(), excludes)
               : std::all_of(parts->values.begin(), parts->values.end(), excludes);
  }
  return false;
}

/// A call that is made only where nothing is trained: `if not self.training: …`, `if inference_context is not None: …`.
bool is_left_out_in_training(const Program& program, const program::CallSite& site) {
  const program::Function& caller = program.functions()[site.caller];
  if (site.node == nullptr || !python::is<python::FunctionDef>(caller.node)) return false;
  const std::vector<Guard> guards = guards_of(*caller.node, site.node->span);
  return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) {
    return guard.condition != nullptr && excludes_training(*guard.condition, guard.negated);
  });
}

/// Of several functions that a call may enter, one of inference code, where others are not: the others are what trains.
bool is_other_for_inference(const Program& program, const program::CallSite& site, FunctionId entered) {
  const auto is_for_inference = [&](FunctionId function) {
    return aside_folder(program.module_of(function).path) == "inference";
  };
  // Nothing is trained in what an engine runs, whoever drives it.
  if (is_for_engine(program.module_of(entered).path) && !is_for_engine(program.module_of(site.caller).path))
    return true;
  if (site.targets.size() < 2 || !is_for_inference(entered) || is_for_inference(site.caller)) return false;
  return std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
    return target.function.valid() && !is_for_inference(target.function);
  });
}

/// Functions that are there to make a model or to set something up, by the names that this field gives them.
bool is_named_for_set_up(const program::Function& function) {
  if (is_constructor(function)) return false;
  static constexpr std::string_view kStarts[] = {"setup",     "initialize",  "init_",        "parallelize",
                                                 "get_model", "build_model", "build_module", "update_from_config"};
  static constexpr std::string_view kEnds[] = {"_provider", "_builder"};
  const std::string_view name =
      function.name.substr(std::min(function.name.find_first_not_of('_'), function.name.size()));
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return name.starts_with(start); }) ||
         std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return function.name.ends_with(end); });
}

}  // namespace

StepWalk::StepWalk(const Program& program, const std::vector<program::Reached>& step_path)
    : places_(program.functions().size()) {
  // What a step calls, by caller; and of that, what constructs no part of a model.
  std::vector<std::vector<FunctionId>> called(program.functions().size());
  std::vector<std::vector<FunctionId>> entered(program.functions().size());
  // The steps themselves: what they call is done in a step, whatever it makes and however it is called.
  std::vector<bool> is_step(program.functions().size(), false);
  for (const program::Reached& reached : step_path) is_step[reached.function.index()] = reached.distance == 0;
  // Whether a function asks for such things at all: 1, 0, or -1 where that is not known yet.
  std::vector<signed char> asks(program.functions().size(), -1);
  const auto asks_for_training = [&](FunctionId caller) {
    signed char& known = asks[caller.index()];
    const python::Node* node = program.functions()[caller].node;
    if (known < 0) {
      const std::string_view text = source_of(program, caller).slice(node->span);
      known = contains(text, "self.training") || contains(text, "inference") || contains(text, "InferenceMode") ? 1 : 0;
    }
    return known == 1;
  };
  for (const program::Reached& reached : step_path) {
    const bool is_construction = constructs_model(program, reached.function);
    for (const program::CallId call : program.callers_of(reached.function)) {
      const program::CallSite& site = program.calls()[call];
      if (asks_for_training(site.caller) && is_left_out_in_training(program, site)) continue;
      if (is_other_for_inference(program, site, reached.function)) continue;
      // What a function calls that was given to it - a decorator's wrapper, a factory -, its callers call.
      std::vector<FunctionId> callers = {site.caller};
      if (program.depends_on_caller(call)) {
        callers.clear();
        for (const program::CallId entering : program.callers_of(site.caller)) {
          const program::CallSite& entered_by = program.calls()[entering];
          if (asks_for_training(entered_by.caller) && is_left_out_in_training(program, entered_by)) continue;
          if (program.can_follow(entering, call, reached.function)) callers.push_back(entered_by.caller);
        }
      }
      for (const FunctionId caller : callers) called[caller.index()].push_back(reached.function);
      const bool is_known =
          std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
            return target.function == reached.function && target.certainty != program::Certainty::kByName;
          });
      for (const FunctionId caller : callers) {
        const bool only_builds = is_construction && !is_step[caller.index()];
        if (is_known && !only_builds) entered[caller.index()].push_back(reached.function);
      }
    }
  }
  const auto mark = [&](StepPlace place, const auto& calls, const auto& stops_at) {
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
      for (const FunctionId next : calls[at.index()]) {
        const program::Function& function = program.functions()[next];
        // What provides a model is no work of a step, whatever seems to call it there.
        const bool may_enter = is_step[at.index()] && !function.name.ends_with("model_provider");
        if (may_enter || !stops_at(function)) enter(next);
      }
    }
  };
  const auto at_nothing = [](const program::Function&) { return false; };
  mark(StepPlace::kBuild, called, at_nothing);
  mark(StepPlace::kSetUp, entered, at_nothing);
  mark(StepPlace::kStep, entered, is_named_for_set_up);
}

}  // namespace lockstep::report
