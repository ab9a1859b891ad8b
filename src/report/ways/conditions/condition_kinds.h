// What a condition on a way asks for: a setting, which somebody who starts a run can choose; what the function is
// given; or locals alone, of which only a reader of the code knows what they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "program/program.h"
#include "report/source/code.h"

namespace lockstep::report {

/// The weightiest first.
enum class ConditionKind : std::uint8_t {
  kSetting,  ///< A configuration value, an environment variable, or what was taken from one.
  kGiven,    ///< Parameters, attributes, anything else from outside the function.
  kLocal,    ///< Only what the function itself works out.
};

ConditionKind kind_of_condition(const program::Program& program, program::FunctionId function,
                                const python::Expr& condition);

/// Whether the condition (negated: its opposite) holds only where a run generates or serves: `self.is_inference_mode`,
/// `inference_context is not None`. By the words of this field.
bool asks_for_inference(const python::Expr& condition, bool negated);
/// Whether one of the conditions does.
bool ask_for_inference(const std::vector<Guard>& guards);
/// Whether the function gives anything but `False` and `None` only where a run generates or serves.
bool holds_only_in_inference(const program::Program& program, program::FunctionId predicate);
/// Whether one of the guards of code that runs on an object of `self` (none: not known) does, by itself or by what a
/// method of that class says (`if self.is_generating():`).
bool ask_for_inference_on(const program::Program& program, program::ClassId self, const std::vector<Guard>& guards);
/// Whether one of them does by what a method of that class says.
bool ask_class_for_inference(const program::Program& program, program::ClassId self, const std::vector<Guard>& guards);

/// The `most` weightiest guards of a function, of one kind the innermost, in the order given.
std::vector<Guard> weightiest(const program::Program& program, program::FunctionId function,
                              const std::vector<Guard>& guards, std::size_t most);

/// The values of `a and b` as guards of their own.
std::vector<Guard> taken_apart(const std::vector<Guard>& guards);

}  // namespace lockstep::report
