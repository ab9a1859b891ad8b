#include "report/story/steps/exclusive_arms.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::report {

using namespace python;

bool are_exclusive(const Node& function, Span one, Span other) {
  const auto holds = [](Seq<Stmt> arm, Span place) {
    return std::any_of(arm.begin(), arm.end(), [&](const Stmt* each) { return each->span.contains(place); });
  };
  bool found = false;
  walk_of<If>(function, Nested::kSkip, [&](const If* branch) {
    found = found || (holds(branch->body, one) && holds(branch->orelse, other)) ||
            (holds(branch->body, other) && holds(branch->orelse, one));
  });
  return found;
}

}  // namespace lockstep::report
