#include "rules/syntax/conditions_above.h"

#include <fmt/format.h>

#include "rules/place.h"
#include "rules/syntax/guards.h"

namespace lockstep::rules {

std::string condition_above(const python::FileFacts& facts, const python::Node& function, Span span) {
  const Guard* nearest = nullptr;
  const std::vector<Guard> guards = guards_of(function, span);
  for (const Guard& one : guards) {
    if (one.condition == nullptr || python::is<python::While>(one.statement)) continue;
    if (nearest == nullptr || nearest->condition->span.begin < one.condition->span.begin) nearest = &one;
  }
  if (nearest == nullptr) return {};
  return fmt::format("{} `{}`", nearest->negated ? "unless" : "when", quote(facts, nearest->condition->span));
}

}  // namespace lockstep::rules
