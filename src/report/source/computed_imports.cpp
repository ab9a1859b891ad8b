#include "report/source/computed_imports.h"

#include "report/source/code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

std::vector<bool> modules_with_computed_imports(const program::Program& program) {
  std::vector<bool> out(program.modules().size());
  for (const program::CallSite& site : program.calls()) {
    const auto* call = as<Call>(site.node);
    if (call == nullptr || callee_name(*call) != "import_module") continue;
    const Expr* name = call->arguments.empty() ? rules::keyword_value(*call, "name") : call->arguments.front();
    if (name == nullptr || rules::text_of(name).empty()) out[program.functions()[site.caller].module.index()] = true;
  }
  return out;
}

}  // namespace lockstep::report
