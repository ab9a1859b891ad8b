// Ways that no run takes because one call on them is made only where a setting is on, and another only where it is off,
// or where it is one constant, and another.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/ways/conditions/asked_constants.h"
#include "report/ways/conditions/required_settings.h"
#include "report/ways/ways.h"

namespace lockstep::report {

/// Two legs of a way, by number; the second is as many as there are where it is what changes in the last function.
struct Contradiction {
  std::size_t first = 0;
  std::size_t second = 0;
};

class Contradictions {
 public:
  explicit Contradictions(const program::Program& program)
      : program_(program), required_(program), constants_(program) {}

  /// The first on the way, at the end of which the changed places ask for `by_changes`. `holds` says of a leg's number
  /// and an expression of the function that it leads from whether that holds by what the way passes. By the last names
  /// of settings: they are handed on under these.
  using Holds = std::function<std::optional<bool>(std::size_t, const python::Expr&)>;
  std::optional<Contradiction> find(const std::vector<Leg>& legs, const std::vector<Required>& by_changes,
                                    const Holds& holds);
  /// The first of two legs that ask a setting for different constants; also where all that changes does, each place
  /// for those of one of `by_changes`. Both may be the same leg.
  std::optional<Contradiction> find_constants(const std::vector<Leg>& legs,
                                              const std::vector<std::vector<AskedConstants>>& by_changes);
  RequiredSettings& required() { return required_; }
  /// From here on only settings count of which every name of the kind is one declared field of one configuration class:
  /// of others two conditions may ask different objects.
  void count_only_declared_once(bool is_so) { only_declared_once_ = is_so; }

 private:
  [[nodiscard]] bool counts(std::string_view name);
  [[nodiscard]] bool may_set(program::FunctionId function, std::string_view name) const;
  [[nodiscard]] bool is_set_between(const std::vector<Leg>& legs, std::size_t first, std::string_view name) const;

  const program::Program& program_;
  RequiredSettings required_;
  CallConstants constants_;
  bool only_declared_once_ = false;
  std::map<std::string_view, bool> declared_once_;  ///< By name; found when asked for.
};

}  // namespace lockstep::report
