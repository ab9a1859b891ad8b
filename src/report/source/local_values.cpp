#include "report/source/local_values.h"

#include <algorithm>
#include <vector>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/guards.h"

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

bool holds_copy(const FunctionDef& function, std::string_view local, Span place) {
  if (local.empty() || rules::bindings_of(function, local, Nested::kEnter) != 1) return false;
  const Assign* made = nullptr;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == local) made = assign;
  });
  const auto* call = made == nullptr ? nullptr : as<Call>(made->value);
  const std::string_view callee = call == nullptr ? std::string_view() : rules::last_part_of(call->callee);
  if (callee != "copy" && callee != "deepcopy" && callee != "replace") return false;
  // `text.replace(a, b)` makes no copy of an object, `state.copy()` one of a dict.
  const auto* of = as<Attribute>(call->callee);
  const std::string_view module = of == nullptr ? std::string_view() : rules::name_of(of->value);
  if (of != nullptr && module != "copy" && module != "dataclasses") return false;
  const std::vector<rules::Guard> around = rules::guards_of(function, place);
  const std::vector<rules::Guard> of_copy = rules::guards_of(function, made->span);
  return made->span.begin < place.begin && std::all_of(of_copy.begin(), of_copy.end(), [&](const rules::Guard& one) {
           return std::any_of(around.begin(), around.end(), [&](const rules::Guard& other) {
             return other.statement == one.statement && other.condition == one.condition &&
                    other.negated == one.negated;
           });
         });
}

}  // namespace lockstep::report
