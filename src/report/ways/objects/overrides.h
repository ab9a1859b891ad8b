// Calls that enter one method on most objects and another on those of some classes -> which of the two is the special
// case, and what an object on which the caller runs cannot hold: `self.step()` in a base class that has a `step` of its
// own runs that one unless the object is an heir's; `self.fn(x)` in a method that each class which keeps `f` in `fn`
// overrides never enters `f`.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "program/program.h"
#include "report/ways/scripts/script_reach.h"

namespace lockstep::report {

class Overrides {
 public:
  /// Both must outlive it.
  Overrides(const program::Program& program, const MadeClasses& made) : program_(program), made_(made) {}

  /// Whether the call enters `callee` only on objects of an heir that overrides what it enters on the others.
  [[nodiscard]] bool is_special_case(program::CallId call, program::FunctionId callee) const;
  /// Whether `self.name(…)` enters `callee` on no object on which the caller runs: the classes that keep it under that
  /// name override the caller.
  [[nodiscard]] bool is_never_held(program::CallId call, program::FunctionId callee) const;

 private:
  /// What a class keeps under a name.
  struct Kept {
    bool is_unknown = false;  ///< Something of which it is not known what it is.
    std::set<std::uint32_t> functions;
  };
  [[nodiscard]] bool is_overridden_where_kept(const program::CallSite& site, program::FunctionId callee) const;
  [[nodiscard]] bool may_keep(program::ClassId cls, std::string_view name, program::FunctionId callee) const;
  [[nodiscard]] const Kept& kept_in(program::ClassId cls, std::string_view name) const;
  [[nodiscard]] bool runs_on_objects_of(program::ClassId cls, program::FunctionId method) const;
  [[nodiscard]] bool is_kept_from_outside(std::string_view name) const;
  [[nodiscard]] bool runs_as_defined(program::FunctionId method) const;

  const program::Program& program_;
  const MadeClasses& made_;
  mutable std::unordered_map<std::uint64_t, bool> special_;                                   ///< By call and callee.
  mutable std::map<std::tuple<std::uint32_t, std::uint32_t, std::string_view>, bool> never_;  ///< Caller, callee, name.
  mutable std::map<std::pair<std::uint32_t, std::string_view>, Kept> kept_;  ///< By class and attribute.
  mutable std::unordered_map<std::uint64_t, bool> runs_on_;                  ///< By class and method.
  mutable std::unordered_map<std::uint32_t, bool> as_defined_;               ///< By method.
  mutable std::unordered_map<std::string_view, bool> from_outside_;          ///< By attribute.
};

}  // namespace lockstep::report
