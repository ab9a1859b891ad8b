// mixed-and-or: `a > 1 or b > 1 and c`, where the two comparisons are of one kind and the last part is of another: read
// aloud it means `(a > 1 or b > 1) and c`, but `and` binds tighter.
//
// Left out: conditions with parentheses around the `and`, and those whose parts are not alike.

#include <fmt/format.h>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "mixed-and-or";

/// Two comparisons of different values by the same operator with the same constant: `a > 1`, `b > 1`.
bool are_alike(const FileFacts& facts, const Expr& a, const Expr& b) {
  const auto* first = as<Compare>(&a);
  const auto* second = as<Compare>(&b);
  if (first == nullptr || second == nullptr || first->ops.size() != 1 || second->ops.size() != 1) return false;
  return first->ops[0] == second->ops[0] && is<Constant>(first->comparators[0]) &&
         is<Constant>(second->comparators[0]) &&
         squeezed(facts, first->comparators[0]->span) == squeezed(facts, second->comparators[0]->span);
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  walk_of<BoolOp>(facts.tree(), Nested::kEnter, [&](const BoolOp* either) {
    if (either->op != BoolOperator::kOr || either->values.size() < 2) return;
    const auto* both = as<BoolOp>(either->values.back());
    if (both == nullptr || both->op != BoolOperator::kAnd || is_parenthesised(facts, both->span)) return;
    const Expr* before = either->values[either->values.size() - 2];
    if (!are_alike(facts, *before, *both->values[0]) || are_alike(facts, *before, *both->values.back())) return;
    const Span alike{before->span.begin, both->values[0]->span.end};
    hits.push_back(make_hit(
        program, kRule, module, either->span,
        {Severity::kP2, FindingCertainty::kQuestion, Category::kCorrectness,
         fmt::format("Is `({}) and …` meant? `and` binds tighter than `or`", quote(facts, alike)),
         fmt::format("As it stands, `{}` alone decides, whatever the last part says.", quote(facts, before->span)),
         "Put parentheses around the part that belongs together."}));
  });
}

}  // namespace

void run_mixed_and_or(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSourcesAndTests, scan, findings);
}

}  // namespace lockstep::rules
