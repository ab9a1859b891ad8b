#include "change/changed_functions.h"

namespace lockstep::change {

std::vector<program::FunctionId> changed_functions(const Change& change, const program::Program& program,
                                                   bool is_after) {
  std::vector<program::FunctionId> out;
  for (const EntityChange& entity : change.entities) {
    const auto& side = is_after ? entity.after : entity.before;
    if (!side) continue;
    if (side->function.valid()) out.push_back(side->function);
    if (entity.kind != EntityKind::kClass || !side->cls.valid()) continue;
    const auto& methods = program.classes()[side->cls].methods;
    out.insert(out.end(), methods.begin(), methods.end());
  }
  return out;
}

}  // namespace lockstep::change
