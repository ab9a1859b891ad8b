// default-not-assigned: `if size is None: sise = 4`: the branch that should give a parameter its default assigns
// another name, which nothing reads, and the parameter stays None.
//
// Left out: branches with more than one statement, names that are read anywhere in the function.

#include <fmt/format.h>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "default-not-assigned";

/// "x" of `x is None`.
std::string_view none_test(const Expr& condition) {
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1 || compare->ops[0] != CompareOperator::kIs) return {};
  return is_none(compare->comparators[0]) ? name_of(compare->left) : std::string_view();
}

bool is_read(const Node& function, std::string_view name, std::uint32_t after) {
  bool found = false;
  walk_of<Name>(function, Nested::kEnter, [&](const Name* each) {
    found = found || (each->id == name && each->context == ExprContext::kLoad && each->span.begin >= after);
  });
  return found;
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    const Node& node = *program.functions()[function].node;
    const FunctionDef* def = program.functions()[function].def();
    if (def == nullptr) continue;
    walk_statements(node, Nested::kSkip, [&](const Stmt* statement) {
      const auto* branch = as<If>(statement);
      if (branch == nullptr || branch->body.size() != 1 || !branch->orelse.empty()) return;
      const std::string_view tested = none_test(*branch->condition);
      const auto* assign = as<Assign>(branch->body[0]);
      if (tested.empty() || assign == nullptr || assign->targets.size() != 1) return;
      const std::string_view given = name_of(assign->targets[0]);
      if (given.empty() || given == tested || is_read(node, given, 0)) return;
      if (!is_read(node, tested, branch->span.end)) return;
      hits.push_back(
          make_hit(program, kRule, module, assign->span,
                   {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                    fmt::format("`{}` stays None: the branch assigns `{}`, which nothing reads", tested, given),
                    fmt::format("`{}` is read further down and is None there whenever this branch ran.", tested),
                    fmt::format("Assign `{}`.", tested)}));
    });
  }
}

}  // namespace

void run_default_not_assigned(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
