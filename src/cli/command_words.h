// The command line's definition (options.cpp) → its words: each command with its options, values and example. What the
// manual page and the completions of shells are made from, so that they cannot say anything else than the program does.
#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

struct OptionWords {
  std::vector<std::string> names;    ///< "-o", "--output"; of a positional one its name alone: "CHANGE".
  std::string value;                 ///< "FILE", "PATH", "REV", …; empty for a flag.
  std::string what;                  ///< One sentence.
  std::vector<std::string> choices;  ///< The only values that it takes; empty: any.
  bool is_positional = false;
  bool is_required = false;
  bool takes_many = false;

  [[nodiscard]] bool is_flag() const { return value.empty() && !is_positional; }
};

struct CommandWords {
  std::string name;  ///< "review", "playbook check"; empty for the program itself.
  std::string what;
  std::string example;               ///< A command line; empty for the program itself and for groups.
  std::vector<OptionWords> options;  ///< Positional ones first.
  bool is_group = false;             ///< Only its commands do something ("playbook").
};

/// The program itself, then its commands in the order of `--help`, each group before its commands.
std::vector<CommandWords> command_words();

}  // namespace lockstep::cli
