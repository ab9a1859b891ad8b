#include "report/source/local_values.h"

#include "python/tree_walk.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

const Expr* only_value_of(const FunctionDef& function, std::string_view local) {
  if (local.empty()) return nullptr;
  bool is_shared = false;  // `global x`: others may give it a value.
  const auto look = [&](const auto* declared) {
    for (const Identifier& name : declared->names) is_shared = is_shared || name.text == local;
  };
  walk_of<Global>(function, Nested::kEnter, look);
  walk_of<Nonlocal>(function, Nested::kEnter, look);
  if (is_shared || rules::bindings_of(function, local, Nested::kEnter) != 1 ||
      rules::parameter_named(&function, local) != nullptr)
    return nullptr;
  const Expr* value = nullptr;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == local)
      value = assign->value;
  });
  return value;
}

}  // namespace lockstep::report
