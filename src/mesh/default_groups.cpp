#include "mesh/default_groups.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;

namespace {

bool is_name(const Expr* expression, std::string_view name) {
  const auto* one = as<Name>(expression);
  return one != nullptr && one->id == name;
}

bool is_none(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->constant_kind == ConstantKind::kNone;
}

/// `name is None`, `not name`.
bool asks_for_none(const Expr& condition, std::string_view name) {
  if (const auto* op = as<UnaryOp>(&condition)) return op->op == UnaryOperator::kNot && is_name(op->operand, name);
  const auto* compare = as<Compare>(&condition);
  return compare != nullptr && compare->ops.size() == 1 && is_name(compare->left, name) &&
         is_none(compare->comparators.front()) &&
         (compare->ops.front() == CompareOperator::kIs || compare->ops.front() == CompareOperator::kEq);
}

/// `name or other`, `name if … else other`, `other if … else name`.
bool keeps_what_is_passed(const Expr& value, std::string_view name) {
  if (const auto* choice = as<IfExp>(&value)) return is_name(choice->body, name) || is_name(choice->orelse, name);
  const auto* op = as<BoolOp>(&value);
  return op != nullptr && op->op == BoolOperator::kOr && is_name(op->values.front(), name);
}

const Expr* group_given(const Call& call, const CollectiveModel& model) {
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text == "group" || keyword->name.text == "process_group" || keyword->name.text == "pg")
      return keyword->value;
  }
  const bool has_it = model.group >= 0 && static_cast<std::size_t>(model.group) < call.arguments.size();
  return has_it ? call.arguments[static_cast<std::size_t>(model.group)] : nullptr;
}

}  // namespace

std::string_view parameter_filled_as_group(const FunctionDef& function, const Call& call,
                                           const CollectiveModel& model) {
  const auto* given = as<Name>(group_given(call, model));
  if (given == nullptr) return {};
  const std::string_view name = given->id;
  const auto& all = function.parameters->all;
  if (std::none_of(all.begin(), all.end(), [&](const Parameter* one) { return one->name.text == name; })) return {};
  std::size_t stores = 0;
  walk_of<Name>(function, Nested::kSkip,
                [&](const Name* one) { stores += one->id == name && one->context != ExprContext::kLoad ? 1 : 0; });
  std::size_t fills = 0;
  const auto is_fill = [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    return assign != nullptr && assign->targets.size() == 1 && is_name(assign->targets.front(), name);
  };
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    if (const auto* branch = as<If>(statement); branch != nullptr && asks_for_none(*branch->condition, name))
      fills += static_cast<std::size_t>(std::count_if(branch->body.begin(), branch->body.end(), is_fill));
    if (is_fill(statement) && keeps_what_is_passed(*as<Assign>(statement)->value, name)) ++fills;
  });
  return fills > 0 && fills == stores ? name : std::string_view();
}

}  // namespace lockstep::mesh
