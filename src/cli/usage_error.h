// A command line that could not be read → what is wrong with it, and what was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_words.h"

namespace lockstep::cli {

/// The unknown command or option among `arguments` (without the program's name), with the nearest known one and what to
/// ask for next; `otherwise` where all are known. Ends with a line end.
std::string usage_error(const std::vector<CommandWords>& commands, const std::vector<std::string>& arguments,
                        std::string_view otherwise);

}  // namespace lockstep::cli
