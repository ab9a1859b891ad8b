// bound-not-clamped: in one loop the same end (`start + step`) is once cut to the length by `min(start + step, n)` and
// once handed to a call as it is: the last round goes past the end there.
//
// Left out: ends that are used as slice bounds (Python cuts those), loops without a `min`.

#include <fmt/format.h>

#include <map>
#include <string>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "bound-not-clamped";

void check_loop(const program::Program& program, program::ModuleId module, const Stmt& loop, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  std::map<std::string, const Call*> clamped;
  walk_of<Call>(loop, Nested::kSkip, [&](const Call* call) {
    if (name_of(call->callee) != "min" || call->arguments.size() != 2) return;
    for (const Expr* argument : call->arguments) {
      const auto* sum = as<BinOp>(argument);
      if (sum != nullptr && sum->op == BinaryOperator::kAdd && !is<Constant>(sum->left))
        clamped.emplace(squeezed(facts, sum->span), call);
    }
  });
  if (clamped.empty()) return;
  walk_of<Call>(loop, Nested::kSkip, [&](const Call* call) {
    if (name_of(call->callee) == "min") return;
    for (const Expr* argument : call->arguments) {
      const auto* sum = as<BinOp>(argument);
      if (sum == nullptr) continue;
      const auto found = clamped.find(squeezed(facts, sum->span));
      if (found == clamped.end()) continue;
      Hit hit = make_hit(program, kRule, module, call->span,
                         {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                          fmt::format("`{}` is handed on without the `min` that cuts it elsewhere in this loop",
                                      quote(facts, sum->span)),
                          "The last round goes past the end where the length is no multiple of the step.",
                          fmt::format("Pass `{}`.", quote(facts, found->second->span))});
      hit.finding.evidence.push_back(evidence_at(program, module, found->second->span, "cut here"));
      hits.push_back(std::move(hit));
    }
  });
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    walk_statements(*program.functions()[function].node, Nested::kSkip, [&](const Stmt* statement) {
      if (is<For>(statement) || is<While>(statement)) check_loop(program, module, *statement, hits);
    });
  }
}

}  // namespace

void run_bound_not_clamped(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
