// Sections of docstrings, comments and messages that tell what was not done: "Alternatives considered:", "Rejected:".
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::report {

/// Whether a heading without its marks announces designs that were not taken: "Alternatives considered", "Rejected
/// designs"; not "Considered: " of a sentence with more words.
bool heads_alternatives(std::string_view heading);

/// Reads a text line by line.
class AlternativeSections {
 public:
  enum class Part { kNone, kHeading, kText };

  /// What the next line, with its indentation and its marks, is in such a section. One ends with the next heading, or
  /// behind an empty line with what is neither indented nor an item; one that opens with text, with that paragraph.
  Part read(std::string_view line);

 private:
  enum class Kind { kNone, kOpen, kList, kParagraph, kMarkdown };

  Kind kind_ = Kind::kNone;
  std::size_t indent_ = 0;  ///< Of the heading.
  bool was_empty_ = false;  ///< The line before.
};

/// What stands behind the label of a line that opens a section with text: "eager contexts" of "Rejected: eager
/// contexts"; empty for other lines.
std::string_view behind_label(std::string_view line);

}  // namespace lockstep::report
