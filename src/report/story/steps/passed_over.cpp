#include "report/story/steps/passed_over.h"

#include <algorithm>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Last names of library calls that are made for what they do outside the process or to the model.
bool acts_outside(std::string_view name) {
  static constexpr std::string_view kActing[] = {"backward", "delete", "dump",  "patch",   "post", "put",
                                                 "remove",   "rmtree", "run",   "save",    "send", "send_multipart",
                                                 "sendall",  "step",   "write", "makedirs"};
  return std::find(std::begin(kActing), std::end(kActing), name) != std::end(kActing);
}

/// 0: says nothing.
int weight_of(const Call& call, const WordsContext& context) {
  if (rules::is_log_call(&call)) return 0;
  if (collective_at(context, &call) != nullptr) return 4;
  const std::vector<program::FunctionId> callees = callees_of(*context.program, &call);
  if (acts_outside(callee_name(call)) && callees.empty()) return 3;
  return callees.empty() ? 0 : 2;
}

bool leaves_without_value(const If& branch) {
  if (branch.body.empty() || !branch.orelse.empty()) return false;
  const auto* last = as<Return>(branch.body.back());
  return last != nullptr && (last->value == nullptr || rules::is_none(last->value));
}

}  // namespace

const Call* passed_over(const StepComparison& steps, std::size_t index, const WordsContext& context) {
  const Step& step = steps.after[index];
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  if (branch == nullptr || step.status != StepStatus::kAdded || step.is_moved || step.is_elif || steps.before.empty() ||
      step.parent != Step::kNone || !leaves_without_value(*branch))
    return nullptr;
  const Call* found = nullptr;
  int most = 0;
  for (std::size_t i = end_of(steps.after, index); i < steps.after.size(); ++i) {
    const Step& later = steps.after[i];
    if (later.parent != Step::kNone || later.status != StepStatus::kKept || later.is_moved ||
        later.kind != StepKind::kPlain || is<FunctionDef>(later.node))
      continue;
    walk_of<Call>(*later.node, Nested::kSkip, [&](const Call* call) {
      const int weight = weight_of(*call, context);
      if (weight == 0 || weight < most) return;
      most = weight;
      found = call;
    });
  }
  return found;
}

}  // namespace lockstep::report
