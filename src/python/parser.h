// Reads the bytes of one Python file into a syntax tree. Parsing always succeeds: what cannot be understood becomes
// ErrorStmt / ErrorExpr nodes and problems. Never executes, imports or opens anything.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/arena.h"
#include "python/tree.h"
#include "text/source.h"

namespace lockstep::python {

/// Something in a file that is not Python 3.8 to 3.13, or over a limit.
struct Problem {
  Span span;
  std::string message;
};

/// `# …` up to, not including, the line end.
struct Comment {
  Span span;
};

/// One file's source, tree, comments and problems. Owns everything that the tree points to. Immutable once built.
struct ParsedFile {
  SourceText source;  ///< UTF-8 without a byte order mark; other encodings are converted. Spans refer to this text.
  Arena arena;
  const Module* tree = nullptr;   ///< Never null after parse().
  std::vector<Comment> comments;  ///< In the order of the source.
  std::vector<Problem> problems;  ///< In the order of the source.
};

/// Parses `bytes` (the raw file: BOM, coding cookie, CRLF and form feeds included).
std::unique_ptr<ParsedFile> parse(std::string bytes);

}  // namespace lockstep::python
