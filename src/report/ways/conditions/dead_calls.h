// Calls that no run makes, as the text around them shows: behind a `raise`, a `return` or an exit of the same block,
// behind a call of a function that always raises, under `if False`.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::report {

class DeadCalls {
 public:
  explicit DeadCalls(const program::Program& program) : program_(program), known_(program.calls().size(), -1) {}

  bool contains(program::CallId call) const;

 private:
  [[nodiscard]] bool is_dead_in(python::Seq<python::Stmt> block, Span place) const;
  [[nodiscard]] bool ends(const python::Stmt& statement) const;

  const program::Program& program_;
  mutable std::vector<signed char> known_;  ///< By call; -1: not asked yet.
};

}  // namespace lockstep::report
