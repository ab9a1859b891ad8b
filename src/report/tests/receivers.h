// Of which class the object is that a method is called on, where the code shows it: a variable that only ever holds
// what one constructor made, and `self` of the methods that run on such an object. Then a call that could enter several
// overrides enters one.
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// The first parameter of a method that is called on an object; empty for others.
std::string_view self_of(const program::Function& function);

class Receivers {
 public:
  explicit Receivers(const program::Program& program) : program_(program) {}

  /// What is known of a call of `callee`.
  enum class Entry : std::uint8_t {
    kUnknown,  ///< Of which class the object is is not known.
    kEnters,   ///< The object's class gives it `callee`.
    kOther,    ///< It gives it another method.
    kSame,     ///< The object is the caller's own `self`.
    kSuper,    ///< It is, and the method one above the caller's class: `super().f()`.
    kMakes,    ///< The call makes the object: `callee` is its constructor.
  };
  [[nodiscard]] Entry entry_of(const program::CallSite& site, program::FunctionId callee) const;

  /// Whether all of `methods` are what the object gets by their names on which `site` calls `callee`: its class is
  /// known by the call. False where it is not known; then `is_known` is false, too.
  [[nodiscard]] bool gives(const program::CallSite& site, program::FunctionId callee,
                           const std::vector<program::FunctionId>& methods, bool& is_known) const;

  /// Whether the call is of `super()` and stands under a condition: who enters the method below may pass it by.
  [[nodiscard]] bool may_pass_by(const program::CallSite& site) const;

 private:
  /// The class of the object; none where it is not known.
  [[nodiscard]] program::ClassId class_of(const program::CallSite& site, program::FunctionId callee) const;
  [[nodiscard]] program::ClassId class_of_variable(program::FunctionId function, std::string_view name) const;

  [[nodiscard]] program::ClassId find_class_of_variable(program::FunctionId function, std::string_view name) const;

  const program::Program& program_;
  mutable std::map<std::pair<std::uint32_t, std::string_view>, program::ClassId> known_;  ///< By function and variable.
};

}  // namespace lockstep::report
