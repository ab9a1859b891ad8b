// Backwards from a function that needs a value for one of its parameters: the calls that leave it out. A way through
// such a call does not lead to the code that needs the value, whatever else it passes.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/ways/conditions/path_constants.h"

namespace lockstep::report {

/// A call and a function that it enters, by number.
using CallInto = std::pair<std::uint32_t, std::uint32_t>;
using CallsInto = std::set<CallInto>;

/// The parameters with defaults that the conditions around a place of `function` ask for.
std::vector<std::string_view> parameters_asked_at(const python::FunctionDef& function, Span place);

/// A function and one of its parameters.
struct Needed {
  program::FunctionId function;
  std::string_view parameter;

  bool operator<(const Needed& other) const {
    return std::pair(function.value, parameter) < std::pair(other.function.value, other.parameter);
  }
};

/// Whether nothing of what is asked for runs where the parameter of `needed` is this constant.
using Refuses = std::function<bool(const Needed& needed, const Value& value)>;

/// Of these functions, and of all functions through which the value of such a parameter comes to them as one of their
/// own parameters: the calls into them that pass nothing, nothing that shows, or a constant that `refuses` names.
/// Bounded; calls of tests count as others.
CallsInto calls_without(const program::Program& program, const PathConstants& constants, const std::set<Needed>& needed,
                        const Refuses& refuses);

}  // namespace lockstep::report
