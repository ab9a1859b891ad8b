#include "report/ways/scripts/inference_targets.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/ways/conditions/condition_kinds.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `super().name(…)`, alone or returned.
bool calls_base(const Stmt& statement) {
  const auto* returned = as<Return>(&statement);
  const auto* alone = as<ExprStmt>(&statement);
  const auto* call = as<Call>(returned != nullptr ? returned->value : alone != nullptr ? alone->value : nullptr);
  return call != nullptr && rules::is_method_of_super(call->callee);
}

bool is_docstring(const Stmt& statement) {
  const auto* alone = as<ExprStmt>(&statement);
  return alone != nullptr && is<Constant>(alone->value);
}

/// Whether one of the places stands in a branch for training: `if self.training: …`.
bool trains_at(const FunctionDef& def, const std::vector<Span>& places) {
  return std::any_of(places.begin(), places.end(), [&](Span place) {
    const std::vector<Guard> guards = guards_of(def, place);
    return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) {
      return !guard.negated && guard.condition != nullptr && dotted_text(guard.condition) == "self.training";
    });
  });
}

}  // namespace

bool runs_only_in_inference(const program::Program& program, program::FunctionId target,
                            const std::vector<Span>& changed) {
  if (!target.valid()) return false;
  const program::Function& function = program.functions()[target];
  const FunctionDef* def = function.def();
  if (def == nullptr) return false;
  // What the class says of itself: `InferenceGroupedMLP`. Models are built, and such layers with them, for any run.
  if (function.owner.valid() && function.name != "__init__" &&
      program.classes()[function.owner].name.starts_with("Inference") && !trains_at(*def, changed))
    return true;
  if (!changed.empty()) {
    return std::all_of(changed.begin(), changed.end(), [&](Span place) {
      return ask_for_inference_on(program, function.owner, guards_of(*def, place));
    });
  }
  if (holds_only_in_inference(program, target)) return true;
  bool any = false;
  for (const Stmt* statement : def->body) {
    const auto* branch = as<If>(statement);
    const bool is_for_it = branch != nullptr && branch->orelse.empty() &&
                           ask_for_inference_on(program, function.owner, {{branch, branch->condition, false}});
    any = any || is_for_it;
    if (!is_for_it && !calls_base(*statement) && !is_docstring(*statement)) return false;
  }
  return any;
}

}  // namespace lockstep::report
