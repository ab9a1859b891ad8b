// The statements of one function -> reads of its own variables that may come before any assignment, path by path. Each
// variable is followed alone: on which paths it has a value, on which not, and what is known of the conditions there
// (path_facts.h), so that `if a: x = 1` … `if a: use(x)` is fine.
//
// Left out: variables of enclosing functions read in nested ones, names declared global, class bodies; exceptions count
// only inside a `try`.
#pragma once

#include <functional>
#include <vector>

#include "rules/names/names.h"

namespace lockstep::rules {

/// True if a call surely never returns (sys.exit, a function that always raises).
using NeverReturns = std::function<bool(const python::Call&)>;

/// True if a call may leave by an exception that its function raises on purpose (`abort_if_failed(error)`).
using MayRaise = std::function<bool(const python::Call&)>;

/// True if control never passes from `statement` to the one after it, as its own text shows: return, raise, continue,
/// break, `assert False`, `sys.exit()`, an `if` of which both branches do that, `while True` without a break.
bool ends_block(const python::Stmt& statement);
/// True if every path through `body` ends in a raise or an exit: it neither returns nor falls off its end.
bool always_raises(python::Seq<python::Stmt> body);

/// A read of a local variable that some path reaches without a value.
struct UnboundUse {
  enum class Certainty : std::uint8_t {
    kAlways,    ///< No path to it has a value.
    kSomePath,  ///< One decision skips the only assignments, and nothing else stands between it and the use.
    kMaybe,     ///< As kSomePath, but further conditions, or several decisions, lie between.
  };
  const python::Node* use = nullptr;  ///< The Name.
  python::ScopeId scope;              ///< Whose variable it is.
  std::string_view name;
  Certainty certainty = Certainty::kAlways;
  const python::Node* skipped_by = nullptr;  ///< The if, try, … that leaves it without a value; null for kAlways.
  enum class Skip : std::uint8_t { kNone, kNoElse, kBranch, kException, kDeleted } skip = Skip::kNone;
  Span branch;  ///< kBranch: the branch without an assignment.
};

/// All unbound uses of variables of functions and of the module, in source order, one for each variable and decision.
std::vector<UnboundUse> find_unbound_uses(const ScopeNames& names, const NeverReturns& never_returns,
                                          const MayRaise& may_raise);

}  // namespace lockstep::rules
