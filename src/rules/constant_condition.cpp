// constant-condition: a condition with a part that is always true by its form: a non-empty tuple (a trailing comma), a
// string in the place of a comparison (`kind == "a" or "b"`), an f-string. And a comparison with None of a property or
// function of the repository that gives True or False on every path (`if self.is_ready is not None`).
//
// Left out: conditions that are meant to be constant (`while True`, `if 0`), names; properties that a subclass may
// replace by one that gives None.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "python/tree_walk.h"
#include "rules/expressions.h"
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

/// The value of the expression is True or False whatever the names in it hold.
bool is_sure_bool(const Expr& value) {
  constexpr auto kAsk =
      std::to_array<std::string_view>({"isinstance", "issubclass", "hasattr", "callable", "bool", "any", "all"});
  if (const auto* compare = as<Compare>(&value)) {
    // Other comparisons may be those of arrays.
    return std::all_of(compare->ops.begin(), compare->ops.end(), [](CompareOperator op) {
      return op == CompareOperator::kIs || op == CompareOperator::kIsNot || op == CompareOperator::kIn ||
             op == CompareOperator::kNotIn;
    });
  }
  if (const auto* parts = as<BoolOp>(&value))
    return std::all_of(parts->values.begin(), parts->values.end(),
                       [](const Expr* each) { return is_sure_bool(*each); });
  if (const auto* negation = as<UnaryOp>(&value)) return negation->op == UnaryOperator::kNot;
  if (const auto* call = as<Call>(&value)) {
    const std::string_view name = name_of(call->callee);
    return std::find(kAsk.begin(), kAsk.end(), name) != kAsk.end();
  }
  return is_true(&value) || is_false(&value);
}

/// Declared `-> bool`, and every path returns a sure True or False.
bool gives_bool(const FunctionDef& def) {
  if (def.is_async || name_of(def.returns) != "bool" || def.body.empty() || !is<Return>(def.body.back())) return false;
  bool sure = true;
  walk(def, Nested::kSkip, [&](const Node* node) {
    if (const auto* back = as<Return>(node)) sure = sure && back->value != nullptr && is_sure_bool(*back->value);
    if (is<Yield>(node) || is<YieldFrom>(node)) sure = false;
  });
  return sure;
}

/// The property that `self.name` in `function` reads, or the function that a call surely reaches, if they give True or
/// False: they and all that may stand in for them.
program::FunctionId bool_source(const program::Program& program, program::FunctionId function, const Expr& value) {
  program::FunctionId source;
  if (const auto* call = as<Call>(&value)) {
    const program::CallId id = program.call_of(call);
    if (!id.valid() || program.calls()[id].targets.size() != 1) return {};
    const program::CallTarget& target = program.calls()[id].targets[0];
    if (target.kind != program::CallKind::kDirect || target.certainty == program::Certainty::kByName) return {};
    source = target.function;
  } else if (const std::string_view name = self_attribute(&value); !name.empty()) {
    const program::ClassId owner = program.functions()[function].owner;
    if (owner.valid()) source = program.find_method(owner, name);
  }
  if (!source.valid()) return {};
  std::vector<program::FunctionId> all = program.overrides_of(source);
  all.push_back(source);
  const bool sure = std::all_of(all.begin(), all.end(), [&](program::FunctionId each) {
    const FunctionDef* def = program.functions()[each].def();
    if (def == nullptr || !gives_bool(*def)) return false;
    if (is<Call>(&value)) return def->decorators.empty();
    return def->decorators.size() == 1 && name_of(def->decorators[0]) == "property";
  });
  return sure ? source : program::FunctionId();
}

/// `self.is_ready is not None`, anywhere: properties and functions that give True or False are never None.
void compare_with_none(const program::Program& program, program::ModuleId module, const Compare& compare,
                       std::vector<Hit>& hits) {
  if (compare.ops.size() != 1 || !is_none(compare.comparators[0])) return;
  const CompareOperator op = compare.ops[0];
  const bool asks_for_none = op == CompareOperator::kIs || op == CompareOperator::kEq;
  if (!asks_for_none && op != CompareOperator::kIsNot && op != CompareOperator::kNotEq) return;
  const program::FunctionId source =
      bool_source(program, program.function_at(module, compare.span.begin), *compare.left);
  if (!source.valid()) return;
  const FileFacts& facts = *program.modules()[module].facts;
  Hit hit = make_hit(program, kRule, module, compare.span,
                     {Severity::kP1, FindingCertainty::kProven, Category::kCorrectness,
                      fmt::format("`{}` is True or False, never None: this is always {}",
                                  quote(facts, compare.left->span), asks_for_none ? "false" : "true"),
                      "The test does not ask what the value says.",
                      fmt::format("Test `{}{}`.", asks_for_none ? "not " : "", quote(facts, compare.left->span))});
  const program::Function& row = program.functions()[source];
  hit.finding.evidence.push_back(evidence_at(program, row.module, row.def()->name.span, "it returns True or False"));
  hits.push_back(std::move(hit));
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
    if (const auto* compare = as<Compare>(node)) compare_with_none(program, module, *compare, hits);
  });
}

}  // namespace

void run_constant_condition(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSourcesAndTests, scan, findings);
}

}  // namespace lockstep::rules
