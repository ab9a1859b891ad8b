// A function that asks one condition after the other and leaves by the first that holds (`if a: return f()`,
// `if b: return g()`, `return h()`), on both sides of a change: what it comes to in which case.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "report/story/steps/choice_chains.h"

namespace lockstep::report {

/// One way out.
struct OrderedReturn {
  static constexpr std::size_t kNone = SIZE_MAX;
  const python::Expr* condition = nullptr;  ///< Null of the last, which is left where none holds.
  const python::If* branch = nullptr;       ///< Null of the last.
  Act act = {};                             ///< Returns or raises.
  const python::Call* first = nullptr;      ///< The one call for its effect that comes before it; may be null.
  bool does_more = false;                   ///< More than that comes before it.
  std::size_t partner = kNone;              ///< Index of the same way out on the other side.
};

/// Both sides of a function that stays.
struct OrderedReturns {
  std::vector<OrderedReturn> before;
  std::vector<OrderedReturn> after;
  std::set<std::size_t> told_before = {};  ///< Steps that are told with them.
  std::set<std::size_t> told_after = {};

  /// Whether both sides ask the same condition for the way out `index` after the change, and do the same.
  [[nodiscard]] bool stays(const Actor& actor, std::size_t index) const;
};

/// Of a function that leaves by at least three ways, of which two or more call different functions of the repository,
/// and of which the change brings, takes or alters at least two. Nothing where a value is returned from within a loop,
/// a `with`, a `try` or a branch that may go on: then the ways out are not told exactly. Nor where there are too many
/// for a reader, or a chain of alternatives (choice_chains.h) tells what changes.
std::optional<OrderedReturns> ordered_returns(const program::Program& after, const Actor& actor);

}  // namespace lockstep::report
