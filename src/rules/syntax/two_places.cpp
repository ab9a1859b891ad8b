#include "rules/syntax/two_places.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::rules {

using namespace python;

std::vector<Guard> guards_beyond(const Node& function, Span target, Span other) {
  const std::vector<Guard> around = guards_of(function, other);
  std::vector<Guard> beyond = guards_of(function, target);
  std::erase_if(beyond, [&](const Guard& guard) {
    return std::any_of(around.begin(), around.end(), [&](const Guard& one) {
      return one.statement == guard.statement && one.condition == guard.condition && one.negated == guard.negated;
    });
  });
  return beyond;
}

bool are_exclusive(const Node& function, Span one, Span other) {
  const auto holds = [](Seq<Stmt> arm, Span place) {
    return std::any_of(arm.begin(), arm.end(), [&](const Stmt* each) { return each->span.contains(place); });
  };
  bool found = false;
  const auto part = [&](Seq<Stmt> arm, Seq<Stmt> rest) {
    found = found || (holds(arm, one) && holds(rest, other)) || (holds(arm, other) && holds(rest, one));
  };
  walk_of<If>(function, Nested::kSkip, [&](const If* branch) { part(branch->body, branch->orelse); });
  walk_of<Match>(function, Nested::kSkip, [&](const Match* match) {
    for (std::size_t i = 0; i < match->cases.size(); ++i) {
      for (std::size_t j = i + 1; j < match->cases.size(); ++j) part(match->cases[i]->body, match->cases[j]->body);
    }
  });
  return found;
}

}  // namespace lockstep::rules
