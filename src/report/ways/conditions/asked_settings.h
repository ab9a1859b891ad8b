// Which settings a condition asks for, whatever names they go by where it stands: read in it, held by an attribute of
// `self` or by a local that is set once, or given to a parameter by the calls of the function.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"
#include "report/ways/conditions/given_settings.h"

namespace lockstep::report {

class AskedSettings {
 public:
  /// `program` must outlive it.
  explicit AskedSettings(const program::Program& program) : program_(program), given_(program) {}

  /// The settings that an expression of the function reads, in the order of reading, each name once. `function` may be
  /// none: then only what is read as a setting. `through_names`: also what locals and parameters stand for.
  [[nodiscard]] std::vector<ReadSetting> of(program::FunctionId function, const python::Expr& expression,
                                            bool through_names) const;
  /// The settings that a value comes from which something holds. What a call makes of settings and other things, or an
  /// object of a class that is given some, is something else: `losses = step(model, size=args.size)`.
  [[nodiscard]] std::vector<ReadSetting> of_value(program::FunctionId function, const python::Expr& value,
                                                  bool through_names) const;
  /// The one setting whose value the expression has, unchanged; no name where it has another, or may have.
  [[nodiscard]] ReadSetting held_as_it_is(program::FunctionId function, const python::Expr& expression) const;

 private:
  /// What is asked of an expression: all that it reads, or what its value comes from.
  enum class Asked : std::uint8_t { kRead, kValue };
  void add(program::FunctionId function, const python::Node& node, int depth, Asked asked,
           std::vector<ReadSetting>& out) const;
  [[nodiscard]] bool reads_setting(program::FunctionId function, const python::Node& node) const;
  [[nodiscard]] bool takes_only_settings(program::FunctionId function, const python::Call& call) const;
  void add_named(program::FunctionId function, const python::Name& name, int depth,
                 std::vector<ReadSetting>& out) const;

  const program::Program& program_;
  const GivenSettings given_;
};

}  // namespace lockstep::report
