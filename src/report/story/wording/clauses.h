// What differs in one entity, a verb phrase for each difference, before the most telling ones are chosen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/story/steps/intermediates.h"
#include "report/story/story.h"
#include "report/story/wording/argument_edits.h"

namespace lockstep::report {

struct Clause {
  int rank = 0;  ///< The lower, the more telling.
  std::string text;
  std::vector<std::string> where = {};  ///< The conditions under which it holds; may be empty.
  LocalValue value = {};  ///< What a local that it speaks of is; told once, and not where the local is told.
  std::optional<AddedArguments> passed = {};  ///< Where that is all it says.
  bool is_step = false;                       ///< Of the body, not of the signature.
  bool is_titled = false;                     ///< Of an edit that names what the title does, written as code.
  std::string other_operand = {};             ///< other_operand.h, where that is all that differs.
};

/// Rank of what only sets locals for others: it comes behind what is done with them.
inline constexpr int kServes = 7;

}  // namespace lockstep::report
