#include "report/story/calls/returns_before.h"

#include <algorithm>
#include <vector>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/steps/steps.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the guard is that a branch before `place`, which it ends with a `return`, was not taken.
bool is_passed_return(const Guard& guard, Span place) {
  const auto* branch = as<If>(guard.statement);
  if (branch == nullptr || guard.condition == nullptr || !guard.negated || branch->span.contains(place) ||
      !branch->orelse.empty() || branch->body.empty())
    return false;
  const Stmt* last = branch->body[branch->body.size() - 1];
  return is<Return>(last) || is<Continue>(last) || is<Break>(last);
}

/// Whether the function gives one of the names that the guard reads another value between it and `place`.
bool is_stale(const Node& function, const Guard& guard, Span place) {
  bool found = false;
  walk(function, Nested::kSkip, [&](const Node* node) {
    const Expr* target = nullptr;
    if (node->span.begin < guard.statement->span.end || node->span.begin >= place.begin) return;
    if (assigned_value(node, target) == nullptr || target == nullptr) return;
    const std::string_view root = rules::root_name(target);
    found = found || (!root.empty() && rules::mentions_name(*guard.condition, root));
  });
  return found;
}

}  // namespace

std::string passed_returns_words(const Node& function, Span place, const SourceText& source, std::size_t most) {
  std::vector<Guard> passed;
  for (const Guard& guard : guards_of(function, place)) {
    if (is_passed_return(guard, place) && !is_stale(function, guard, place)) passed.push_back(guard);
  }
  return passed.empty() ? std::string() : guards_words(passed, source, most);
}

}  // namespace lockstep::report
