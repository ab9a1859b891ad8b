// Methods that new code asks objects of unknown class for:
//   if hasattr(module, 'finish_init'): module.finish_init(config)
//   -> `finish_init` is a method of `TELinear` (`te.py:1291`) and `TEGroupedLinear` (`te.py:2670`).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// One sentence for each name, at most `most`, that a new condition of the function asks of a variable by `hasattr` and
/// that classes outside tests define as a method: which do. None where more do than a reader takes in.
std::vector<std::string> asked_method_sentences(const DocumentInputs& inputs, const Actor& actor, std::size_t most);

}  // namespace lockstep::report
