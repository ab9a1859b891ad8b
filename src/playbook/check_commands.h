// What the commands of one block share, and pytest's own command line. Private to this room.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "playbook/check_parts.h"

namespace lockstep::playbook {

/// A shell session as the reader would have it open.
struct Session {
  std::optional<std::string> folder = "";  ///< Where commands run, from the root; nullopt where nobody knows.
  std::set<std::string> made;              ///< Files that earlier commands write.
  bool is_block = false;                   ///< A code block, not a span inside a sentence.
};

/// Holds the arguments of a `pytest` command: paths, `file::Class::test`, `-k`, `-m` and options.
void hold_pytest(const Facts& facts, const Page& page, const Session& session, const std::vector<Word>& arguments,
                 Ledger& ledger);

/// Holds "tests/test_x.py::TestX::test_y" in back-quotes: the test, not the file.
void hold_node_id(const Facts& facts, const Page& page, const CodeSpan& code, Ledger& ledger);

}  // namespace lockstep::playbook
