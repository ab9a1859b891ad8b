#include "report/tests/given_functions.h"

#include "report/source/given_arguments.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

std::vector<program::CallId> calls_giving(const program::Program& program, program::FunctionId given) {
  std::vector<program::CallId> out;
  if (program.functions()[given].owner.valid()) return out;
  for (const program::CallId call : program.callers_of(given)) {
    const program::CallSite& site = program.calls()[call];
    const auto* node = as<Call>(site.node);
    const auto* called = node == nullptr ? nullptr : as<Name>(node->callee);
    const FunctionDef* def = program.functions()[site.caller].def();
    if (called == nullptr || def == nullptr || rules::parameter_named(def, called->id) == nullptr ||
        rules::binds_name(*def, called->id))
      continue;
    for (const program::CallId entering : program.callers_of(site.caller)) {
      const program::CallSite& from = program.calls()[entering];
      const auto* name = as<Name>(given_by(program, from, site.caller, called->id).value);
      if (name == nullptr) continue;
      const program::Reference to = program.resolve(from.caller, *name);
      if (to.kind == program::Reference::Kind::kFunction && to.function == given) out.push_back(entering);
    }
  }
  return out;
}

}  // namespace lockstep::report
