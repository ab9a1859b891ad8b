#include "report/source/local_values.h"

#include "python/tree_walk.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

const Expr* only_value_of(const FunctionDef& function, std::string_view local) {
  if (local.empty()) return nullptr;
  std::size_t bound = 0;
  walk_of<Name>(function, Nested::kEnter,
                [&](const Name* one) { bound += one->id == local && one->context != ExprContext::kLoad ? 1 : 0; });
  if (bound != 1 || rules::parameter_named(&function, local) != nullptr) return nullptr;
  const Expr* value = nullptr;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == local)
      value = assign->value;
  });
  return value;
}

}  // namespace lockstep::report
