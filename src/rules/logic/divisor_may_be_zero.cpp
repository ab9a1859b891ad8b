// divisor-may-be-zero: a loss or metric is divided by the number of tokens that a mask leaves, and a rank whose batch
// is masked out altogether divides by zero: NaN gradients that the next all-reduce spreads to all ranks.
//
// Left out: divisors under clamp, max or an epsilon, and functions that test them.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "divisor-may-be-zero";

bool names_mask(const Expr& expression) {
  bool found = false;
  const auto check = [&](const Node* node) {
    const auto* name = as<Name>(node);
    const auto* attribute = as<Attribute>(node);
    const std::string_view text = name != nullptr ? name->id : attribute != nullptr ? attribute->name.text : "";
    found = found || text.find("mask") != std::string_view::npos;
  };
  check(&expression);
  walk(expression, Nested::kEnter, check);
  return found;
}

/// `mask.sum()`, `torch.sum(mask)`, also behind .float(), .to(…) and the like.
bool is_mask_count(const Expr& value) {
  const auto* call = as<Call>(&value);
  const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
  if (method == nullptr) return false;
  const std::string_view name = method->name.text;
  if (name == "sum" || name == "count_nonzero") {
    const bool whole = call->arguments.empty() || (call->arguments.size() == 1 && names_mask(*call->arguments[0]));
    return whole && call->keywords.empty() &&
           (names_mask(*method->value) || (!call->arguments.empty() && names_mask(*call->arguments[0])));
  }
  if (name == "float" || name == "to" || name == "int" || name == "item" || name == "detach" || name == "clone")
    return is_mask_count(*method->value);
  return false;
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const program::Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits) {}

  void run() {
    walk_of<Assign>(*row_.node, Nested::kSkip, [&](const Assign* assign) {
      const std::string_view name = assign->targets.size() == 1 ? name_of(assign->targets[0]) : std::string_view();
      if (!name.empty() && is_mask_count(*assign->value)) counts_.emplace(name, assign);
    });
    walk_of<BinOp>(*row_.node, Nested::kSkip, [&](const BinOp* quotient) {
      if (quotient->op == BinaryOperator::kDiv) check(*quotient);
    });
  }

 private:
  void check(const BinOp& quotient) {
    const bool direct = is_mask_count(*quotient.right);
    const std::string_view name = name_of(quotient.right);
    if (!direct && !counts_.contains(name)) return;
    if (!direct && is_guarded(name, quotient)) return;
    if (!contains_loss(*quotient.left)) return;
    Hit hit = make_hit(
        program_, kRule, row_.module, quotient.span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kNumerics,
         fmt::format("`{}` is zero where the mask leaves nothing, and the loss is divided by it",
                     quote(facts_, quotient.right->span, 40)),
         "A rank whose micro-batch is masked out altogether gets NaN, and the gradient reduction spreads it to all "
         "ranks.",
         fmt::format("Divide by `{}.clamp(min=1)`.", quote(facts_, quotient.right->span, 40))});
    hits_.push_back(std::move(hit));
  }

  static bool contains_loss(const Expr& numerator) {
    bool found = false;
    const auto look = [&](const Node* node) {
      const auto* name = as<Name>(node);
      found = found || (name != nullptr && name->id.find("loss") != std::string_view::npos &&
                        name->id.find("mask") == std::string_view::npos);
    };
    look(&numerator);
    walk(numerator, Nested::kEnter, look);
    return found;
  }

  /// Assigned again (a clamp in place, an all-reduce over ranks), or tested, on the way to this division.
  bool is_guarded(std::string_view name, const BinOp& quotient) const {
    bool guarded = false;
    walk(*row_.node, Nested::kSkip, [&](const Node* node) {
      if (const auto* branch = as<If>(node)) {
        const bool leaves = mentions_name(*branch->condition, name) &&
                            (branch->span.contains(quotient.span) || branch->span.end <= quotient.span.begin);
        guarded = guarded || leaves;
      }
      if (const auto* choice = as<IfExp>(node)) guarded = guarded || mentions_name(*choice->condition, name);
      if (const auto* assertion = as<Assert>(node)) guarded = guarded || mentions_name(*assertion->test, name);
      const auto* stored = as<Assign>(node);
      if (stored != nullptr && stored != counts_.at(name) && stored->targets.size() == 1 &&
          name_of(stored->targets[0]) == name)
        guarded = true;
      const auto* call = as<Call>(node);
      if (call == nullptr) return;
      const std::string_view callee = last_part_of(call->callee);
      if (callee == "all_reduce" || callee == "clamp_" || callee == "clamp_min_" || callee == "where") {
        guarded = guarded || mentions_name(*call, name);
      }
    });
    return guarded;
  }

  std::map<std::string_view, const Assign*> counts_;
};

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  if (!contains(row.facts->source().bytes(), "mask")) return;
  for (const FunctionId function : row.functions) FunctionScan(program, function, hits).run();
}

}  // namespace

void run_divisor_may_be_zero(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
