#include "report/documents/correctness/zero_checks.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `0 op number`; nullopt for operators that compare no order.
std::optional<bool> holds_for_zero(CompareOperator op, double number) {
  switch (op) {
    case CompareOperator::kEq:
      return number == 0;
    case CompareOperator::kNotEq:
      return number != 0;
    case CompareOperator::kLt:
      return 0 < number;
    case CompareOperator::kLtE:
      return 0 <= number;
    case CompareOperator::kGt:
      return 0 > number;
    case CompareOperator::kGtE:
      return 0 >= number;
    default:
      return std::nullopt;
  }
}

CompareOperator mirrored(CompareOperator op) {
  switch (op) {
    case CompareOperator::kLt:
      return CompareOperator::kGt;
    case CompareOperator::kLtE:
      return CompareOperator::kGtE;
    case CompareOperator::kGt:
      return CompareOperator::kLt;
    case CompareOperator::kGtE:
      return CompareOperator::kLtE;
    default:
      return op;
  }
}

}  // namespace

std::optional<double> number_of(const Expr* expression, const SourceText& source) {
  const auto* constant = as<Constant>(expression);
  if (constant == nullptr) return std::nullopt;
  const std::string text = replace_all(std::string(source.slice(constant->span)), "_", "");
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end == text.c_str() || *end != 0 ? std::nullopt : std::optional(number);
}

bool excludes_zero(const Expr& condition, bool negated, std::string_view divisor, const SourceText& source) {
  const auto is_divisor = [&](const Expr* one) { return source.slice(one->span) == divisor; };
  if (is_divisor(&condition)) return !negated;
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot)
    return excludes_zero(*unary->operand, !negated, divisor, source);
  if (const auto* all = as<BoolOp>(&condition)) {
    const auto excludes = [&](const Expr* one) { return excludes_zero(*one, negated, divisor, source); };
    const bool hold_all = (all->op == BoolOperator::kAnd) != negated;
    return hold_all ? std::any_of(all->values.begin(), all->values.end(), excludes)
                    : std::all_of(all->values.begin(), all->values.end(), excludes);
  }
  // What divides by it itself has got past a zero.
  bool divides = false;
  const auto look = [&](const BinOp* one) {
    const bool is_division =
        one->op == BinaryOperator::kMod || one->op == BinaryOperator::kDiv || one->op == BinaryOperator::kFloorDiv;
    divides = divides || (is_division && is_divisor(one->right));
  };
  if (const auto* whole = as<BinOp>(&condition)) look(whole);
  walk_of<BinOp>(condition, Nested::kSkip, look);
  if (divides) return true;
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || (negated && compare->ops.size() != 1)) return false;
  const Expr* left = compare->left;
  for (std::size_t i = 0; i < compare->ops.size(); left = compare->comparators[i++]) {
    const Expr* right = compare->comparators[i];
    const bool is_left = is_divisor(left);
    const std::optional<double> number = is_left             ? number_of(right, source)
                                         : is_divisor(right) ? number_of(left, source)
                                                             : std::nullopt;
    if (!number) continue;
    const std::optional<bool> holds = holds_for_zero(is_left ? compare->ops[i] : mirrored(compare->ops[i]), *number);
    if (holds && *holds == negated) return true;
  }
  return false;
}

namespace {

/// Whether the branch is surely entered where `field` is zero: it only asks whether there is a value.
bool holds_for_zero(const Guard& guard, std::string_view field, const SourceText& source) {
  const auto test = guard.condition == nullptr ? std::nullopt : rules::none_test(*guard.condition);
  return test && source.slice(test->subject->span) == field && test->is_none == guard.negated;
}

/// Whether a check of the function lets no object through of which the field is zero.
bool refuses_zero(const FunctionDef& function, const std::string& field, const SourceText& source) {
  bool found = false;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    const auto* check = as<Assert>(statement);
    const auto* branch = as<If>(statement);
    const bool raises = branch != nullptr && !branch->body.empty() && is<Raise>(branch->body.front());
    const bool excludes = check != nullptr ? excludes_zero(*check->test, false, field, source)
                                           : raises && excludes_zero(*branch->condition, true, field, source);
    if (!excludes || found) return;
    const std::vector<Guard> guards = guards_of(function, statement->span);
    found = std::all_of(guards.begin(), guards.end(),
                        [&](const Guard& guard) { return holds_for_zero(guard, field, source); });
  });
  return found;
}

/// Whether the class declares the field in its body.
bool declares(const program::Class& cls, std::string_view field) {
  return cls.node != nullptr && std::any_of(cls.node->body.begin(), cls.node->body.end(), [&](const Stmt* one) {
           const auto* declared = as<AnnAssign>(one);
           return declared != nullptr && rules::name_of(declared->target) == field;
         });
}

/// Whether code outside tests stores something in an attribute of that name.
bool is_stored(const program::Program& program, std::string_view field) {
  return std::any_of(program.modules().begin(), program.modules().end(), [&](const program::Module& module) {
    if (program::is_test_path(module.path) || !module.facts->has_name(field)) return false;
    bool found = false;
    walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* one) {
      found = found || (one->name.text == field && one->context == ExprContext::kStore);
    });
    return found;
  });
}

}  // namespace

bool is_field_without_zero(const program::Program& program, const Expr& value) {
  const auto* read = as<Attribute>(&value);
  if (read == nullptr) return false;
  const std::string_view field = read->name.text;
  bool is_declared = false;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::ClassId id(i);
    const program::Class& cls = program.classes()[id];
    if (!declares(cls, field) || program::is_test_path(program.module_of(id).path)) continue;
    const program::FunctionId check = program.find_method(id, "__post_init__");
    const FunctionDef* def = check.valid() ? program.functions()[check].def() : nullptr;
    if (def == nullptr || !refuses_zero(*def, "self." + std::string(field), program.module_of(check).facts->source()))
      return false;
    is_declared = true;
  }
  return is_declared && !is_stored(program, field);
}

}  // namespace lockstep::report
