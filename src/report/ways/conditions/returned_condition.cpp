#include "report/ways/conditions/returned_condition.h"

#include <algorithm>

namespace lockstep::report {

using namespace python;

const Expr* returned_condition(const program::Program& program, const Call& call) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid() || program.calls()[id].targets.size() != 1) return nullptr;
  const program::CallTarget& target = program.calls()[id].targets.front();
  const bool is_known = target.certainty == program::Certainty::kExact && target.kind == program::CallKind::kDirect &&
                        target.function.valid();
  const FunctionDef* def = is_known ? program.functions()[target.function].def() : nullptr;
  if (def == nullptr || def->is_async || def->body.empty()) return nullptr;
  const auto* last = as<Return>(def->body.back());
  const bool is_plain = std::all_of(def->body.begin(), def->body.end(), [&](const Stmt* statement) {
    return statement == last || is<ExprStmt>(statement) || is<Assign>(statement) || is<AnnAssign>(statement) ||
           is<Import>(statement) || is<ImportFrom>(statement);
  });
  return last != nullptr && is_plain ? last->value : nullptr;
}

}  // namespace lockstep::report
