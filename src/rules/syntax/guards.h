// The conditions under which a place in a function runs: the branches around it, and the ways out before it.
#pragma once

#include <vector>

#include "python/tree.h"

namespace lockstep::rules {

/// Nodes that hold `target`, from a child of `root` to its parent, by spans. Does not enter nested definitions unless
/// `target` is in one.
std::vector<const python::Node*> chain_to(const python::Node& root, Span target);

/// A condition under which a place inside a function runs.
struct Guard {
  const python::Node* statement = nullptr;  ///< If, While, For, IfExp, BoolOp, a comprehension.
  const python::Expr* condition = nullptr;  ///< Null of For; a value of BoolOp; one `if` of a comprehension.
  bool negated = false;                     ///< In the else branch, or behind `or`.
};

/// The conditions around `target` in `function` (its def), outermost first: enclosing branches, then earlier statements
/// of the same blocks that leave the function (`if c: return`) as negated guards.
std::vector<Guard> guards_of(const python::Node& function, Span target);

}  // namespace lockstep::rules
