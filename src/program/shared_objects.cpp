#include "program/shared_objects.h"

#include <algorithm>

#include "program/queries.h"

namespace lockstep::program {

bool may_share_objects(const Program& program, ClassId a, ClassId b) {
  if (are_kin(program, a, b)) return true;
  if (!a.valid() || !b.valid()) return false;
  const std::vector<ClassId> below = with_descendants(program, a);
  return std::any_of(below.begin(), below.end(), [&](ClassId one) {
    const auto& order = program.classes()[one].linearized;
    return std::find(order.begin(), order.end(), b) != order.end();
  });
}

}  // namespace lockstep::program
