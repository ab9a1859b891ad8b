// constant-condition: a condition with a part that is always true by its form: a non-empty tuple (a trailing comma), a
// string in the place of a comparison (`kind == "a" or "b"`), an f-string.
//
// Left out: conditions that are meant to be constant (`while True`, `if 0`), names.

#include <fmt/format.h>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "constant-condition";

/// A display or text that is true whatever its elements are.
bool is_always_true(const Expr& part) {
  if (const auto* tuple = as<Tuple>(&part)) return !tuple->elements.empty();
  if (const auto* text = as<Constant>(&part)) return text->constant_kind == ConstantKind::kStr && !text->text.empty();
  return is<JoinedStr>(&part);
}

/// The part of a condition that is always true, inside `and`, `or` and `not`; null where there is none.
const Expr* constant_part(const Expr& condition, bool is_top) {
  if (const auto* parts = as<BoolOp>(&condition)) {
    for (const Expr* part : parts->values) {
      if (const Expr* found = constant_part(*part, false)) return found;
    }
    return nullptr;
  }
  if (const auto* negation = as<UnaryOp>(&condition); negation != nullptr && negation->op == UnaryOperator::kNot) {
    return constant_part(*negation->operand, false);
  }
  if (is_top && is<Constant>(&condition)) return nullptr;
  return is_always_true(condition) ? &condition : nullptr;
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  const auto check = [&](const Expr& condition, std::string_view keyword) {
    const Expr* part = constant_part(condition, true);
    if (part == nullptr) return;
    Finding finding = finding_at(program, kRule, module, part->span);
    finding.severity = Severity::kP1;
    finding.certainty = FindingCertainty::kProven;
    finding.category = Category::kCorrectness;
    const bool tuple = is<Tuple>(part);
    finding.message =
        fmt::format("`{}` in the condition of this `{}` is always true", quote(facts, part->span), keyword);
    finding.why = tuple ? "A tuple with an element is true whatever the element is, so this part checks nothing."
                        : "A text that is not empty is true, so this part checks nothing.";
    finding.fix = tuple ? "Remove the comma that makes it a tuple."
                        : "Compare the value with it: `x == \"a\" or x == \"b\"`, or `x in (\"a\", \"b\")`.";
    hits.push_back(hit_of(program, module, std::move(finding)));
  };
  walk(facts.tree(), Nested::kEnter, [&](const Node* node) {
    if (const auto* branch = as<If>(node)) check(*branch->condition, "if");
    if (const auto* loop = as<While>(node)) check(*loop->condition, "while");
    if (const auto* assertion = as<Assert>(node)) check(*assertion->test, "assert");
    if (const auto* choice = as<IfExp>(node)) check(*choice->condition, "if");
  });
}

}  // namespace

void run_constant_condition(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSourcesAndTests, scan, findings);
}

}  // namespace lockstep::rules
