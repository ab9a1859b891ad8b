// Ways that no run takes because one call on them is made only where a setting is on, and another only where it is off.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/ways/required_settings.h"
#include "report/ways/ways.h"

namespace lockstep::report {

/// Two legs of a way, by number; the second is as many as there are where it is what changes in the last function.
struct Contradiction {
  std::size_t first = 0;
  std::size_t second = 0;
};

class Contradictions {
 public:
  explicit Contradictions(const program::Program& program) : program_(program), required_(program) {}

  /// The first on the way, at the end of which the changed places ask for `by_changes`. By the last names of settings:
  /// they are handed on under these.
  std::optional<Contradiction> find(const std::vector<Leg>& legs, const std::vector<Required>& by_changes);
  RequiredSettings& required() { return required_; }

 private:
  [[nodiscard]] bool may_set(program::FunctionId function, std::string_view name) const;

  const program::Program& program_;
  RequiredSettings required_;
};

}  // namespace lockstep::report
