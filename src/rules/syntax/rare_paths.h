// Which parts of a function run seldom: at an interval, once, for logging or debugging. By the words of conditions, so
// a guess, and meant for rules that would rather say too little about them.
#pragma once

#include <unordered_set>

#include "python/facts.h"

namespace lockstep::rules {

/// `step % interval == 0`, `self.debug`, `os.environ.get("X_DEBUG")`, `torch.compiler.is_compiling()`, ….
bool is_rare_condition(const python::Expr& condition);

/// `if not self.debug: return`, `if step % interval != 0: continue`: what follows runs as rarely as the body does not.
bool leaves_unless_rare(const python::If& statement);

/// `if self.cache is None:` whose body gives it a value, or stores one in a table; `if key not in table:` whose body
/// gives the table that key: runs once for a value. `function`: the one that holds the statement; null where that is
/// not known, then no table of a local name counts.
bool is_first_time(const python::If& statement, const python::FileFacts& facts, const python::Node* function);

/// The calls in a function's own body that stand under such conditions.
std::unordered_set<const python::Node*> rare_calls(const python::Node& function);

}  // namespace lockstep::rules
