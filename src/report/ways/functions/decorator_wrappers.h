// Wrappers that decorators of the repository put around functions: `def w(*args, **kwargs): return f(*args, **kwargs)`.
// The call `f(…)` may enter whatever is decorated so; who called the wrapper decides which one it is.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "program/program.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

class DecoratorWrappers {
 public:
  explicit DecoratorWrappers(const program::Program& program) : program_(program), signatures_(program) {}

  /// Whether `call`, in the wrapper of a decorator that passes arguments on, enters a function that is decorated so.
  [[nodiscard]] bool enters(program::CallId call, program::FunctionId callee) const;
  /// Whether it enters that function and no other where `entering` enters the wrapper.
  [[nodiscard]] bool is_known_to_enter(program::CallId entering, program::CallId call,
                                       program::FunctionId callee) const;

  /// Whether the function is decorated by what defines the wrapper, whatever that does with its arguments.
  [[nodiscard]] bool is_decorated_by(program::FunctionId function, program::FunctionId wrapper) const;
  /// Whether `entering` names the function, or the class whose constructor it is: what the wrapper stands for there.
  [[nodiscard]] bool is_named(program::CallId entering, program::FunctionId callee) const;

 private:
  /// Whether the call, in a wrapper, is one of what the function around the wrapper was given: `fn(…)`.
  [[nodiscard]] bool calls_what_is_given(program::CallId call) const;

  const program::Program& program_;
  const rules::Signatures signatures_;
  mutable std::unordered_map<std::uint64_t, bool> known_;  ///< By call and callee.
};

}  // namespace lockstep::report
