// Functions that other functions get as a value -> who hands them on. What is only ever an argument of calls runs below
// them: a way that comes to it through somebody else's call of "what it is given" is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

class HandedValues {
 public:
  explicit HandedValues(const program::Program& program) : program_(program), signatures_(program) {}

  /// The functions outside tests that hand `callee`, a method or a function inside another, on, where what they call
  /// does not keep it. Null where something may keep it, or nobody is known to hand it on. Bound methods of values of
  /// unknown class do not count.
  const std::vector<program::FunctionId>* handed_by(program::FunctionId callee);

 private:
  using Handing = std::optional<std::vector<program::FunctionId>>;
  using Parents = std::vector<const python::Node*>;

  [[nodiscard]] Handing of_nested(program::FunctionId callee) const;
  [[nodiscard]] Handing of_method(program::FunctionId callee) const;
  [[nodiscard]] bool stays(program::FunctionId function, std::string_view id, int depth, std::uint32_t from) const;
  [[nodiscard]] bool is_used_up(const python::Node& node, const Parents& parents, program::FunctionId function,
                                int depth) const;
  [[nodiscard]] bool is_taken(const python::Node& value, const python::Call& call, int depth) const;

  const program::Program& program_;
  const rules::Signatures signatures_;
  std::unordered_map<std::uint32_t, Handing> known_;  ///< By function.
  mutable std::size_t read_ = 0;                      ///< Bytes of the functions that stays() looked at.
};

}  // namespace lockstep::report
