// What tests run as command lines, from lists of flags or in shell scripts, and no test function calls:
//   OverrideDefinitions(["--config llama_debug", "--compile.passes regional"], …)
//   "python -m train.precompile --compile.passes regional"
#pragma once

#include <cstddef>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// The sentence, without its full stop, on files of tests whose command lines ask for central[index]: by the key under
/// which a table of its module holds the function, or by a function that gives the configuration of its class, or that
/// it is; empty where none does. Whether such a run comes to what changed is not followed, and it says so.
std::string commands_that_ask(const DocumentInputs& inputs, const Story& story, std::size_t index);

/// That, else tests_that_start().
std::string runs_of_tests(const DocumentInputs& inputs, const Story& story, std::size_t index);

}  // namespace lockstep::report
