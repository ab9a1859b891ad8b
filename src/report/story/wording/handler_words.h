// What a `try` catches, and what happens then, in short.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/wording/words.h"

namespace lockstep::report {

/// "; on `OSError`, returns `None`; on `Exception`, only logs" of the handlers of the `try` at `index`; empty for other
/// steps, and where a handler does nothing that has words.
std::string handler_words(const std::vector<Step>& steps, std::size_t index, const WordsContext& context);

/// Whether the `except` at `index` is new with its `try`, which is told with its handlers.
bool is_told_with_try(const std::vector<Step>& steps, std::size_t index);

}  // namespace lockstep::report
