// Functions that are put over a method of one object and call what stood there before:
//   previous = model.forward
//   def wrapped(*args): return previous(*args)
//   model.forward = wrapped
// Whoever calls the method of that object calls the wrapped one as well.
#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "program/program.h"

namespace lockstep::report {

class MethodWrappers {
 public:
  explicit MethodWrappers(const program::Program& program) : program_(program) {}

  /// Whether `site` calls `callee` each time: as the only target, or with wrappers that were put over this method of
  /// some objects beside it.
  [[nodiscard]] bool surely_enters(const program::CallSite& site, program::FunctionId callee) const;

 private:
  /// Whether `function` comes to be called only as method `name` of an object, and each time calls what stood there.
  [[nodiscard]] bool calls_replaced(program::FunctionId function, std::string_view name) const;
  [[nodiscard]] bool find_replaced(program::FunctionId function, std::string_view name) const;

  const program::Program& program_;
  mutable std::map<std::pair<std::uint32_t, std::string_view>, bool> known_;  ///< By function and name.
};

}  // namespace lockstep::report
