// New functions that are copies: they have the code of a function of the same name that was there before and stays.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "The new `f` and `g` of `GPTModel` have the same statements as those of `HybridModel` (`a.py:3`)." for each class,
/// or file, whose functions they have the code of; at most two. Comments, docstrings and layout aside; tests, and what
/// is too short to be a copy, left out.
std::vector<std::string> same_code_sentences(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
