// The spellings under which one command-line argument may be given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// "--a-b" with all long names that its declaration has beside it ("--a_b"), outside tests: the names of one
/// `add_argument`, or those that a field's metadata gives its argument (`{"arg_names": ["--a-b", "--a_b"]}`).
/// `argument` itself comes first.
std::vector<std::string> spellings_of(const program::Program& program, std::string_view argument);

/// Whether the text gives the argument as a whole (`--x`, `--x=1`, `"--x": true`, not `--x-more`). Of `-` and `_`
/// within it one is as good as the other: who makes arguments of the names of fields takes either.
bool gives_argument(std::string_view text, std::string_view argument);

}  // namespace lockstep::report
