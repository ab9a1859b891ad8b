// Conditions -> what they ask of settings: `if args.overlap and not config.fused: g()` asks `overlap` to be set and
// `fused` not to be. What small functions return counts as if it stood where they are called.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "report/ways/functions/stored_callables.h"

namespace lockstep::report {

/// What a value may be, as bits: None, another false value, a true one.
namespace states {
inline constexpr std::uint8_t kNone = 1;
inline constexpr std::uint8_t kFalse = 2;
inline constexpr std::uint8_t kTrue = 4;
}  // namespace states

struct Required {
  const python::Expr* read = nullptr;  ///< A setting (`args.x`, `getattr(args, "x", …)`), or a name of the function.
  std::string_view name;
  std::uint8_t states = 0;  ///< Those that let the place run.
};

class RequiredSettings {
 public:
  explicit RequiredSettings(const program::Program& program) : program_(program), stored_(program) {}

  /// What the conditions around the call ask for; where it calls what a setting holds, also those under which that got
  /// the function that is entered.
  const std::vector<Required>& of(program::CallId call, program::FunctionId callee);
  /// What those around the call ask for beside that, where of `a or b` all but one are known not to hold: `holds` says
  /// whether an expression of its function does.
  using Holds = std::function<std::optional<bool>(const python::Expr&)>;
  [[nodiscard]] std::vector<Required> left_by(program::CallId call, const Holds& holds) const;
  /// What those around each of the places ask for, in one function; nothing where there are no places.
  [[nodiscard]] std::vector<Required> common_at(program::FunctionId function, const std::vector<Span>& places) const;

 private:
  void add(const python::Expr& condition, bool wanted, int depth, std::vector<Required>& out) const;
  void add_left(const python::Expr& condition, bool wanted, const Holds& holds, std::vector<Required>& out) const;
  [[nodiscard]] std::vector<Required> at(program::FunctionId function, Span place) const;

  const program::Program& program_;
  StoredCallables stored_;
  std::unordered_map<std::uint64_t, std::vector<Required>> known_;  ///< By call and callee.
};

/// What both sets of places ask for, each what it lists.
std::vector<Required> common_of(const std::vector<Required>& some, const std::vector<Required>& others);

}  // namespace lockstep::report
