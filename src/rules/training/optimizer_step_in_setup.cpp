// optimizer-step-in-setup: gradients are set to zeros and the optimizer steps, to make it allocate its state. The step
// is a real one: it advances step counters, and weight decay changes the parameters.
//
// Left out: code that sets the learning rate or weight decay to zero first, or puts the parameters back.

#include <fmt/format.h>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "optimizer-step-in-setup";

/// `….grad = torch.zeros_like(…)`.
const Assign* zero_gradient(const Node& function) {
  const Assign* found = nullptr;
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    const auto* target = as<Attribute>(assign->targets[0]);
    const auto* made = as<Call>(assign->value);
    if (target == nullptr || made == nullptr || found != nullptr) return;
    const std::string_view factory = last_part_of(made->callee);
    if (target->name.text == "grad" && (factory == "zeros_like" || factory == "zeros")) found = assign;
  });
  return found;
}

/// True if the function writes `group["lr"]`, `group["weight_decay"]` or `state["step"]`, or copies parameters back.
bool guards_step(const Node& function) {
  bool found = calls_name(function, "deepcopy");
  walk_of<Subscript>(function, Nested::kSkip, [&](const Subscript* subscript) {
    const std::string_view key = text_of(subscript->index);
    found =
        found || (subscript->context == ExprContext::kStore && (key == "lr" || key == "weight_decay" || key == "step"));
  });
  return found;
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  if (facts.source().bytes().find(".grad = ") == std::string_view::npos) return;
  for (const FunctionId function : program.modules()[module].functions) {
    const Node& node = *program.functions()[function].node;
    const Assign* zeroed = zero_gradient(node);
    if (zeroed == nullptr || guards_step(node)) continue;
    walk_of<ExprStmt>(node, Nested::kSkip, [&](const ExprStmt* statement) {
      const auto* call = as<Call>(statement->value);
      const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
      if (method == nullptr || method->name.text != "step" || call->span.begin < zeroed->span.begin) return;
      Hit hit =
          make_hit(program, kRule, module, call->span,
                   {Severity::kP2, FindingCertainty::kLikely, Category::kNumerics,
                    fmt::format("`{}` on zero gradients is still a real step", quote(facts, call->span)),
                    "It advances the step counters (bias correction, schedules), and weight decay shrinks the "
                    "parameters, although "
                    "nothing was learnt.",
                    "Set `lr` and `weight_decay` of every group to 0 for this call and restore them, and reset `step` "
                    "afterwards."});
      hit.finding.evidence.push_back(evidence_at(program, module, zeroed->span, "the gradients are zeros"));
      hits.push_back(std::move(hit));
    });
  }
}

}  // namespace

void run_optimizer_step_in_setup(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
