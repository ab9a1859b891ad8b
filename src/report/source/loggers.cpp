#include "report/source/loggers.h"

#include "python/tree.h"
#include "report/source/code.h"

namespace lockstep::report {

bool is_logger(const change::EntityChange& entity) {
  if (entity.kind != change::EntityKind::kVariable) return false;
  const auto is_one = [](const change::EntitySide& side) {
    const auto* assign = python::as<python::Assign>(side.node);
    const auto* call = assign == nullptr ? nullptr : python::as<python::Call>(assign->value);
    return call != nullptr && callee_name(*call) == "getLogger";
  };
  return (!entity.before || is_one(*entity.before)) && (!entity.after || is_one(*entity.after));
}

}  // namespace lockstep::report
