// What one function or module says by itself, for the code graph: loops, config fields read, host syncs, parameters as
// written, whether it is a test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/graph/graph.h"
#include "rules/training/value_places.h"

namespace lockstep::report {

/// The stretches of a module that run more than once for each run of what holds them: bodies of `for` and `while`, and
/// comprehensions without their first iterable.
class LoopSpans {
 public:
  explicit LoopSpans(const python::FileFacts& facts);
  /// True if byte `offset` of `function` (its whole span) stands in a loop of that function itself.
  [[nodiscard]] bool holds(Span function, std::uint32_t offset) const;

 private:
  struct Loop {
    Span span;
    std::uint32_t parent;  // into loops_; kNone for outermost ones
  };
  static constexpr std::uint32_t kNone = 0xffffffffu;
  std::vector<Loop> loops_;  // by begin, outer before inner: they nest, and never overlap otherwise
};

/// Fields read in the function's own body from what is named as a configuration (`config.x`, `self.model_config.x`,
/// `args.x`): sorted, without duplicates; views into the source.
std::vector<std::string_view> config_reads(const program::Program& program, const program::Function& function);

/// The host sync that a call is, if it is one; nothing for calls of the repository's own functions.
bool host_sync_of(const program::CallSite& site, const rules::ValuePlaces& places, GraphHostSync& sync);

/// Parameters as written, on one line, without the parentheses; empty where there are none. `tight`: no blank after a
/// comma and a last comma where the source has one.
std::string parameters_of(const program::Program& program, const program::Function& function, bool tight = false);

/// A function or method that a test runner would call: `test…` in a file of tests, in a class of tests, or at module
/// level.
bool is_test_function(const program::Program& program, const program::Function& function, bool in_test_file);

}  // namespace lockstep::report
