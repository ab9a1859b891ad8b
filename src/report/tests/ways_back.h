// The ways that a search for tests follows against the calls, from a function back to what calls it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// A function that is called on the way to the target, the classes that something must be of for the calls from there
/// to be made, the parameters that it must be given for them, the calls under settings that only tests set, and the
/// methods that its own object must have.
struct WayBack {
  program::FunctionId function;
  int distance = 0;
  std::vector<program::ClassId> classes;
  std::vector<std::string_view> parameters;
  std::vector<program::CallId> under;
  std::vector<program::FunctionId>
      methods;          ///< What its `self` has to be given by their names: others may override them.
  bool is_sure = true;  ///< Not one of too many, of which the conditions are no longer known.
};

/// Ways to follow, in the order in which they were found: to each function those that no other makes needless, which
/// are nearer and need nothing that the other does not.
struct WaysBack {
  static constexpr std::size_t kMostOfOne = 4;
  std::vector<WayBack> pending;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> by_function;

  /// Keeps the way unless a known one makes it needless; of too many, one that is not sure.
  void add(WayBack way);
};

}  // namespace lockstep::report
