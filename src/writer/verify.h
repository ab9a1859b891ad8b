// A document about a change (or a tree) that anybody wrote → what in it is not true of the code: paths, lines, ranges,
// symbols, options and quoted lines that do not exist or do not match, each with the nearest that does. Purely by
// reading; what the change's own words say word for word is their author's and not held.
//
// Left out: whether the document is any good, its diagrams' syntax, and what has no name in the code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "writer/cited_sides.h"

namespace lockstep::writer {

struct CitationProblem {
  std::uint32_t line = 0;  ///< Of the document, from 0.
  std::string_view kind;   ///< "path", "line", "range", "symbol", "code", "quoted code", "signature", "diagram label",
                           ///< "option", "counts", "number", "call", "base class"
  std::string text;        ///< As the document has it.
  std::string reason;      ///< "no such line in pkg/a.py:3-9"
  std::string nearest;     ///< What does exist; empty where nothing is near.
};

/// A block of code that no place belongs to: where none of its lines stands, nothing can be said of it.
struct UnheldBlock {
  std::uint32_t line = 0;   ///< Of the document, from 0: its opening fence.
  std::size_t unknown = 0;  ///< Lines that stand in no file that the document names or the change touches.
};

struct Verification {
  std::vector<CitationProblem> problems;  ///< In the order of the document's lines; at most kMostProblems.
  std::size_t places = 0;                 ///< Held: paths and lines,
  std::size_t names = 0;                  ///< names and expressions,
  std::size_t lines = 0;                  ///< quoted lines,
  std::size_t relations = 0;              ///< what names have to do with places, values and each other.
  std::vector<UnheldBlock> not_held;      ///< No problems: code that may or may not claim to exist.
};
inline constexpr std::size_t kMostProblems = 1000;

Verification verify_document(std::string_view markdown, const CitedSides& sides);

}  // namespace lockstep::writer
