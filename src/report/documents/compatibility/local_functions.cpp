#include "report/documents/compatibility/local_functions.h"

#include "python/tree_walk.h"

namespace lockstep::report {

using namespace python;

bool is_only_called_within(const program::Program& program, program::FunctionId function) {
  if (!function.valid()) return false;
  const program::Function& row = program.functions()[function];
  const auto* def = row.def();
  if (def == nullptr || row.owner.valid() || !row.enclosing.valid() || !def->decorators.empty()) return false;
  std::size_t names = 0;
  std::size_t calls = 0;
  const Node& outer = *program.functions()[row.enclosing].node;
  walk_of<Name>(outer, Nested::kEnter, [&](const Name* name) { names += name->id == row.name ? 1 : 0; });
  walk_of<Call>(outer, Nested::kEnter, [&](const Call* call) {
    const auto* callee = as<Name>(call->callee);
    calls += callee != nullptr && callee->id == row.name ? 1 : 0;
  });
  return names > 0 && names == calls;
}

}  // namespace lockstep::report
