// A function on the side after a change -> what it was before it.
#pragma once

#include <map>
#include <string>

#include "change/change.h"
#include "program/program.h"

namespace lockstep::change {

class EarlierFunctions {
 public:
  /// `change` must outlive it.
  explicit EarlierFunctions(const Change& change);

  /// The same function before the change, also where it, its class or its file has another name since; none where the
  /// change adds it.
  [[nodiscard]] program::FunctionId of(program::FunctionId function) const;

 private:
  const Change& change_;
  std::map<program::FunctionId, program::FunctionId> changed_;  ///< Of functions that the change lists; none: new.
  std::map<std::string, std::string, std::less<>> renamed_;     ///< Modules, classes and functions: now, then.
};

}  // namespace lockstep::change
