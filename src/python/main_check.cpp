#include "python/main_check.h"

#include <algorithm>

namespace lockstep::python {

namespace {

bool is_module_name(const Expr* expression) {
  const auto* name = as<Name>(expression);
  return name != nullptr && name->id == "__name__";
}

bool is_main(const Expr* expression) {
  const auto* text = as<Constant>(expression);
  return text != nullptr && text->constant_kind == ConstantKind::kStr &&
         (text->text == "__main__" || text->text == "__mp_main__");
}

bool are_main(const Expr* expression) {
  const auto all = [](Seq<Expr> elements) {
    return !elements.empty() && std::all_of(elements.begin(), elements.end(), is_main);
  };
  if (const auto* tuple = as<Tuple>(expression)) return all(tuple->elements);
  if (const auto* list = as<List>(expression)) return all(list->elements);
  const auto* set = as<Set>(expression);
  return set != nullptr && all(set->elements);
}

}  // namespace

bool is_main_check(const Expr& condition) {
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1) return false;
  const Expr* left = compare->left;
  const Expr* right = compare->comparators[0];
  if (compare->ops[0] == CompareOperator::kIn) return is_module_name(left) && are_main(right);
  return compare->ops[0] == CompareOperator::kEq &&
         ((is_module_name(left) && is_main(right)) || (is_main(left) && is_module_name(right)));
}

bool has_main_check(Seq<Stmt> body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt* statement) {
    const auto* branch = as<If>(statement);
    return branch != nullptr && is_main_check(*branch->condition);
  });
}

}  // namespace lockstep::python
