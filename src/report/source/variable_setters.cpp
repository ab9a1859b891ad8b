#include "report/source/variable_setters.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

std::vector<FunctionId> setters_of_variable(const program::Program& program, program::ModuleId module,
                                            std::string_view name) {
  std::vector<FunctionId> out;
  for (const FunctionId id : program.modules()[module].functions) {
    const FunctionDef* def = program.functions()[id].def();
    if (def == nullptr) continue;
    bool is_global = false;
    bool sets = false;
    walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
      if (const auto* global = as<Global>(statement))
        is_global = is_global || std::any_of(global->names.begin(), global->names.end(),
                                             [&](const auto& one) { return one.text == name; });
      const auto* assign = as<Assign>(statement);
      const auto* annotated = as<AnnAssign>(statement);
      const Expr* value = assign != nullptr ? assign->value : annotated != nullptr ? annotated->value : nullptr;
      if (value == nullptr || rules::is_none(value)) return;
      const auto is_it = [&](const Expr* target) { return rules::name_of(target) == name; };
      sets = sets || (assign != nullptr ? std::any_of(assign->targets.begin(), assign->targets.end(), is_it)
                                        : is_it(annotated->target));
    });
    if (is_global && sets) out.push_back(id);
  }
  return out;
}

}  // namespace lockstep::report
