// Markdown of a document that anybody wrote (Lockstep, a person, a model) → what it says about code: code spans, fenced
// blocks with the line above them, plain lines, by section. Line by line, as GitHub's Markdown reads what documents
// about code use; leaves out indented code, HTML but for <code>, and link targets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::writer {

/// A code span. Lines count from 0.
struct CodeSpan {
  std::string text;
  std::uint32_t line = 0;
  std::string context;  ///< The whole line without its code spans; in a list, what introduces it ("…:") before that.
  std::string lead;     ///< The text right before it, from the previous span on.
};

struct TextLine {
  std::uint32_t line = 0;
  std::string text;  ///< With its markup.
};

/// A fenced block.
struct Fence {
  std::string language;  ///< First word of `info`.
  std::vector<std::string> lines;
  std::uint32_t line = 0;  ///< Of the opening fence; lines[0] is the next one.
  std::string caption;     ///< The last line above that is not empty.
  std::vector<CodeSpan> caption_spans;
  std::string info;               ///< What stands behind the opening fence.
  std::string paragraph;          ///< The caption and the lines of its paragraph above it, as one.
  bool is_below_heading = false;  ///< The caption is a heading.
};

/// A heading and what follows it up to the next heading of any level; the first one has no heading.
struct Section {
  bool has_heading = false;
  std::uint32_t line = 0;
  std::string heading;  ///< With its markup.
  std::vector<TextLine> text;
  std::vector<CodeSpan> spans;  ///< The heading's first.
  std::vector<Fence> fences;
};

std::vector<Section> read_cited_document(std::string_view markdown);

/// A part of one line: what a code span holds, or text between spans.
struct LinePart {
  bool is_code = false;
  std::string text;
};
/// The parts of a line in its order; text parts between neighbouring spans may be empty.
std::vector<LinePart> parts_of_line(std::string_view line);

}  // namespace lockstep::writer
