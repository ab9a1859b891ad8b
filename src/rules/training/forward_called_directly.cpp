// forward-called-directly: a wrapper's `forward` runs the module it wraps by `self.module.forward(…)`, so the hooks of
// that module (FSDP, DDP, profilers, offloading) do not run.
//
// Left out: `super().forward`, calls from outside `forward`, modules that are not wrapped whole.

#include <fmt/format.h>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "forward-called-directly";

/// Names by which wrappers keep the module they wrap.
bool is_wrapped_name(std::string_view name) {
  return name == "module" || name == "_module" || name == "wrapped_module" || name == "_orig_mod" ||
         name == "base_model" || name == "inner_model" || name == "wrapped_model";
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  const FileFacts& facts = *row.facts;
  for (const FunctionId id : row.functions) {
    const program::Function& function = program.functions()[id];
    if (function.name != "forward" || !function.owner.valid()) continue;
    if (!program.derives_from(function.owner, "torch.nn.Module")) continue;
    walk_of<Call>(*function.node, Nested::kSkip, [&](const Call* call) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr || method->name.text != "forward" || !is_wrapped_name(self_attribute(method->value)))
        return;
      const std::string wrapped = quote(facts, method->value->span);
      hits.push_back(make_hit(program, kRule, module, call->span,
                              {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
                               fmt::format("`{}.forward(…)` passes by the hooks of the wrapped module", wrapped),
                               "`__call__` runs forward and backward hooks around `forward`: what is registered on the "
                               "wrapped module (sharding, offloading, profiling) does not run.",
                               fmt::format("Call `{}(…)`.", wrapped)}));
    });
  }
}

}  // namespace

void run_forward_called_directly(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
