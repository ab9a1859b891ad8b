#include "rules/conditions_above.h"

#include <fmt/format.h>

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/place.h"

namespace lockstep::rules {

namespace {

using namespace python;

bool holds(Seq<Stmt> block, Span span) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt* one) { return one->span.contains(span); });
}

/// `if x is None: return`: what follows runs where the condition does not hold. A check that raises ends the run.
bool leaves_first(const If& branch) {
  return !branch.body.empty() && leaves(*branch.body.back()) && !is<Raise>(branch.body.back());
}

}  // namespace

std::string condition_above(const FileFacts& facts, const Node& function, Span span) {
  const Expr* nearest = nullptr;
  bool is_other_side = false;
  const auto take = [&](const Expr& condition, bool other_side) {
    // A condition that is read within itself does not stand above its own parts.
    if (condition.span.contains(span) || (nearest != nullptr && condition.span.begin < nearest->span.begin)) return;
    nearest = &condition;
    is_other_side = other_side;
  };
  for (const Seq<Stmt> block : blocks_of(function)) {
    if (!holds(block, span)) continue;
    for (const Stmt* one : block) {
      const auto* branch = as<If>(one);
      if (branch != nullptr && one->span.contains(span)) take(*branch->condition, holds(branch->orelse, span));
      if (one->span.contains(span)) break;
      if (branch != nullptr && leaves_first(*branch)) take(*branch->condition, true);
    }
  }
  walk(function, Nested::kSkip, [&](const Node* node) {
    const auto* choice = as<IfExp>(node);
    if (choice != nullptr && node->span.contains(span)) take(*choice->condition, choice->orelse->span.contains(span));
  });
  if (nearest == nullptr) return {};
  return fmt::format("{} `{}`", is_other_side ? "unless" : "when", quote(facts, nearest->span));
}

}  // namespace lockstep::rules
