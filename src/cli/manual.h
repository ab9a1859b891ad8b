// Commands → what is installed beside the program: the manual page and the completions of three shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_words.h"

namespace lockstep::cli {

/// man(7) source of lockstep(1).
std::string manual_page(const std::vector<CommandWords>& commands, std::string_view version);

// What completes by itself: commands, options, fixed values, names of files, revisions and rules.
std::string bash_completion(const std::vector<CommandWords>& commands);
std::string zsh_completion(const std::vector<CommandWords>& commands);
std::string fish_completion(const std::vector<CommandWords>& commands);

}  // namespace lockstep::cli
