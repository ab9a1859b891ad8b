// Lines of shell as playbooks show them → commands with their words. Enough of the language to see which program is run
// with which arguments; nothing is expanded, nothing is run. Leaves out: loops, functions, here documents (their lines
// are commands with odd names, which nobody knows and nobody holds to anything).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/page.h"

namespace lockstep::playbook {

struct Word {
  std::string text;
  std::uint32_t line = 0;
  bool quoted = false;   ///< Any part stood in quotes.
  bool expands = false;  ///< Holds `$`, a back-quote, or (unquoted) a glob, a brace or a placeholder such as <x>.
};

/// One simple command: `A=b program word…`, without its redirections.
struct Command {
  std::vector<std::string> assignments;  ///< Names of leading `A=…`.
  std::vector<Word> words;
  std::vector<Word> outputs;  ///< Targets of > and >>.
};

/// Commands of consecutive lines; a trailing backslash continues a line, `#` starts a comment, a leading "$ " or "> "
/// prompt is dropped.
std::vector<Command> parse_shell(const std::vector<CodeLine>& lines);

}  // namespace lockstep::playbook
