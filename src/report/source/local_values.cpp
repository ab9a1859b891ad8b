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
  // `except E as x`, `import x`, `global x`, `def x`, `case x`: other ways to give it a value.
  const auto counts = [&](bool binds) { bound += binds ? 1 : 0; };
  walk_of<ExceptHandler>(function, Nested::kEnter, [&](const ExceptHandler* one) { counts(one->name.text == local); });
  walk_of<Alias>(function, Nested::kEnter, [&](const Alias* one) {
    counts((one->as_name.text.empty() ? one->name.text : one->as_name.text) == local);
  });
  walk_of<Global>(function, Nested::kEnter, [&](const Global* one) {
    for (const Identifier& name : one->names) counts(name.text == local);
  });
  walk_of<Nonlocal>(function, Nested::kEnter, [&](const Nonlocal* one) {
    for (const Identifier& name : one->names) counts(name.text == local);
  });
  walk_of<FunctionDef>(function, Nested::kEnter, [&](const FunctionDef* one) { counts(one->name.text == local); });
  walk_of<ClassDef>(function, Nested::kEnter, [&](const ClassDef* one) { counts(one->name.text == local); });
  walk_of<MatchAs>(function, Nested::kEnter, [&](const MatchAs* one) { counts(one->name.text == local); });
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
