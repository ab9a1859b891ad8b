#include "rules/syntax/conditions_above.h"

#include <fmt/format.h>

#include "rules/place.h"
#include "rules/syntax/guards.h"

namespace lockstep::rules {

namespace {

constexpr std::size_t kWidth = 200;  ///< Of a condition: one that is cut says something else.

/// Whether the branch is the `elif` of that one, or of one further down its chain.
bool is_elif_of(const python::Node* branch, const python::Node* first) {
  const auto* above = python::as<python::If>(first);
  while (above != nullptr && above->orelse.size() == 1) {
    const python::Node* next = above->orelse.front();
    if (next == branch) return python::is<python::If>(branch);
    above = python::as<python::If>(next);
  }
  return false;
}

}  // namespace

std::string condition_above(const python::FileFacts& facts, const python::Node& function, Span span) {
  const Guard* nearest = nullptr;
  const std::vector<Guard> guards = guards_of(function, span);
  for (const Guard& one : guards) {
    if (one.condition == nullptr || python::is<python::While>(one.statement)) continue;
    if (nearest == nullptr || nearest->condition->span.begin < one.condition->span.begin) nearest = &one;
  }
  if (nearest == nullptr) return {};
  // The arms before it in its chain did not hold either.
  std::string earlier;
  for (const Guard& one : guards) {
    if (one.negated && one.condition != nullptr && is_elif_of(nearest->statement, one.statement))
      earlier += fmt::format("{}`{}`", earlier.empty() ? "" : " or ", quote(facts, one.condition->span, kWidth));
  }
  const std::string own = fmt::format("`{}`", quote(facts, nearest->condition->span, kWidth));
  if (earlier.empty()) return fmt::format("{} {}", nearest->negated ? "unless" : "when", own);
  return nearest->negated ? fmt::format("unless {} or {}", earlier, own)
                          : fmt::format("when {}, unless {}", own, earlier);
}

}  // namespace lockstep::rules
