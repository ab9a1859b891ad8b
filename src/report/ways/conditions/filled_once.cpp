#include "report/ways/conditions/filled_once.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `x` of `self.x is None`; empty for others.
std::string_view attribute_missing(const Guard& guard) {
  const auto* branch = as<If>(guard.statement);
  if (branch == nullptr || guard.condition != branch->condition || guard.negated) return {};
  if (const auto* compare = as<Compare>(guard.condition)) {
    const bool asks = compare->ops.size() == 1 && compare->ops.front() == CompareOperator::kIs &&
                      rules::is_none(compare->comparators.front());
    return asks ? rules::self_attribute(compare->left) : std::string_view();
  }
  return {};
}

bool sets(const If& branch, std::string_view attribute) {
  bool found = false;
  for (const Stmt* statement : branch.body) {
    walk_of<Assign>(*statement, Nested::kSkip, [&](const Assign* assign) {
      found = found || (!rules::is_none(assign->value) &&
                        std::any_of(assign->targets.begin(), assign->targets.end(),
                                    [&](const Expr* target) { return rules::self_attribute(target) == attribute; }));
    });
    if (const auto* assign = as<Assign>(statement))
      found = found || (!rules::is_none(assign->value) && assign->targets.size() == 1 &&
                        rules::self_attribute(assign->targets[0]) == attribute);
  }
  return found;
}

}  // namespace

std::string_view filled_once(const program::Program& program, const EntryPath& way) {
  for (const PathFrame& frame : way.frames) {
    if (frame.call == nullptr || program.functions()[frame.function].def() == nullptr) continue;
    for (const Guard& guard : frame.guards) {
      const std::string_view attribute = attribute_missing(guard);
      // A return before the call says the same and is no branch around it.
      if (attribute.empty() || !guard.statement->span.contains(frame.call->span)) continue;
      if (sets(*as<If>(guard.statement), attribute)) return attribute;
    }
  }
  return {};
}

}  // namespace lockstep::report
