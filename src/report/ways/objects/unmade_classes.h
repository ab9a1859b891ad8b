// Classes of which no Python code outside tests makes objects: no run of the repository's own scripts enters their
// methods, whatever calls on objects of a base class may enter.
#pragma once

#include <unordered_map>

#include "program/program.h"

namespace lockstep::report {

class UnmadeClasses {
 public:
  explicit UnmadeClasses(const program::Program& program) : program_(program) {}

  /// Whether nothing outside tests names the class, which has a base of the repository, or one below it, where that may
  /// bring objects of it. False where more places name them than may be looked at, and for classes that decorators or
  /// bases may keep in tables.
  [[nodiscard]] bool contains(program::ClassId cls) const;
  /// The class, where contains() says so, of the method that the function is, is defined in, or is only called by; none
  /// for others.
  [[nodiscard]] program::ClassId of(program::FunctionId asked) const;

 private:
  [[nodiscard]] bool is_unmade(program::ClassId cls) const;

  const program::Program& program_;
  mutable std::unordered_map<std::uint32_t, bool> known_;
};

}  // namespace lockstep::report
