#include "report/source/untold_returns.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the guard says that the way to the exit is not taken.
bool tells(const rules::Guard& guard, const Return& exit) {
  const auto* branch = as<If>(guard.statement);
  if (branch == nullptr) return false;
  const Seq<Stmt> untaken = guard.negated ? branch->body : branch->orelse;
  return std::any_of(untaken.begin(), untaken.end(), [&](const Stmt* each) { return each->span.contains(exit.span); });
}

}  // namespace

bool may_return_untold(const FunctionDef& function, Span place, const std::vector<rules::Guard>& guards) {
  bool found = false;
  walk_of<Return>(function, Nested::kSkip, [&](const Return* exit) {
    found = found || (exit->span.begin < place.begin &&
                      std::none_of(guards.begin(), guards.end(),
                                   [&](const rules::Guard& guard) { return tells(guard, *exit); }));
  });
  return found;
}

}  // namespace lockstep::report
