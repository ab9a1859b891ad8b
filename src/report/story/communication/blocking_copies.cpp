#include "report/story/communication/blocking_copies.h"

#include <algorithm>
#include <string>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

std::vector<const Call*> calls_of(const Step& step) {
  std::vector<const Call*> out;
  walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
    if (step.span.contains(call->span)) out.push_back(call);
  });
  return out;
}

/// Whether the call returns before the copy is made; false also where a variable decides.
bool surely_runs_on(const Call& call) { return rules::is_true(rules::keyword_value(call, "non_blocking")); }

bool surely_waits(const Call& call) {
  const Expr* given = rules::keyword_value(call, "non_blocking");
  return given == nullptr ? call.arguments.size() <= 1 : rules::is_false(given);
}

}  // namespace

std::vector<const Call*> copies_made_blocking(const Actor& actor) {
  std::vector<const Call*> out;
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
    std::vector<const Call*> old = calls_of(actor.steps.before[step.partner]);
    for (const Call* now : calls_of(step)) {
      const std::string callee = dotted_text(now->callee);
      const auto same =
          std::find_if(old.begin(), old.end(), [&](const Call* one) { return dotted_text(one->callee) == callee; });
      if (callee.empty() || same == old.end()) continue;
      if (surely_runs_on(**same) && surely_waits(*now)) out.push_back(now);
      old.erase(same);
    }
  }
  return out;
}

}  // namespace lockstep::report
