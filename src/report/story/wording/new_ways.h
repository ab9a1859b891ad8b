// A new branch that is a long way of its own, in one sentence: what a reader needs before the code.
//   if config.fp32 and group.size() > 2:      # new, 14 steps
//       … self._reduce_in_fp32(x) …           # new function
//       return outputs
#pragma once

#include <cstddef>
#include <string>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "when `config.fp32` is set and …, goes a way of its own of 14 steps, with `self._reduce_in_fp32(x)`, which can issue
/// `all_to_all_single`, and returns `outputs`; otherwise as before" of an added `if` without another side that calls
/// functions which the change adds. `words`: what its steps come to, told one by one. Empty where these are
/// short, the branch holds what was there, or calls nothing new.
std::string new_way_words(const DocumentInputs& inputs, const Actor& actor, std::size_t index,
                          const WordsContext& context, const std::string& words);

}  // namespace lockstep::report
