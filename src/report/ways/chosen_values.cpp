#include "report/ways/chosen_values.h"

#include "python/tree_walk.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

std::vector<Guard> guards_of_choice(const program::Program& program, const program::CallSite& site,
                                    program::FunctionId callee) {
  const auto* call = as<Call>(site.node);
  const auto* local = call == nullptr ? nullptr : as<Name>(call->callee);
  const FunctionDef* caller = program.functions()[site.caller].def();
  if (local == nullptr || caller == nullptr || rules::parameter_named(caller, local->id) != nullptr) return {};
  std::size_t bound = 0;
  std::size_t others = 0;
  bool are_all_known = true;
  const Assign* giving = nullptr;
  walk_of<Name>(*caller, Nested::kEnter, [&](const Name* name) {
    bound += name->id == local->id && name->context != ExprContext::kLoad ? 1 : 0;
  });
  if (bound < 2) return {};
  walk_statements(*caller, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr || assign->targets.size() != 1 || rules::name_of(assign->targets[0]) != local->id) return;
    --bound;
    const program::Reference held = program.resolve(site.caller, *assign->value);
    if (held.function == callee && held.function.valid()) {
      are_all_known = are_all_known && giving == nullptr;
      giving = assign;
      return;
    }
    ++others;
    are_all_known =
        are_all_known && (rules::is_none(assign->value) || held.kind == program::Reference::Kind::kFunction);
  });
  if (bound != 0 || others == 0 || giving == nullptr || !are_all_known) return {};
  std::vector<Guard> out;
  for (const Guard& guard : guards_of(*caller, giving->span)) {
    if (guard.condition != nullptr && is<If>(guard.statement) && giving->span.begin < call->span.begin)
      out.push_back(guard);
  }
  return out;
}

}  // namespace lockstep::report
