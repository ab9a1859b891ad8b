// Locals that became constants of their module: what a function set on each call the module sets once, to the same.
//   def get_batch(): KEYS = ["tokens", "labels"]; …    ->    KEYS = ["tokens", "labels"]; def get_batch(): …
#pragma once

#include <cstddef>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "takes `KEYS` from the module (`run.py:7`), formerly a local of the same value" of the removed assignment `index`;
/// empty where it is none, where the function still sets the name, or where the value holds a call.
std::string module_local_words(const Actor& actor, std::size_t index, const WordsContext& context,
                               const WordsContext& after);

}  // namespace lockstep::report
