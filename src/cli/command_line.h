// Defines the commands and options on a parser of command lines. Private to this room: only options.cpp and
// command_words.cpp know CLI11.
#pragma once

#include "cli/options.h"

namespace CLI {
class App;
}

namespace lockstep::cli {

/// `app` fills `options` when it parses.
void define_commands(CLI::App& app, Options& options);

}  // namespace lockstep::cli
