// Conditions on a way -> which of them decide nothing: behind `if recompute: checkpoint(self.mlp, x)` and its `else:
// self.mlp(x)` both sides come to the changed code; and so does a run that only leaves out `if warm_up:
// self.mlp(zeros)` before it calls `self.mlp(x)`.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "program/program.h"
#include "report/story/story.h"

namespace lockstep::report {

class OtherSides {
 public:
  /// The program must outlive it.
  explicit OtherSides(const program::Program& program) : program_(program) {}

  /// Notes in each frame of the way the conditions on whose other side a call surely goes on to a later function of
  /// the way, or comes to one within a few calls, and those without which another call makes the same step
  /// (PathFrame::two_sided).
  void mark(EntryPath& path) const;

 private:
  using Functions = std::unordered_set<std::uint32_t>;
  /// Whether another call of the frame's function enters `callee`, too, and does not stand under the guard.
  [[nodiscard]] bool is_passed_by(const PathFrame& frame, const Guard& guard, program::FunctionId callee) const;
  void add_sure_callers(program::FunctionId function, Functions& functions) const;
  [[nodiscard]] bool leads_on(program::FunctionId caller, const Guard& guard, const PathFrame& frame,
                              const Functions& targets, const Functions& on_way) const;

  const program::Program& program_;
};

}  // namespace lockstep::report
