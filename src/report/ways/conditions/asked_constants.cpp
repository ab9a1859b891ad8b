#include "report/ways/conditions/asked_constants.h"

#include <algorithm>

#include "report/ways/conditions/returned_condition.h"
#include "report/ways/functions/chosen_values.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_comparable(const Value& value) {
  return value.kind == Value::Kind::kText || value.kind == Value::Kind::kNumber;
}

/// The constants of `("a", "b")`; nothing where one of them is none.
std::vector<Value> constants_of(const Expr& expression) {
  std::vector<Value> out;
  const auto add_all = [&](const auto& elements) {
    for (const Expr* one : elements) out.push_back(value_of(one));
  };
  if (const auto* tuple = as<Tuple>(&expression)) add_all(tuple->elements);
  if (const auto* list = as<List>(&expression)) add_all(list->elements);
  if (const auto* set = as<Set>(&expression)) add_all(set->elements);
  return std::all_of(out.begin(), out.end(), is_comparable) ? out : std::vector<Value>();
}

constexpr int kMostDepth = 3;  // Of functions that conditions call.

void add(const program::Program& program, const Expr& condition, bool wanted, int depth,
         std::vector<AskedConstants>& out) {
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot)
    return add(program, *unary->operand, !wanted, depth, out);
  if (const auto* parts = as<BoolOp>(&condition)) {
    if ((parts->op == BoolOperator::kAnd) != wanted) return;  // One of them is enough.
    for (const Expr* part : parts->values) add(program, *part, wanted, depth, out);
    return;
  }
  if (const auto* call = as<Call>(&condition)) {
    const Expr* returned = depth < kMostDepth ? returned_condition(program, *call) : nullptr;
    if (returned != nullptr) add(program, *returned, wanted, depth + 1, out);
    return;
  }
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1) return;
  const std::string_view name = config_attribute(*compare->left);
  if (name.empty()) return;
  const CompareOperator op = compare->ops[0];
  const Expr& right = *compare->comparators[0];
  std::vector<Value> values;
  if (op == CompareOperator::kEq || op == CompareOperator::kNotEq) {
    const Value value = value_of(&right);
    if (is_comparable(value)) values.push_back(value);
  } else if (op == CompareOperator::kIn || op == CompareOperator::kNotIn) {
    values = constants_of(right);
  }
  if (values.empty()) return;
  const bool is_positive = op == CompareOperator::kEq || op == CompareOperator::kIn;
  out.push_back({name, std::move(values), is_positive == wanted});
}

}  // namespace

std::vector<AskedConstants> constants_asked(const program::Program& program, const std::vector<Guard>& guards) {
  std::vector<AskedConstants> out;
  for (const Guard& guard : guards) {
    if (guard.condition != nullptr && !is<While>(guard.statement))
      add(program, *guard.condition, !guard.negated, 0, out);
  }
  return out;
}

std::vector<AskedConstants> constants_asked_at(const program::Program& program, program::FunctionId function,
                                               Span place) {
  const Node* body = program.functions()[function].node;
  return body == nullptr ? std::vector<AskedConstants>() : constants_asked(program, guards_of(*body, place));
}

bool exclude_each_other(const AskedConstants& one, const AskedConstants& other) {
  if (one.name != other.name || (!one.is_one_of && !other.is_one_of)) return false;
  const AskedConstants& some = one.is_one_of ? one : other;
  const AskedConstants& rest = one.is_one_of ? other : one;
  const auto is_listed = [&](const Value& value) {
    return std::any_of(rest.values.begin(), rest.values.end(),
                       [&](const Value& listed) { return is_same_value(value, listed); });
  };
  // Texts and numbers are never the same, whatever reads one as the other.
  const auto is_of_other_kind = [&](const Value& value) {
    return std::any_of(rest.values.begin(), rest.values.end(),
                       [&](const Value& listed) { return value.kind != listed.kind; });
  };
  if (std::any_of(some.values.begin(), some.values.end(), is_of_other_kind)) return false;
  if (rest.is_one_of) return std::none_of(some.values.begin(), some.values.end(), is_listed);
  return std::all_of(some.values.begin(), some.values.end(), is_listed);
}

const std::vector<AskedConstants>& CallConstants::of(program::CallId call, program::FunctionId callee) {
  const auto [known, is_new] = known_.try_emplace({call.value, callee.value});
  const program::CallSite& site = program_.calls()[call];
  if (!is_new || site.node == nullptr) return known->second;
  known->second = constants_asked_at(program_, site.caller, site.node->span);
  const std::vector<AskedConstants> of_receiver = constants_asked(program_, guards_of_receiver(program_, site, callee));
  known->second.insert(known->second.end(), of_receiver.begin(), of_receiver.end());
  return known->second;
}

}  // namespace lockstep::report
