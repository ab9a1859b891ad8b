// Values that the conditions of a changed function compare with several texts or members of an enumeration, whether or
// not they are settings:
//   if self.mode == "blockwise": …   if self.mode == "duplicated": …   -> `self.mode`: "blockwise", "duplicated"
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct ComparedTexts {
  std::string expression;           ///< As it is written: "self.mode", "kind".
  std::vector<std::string> values;  ///< As they are written, in the order of the code: `"grads"`, `Mode.FULL`, `None`.
  bool takes_others = false;        ///< No declaration says that these are all.

  /// What a value is written that is none of `values`.
  static constexpr const char* kOther = "anything else";

  /// Whether the condition, which compares the expression, holds where that is `value`; none where it asks for
  /// something else, or for more.
  [[nodiscard]] std::optional<bool> holds(const python::Expr& condition, const std::string& value) const;
};

/// Those that a changed condition of the function asks for, in the order of the code: parameters and attributes that
/// neither version of the function sets and that both only ever compare, with at least two values in all.
std::vector<ComparedTexts> compared_texts(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
