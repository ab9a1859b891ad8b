// Text of a file that is not Python → its named parts, line by line: headings of a document, top-level keys of a
// configuration, jobs of a workflow, functions of C++ or a shell script, packages of a lock file. Read by simple line
// patterns: a part that they do not see is left out, none is made up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "change/change.h"

namespace lockstep::change {

/// A part starts at `line` (from 0) and ends where the next one starts.
struct OutlinePart {
  std::uint32_t line = 0;
  std::string name;
};

struct Outline {
  std::string_view noun;  ///< "section", "key", "job", …; empty for files without an outline.
  std::vector<OutlinePart> parts;
};

/// What the file's parts are called is decided by `path`.
Outline outline_of(std::string_view path, FileCategory category, std::string_view text);

}  // namespace lockstep::change
