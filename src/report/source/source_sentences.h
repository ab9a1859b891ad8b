// Sentences of comments, docstrings and documentation of the after side, each with its place, the heading that it
// stands under, and whether the change wrote it: a line of it is added and no old version of the text said it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/inputs.h"

namespace lockstep::report {

/// A line of a comment, docstring or document, without its marks.
struct TextLine {
  std::uint32_t line;
  std::string_view text;
};

struct SourceSentence {
  std::string text;
  std::string heading;  ///< Of the section, plain; empty before the first.
  std::uint32_t first_line = 0;
  std::size_t paragraph = 0;
  std::size_t section = 0;  ///< Headings before it.
  bool is_new = false;
  bool is_item = false;  ///< Of a list.
  std::string mark;      ///< Of the first sentence of such an item: "2.", "•"; else empty.
};

/// How lines are to be read.
enum class TextKind : std::uint8_t {
  kComment,
  kDocstring,  ///< "Args:" and its like end it.
  kDocument,   ///< Markdown or reStructuredText: no code, tables and quotations.
};

/// How many bytes the mark takes with which an item of a list starts ("- ", "•", "2. "); 0 where none does.
std::size_t mark_of_item(std::string_view line);
/// Emphasis and links of Markdown as plain words: "[text](url)" -> "text", "**x**" -> "x"; in code, marks stay.
std::string without_markup(std::string_view text);
/// Letters and digits alone: what a new layout or new marks leave as they were.
std::string squeezed(std::string_view text);
/// What the change takes away anywhere, squeezed: text that stands elsewhere now is not new.
std::string removed_text(const change::Change& change);
/// What the old version of an entity says anywhere in it, squeezed.
std::string old_text_of(const DocumentInputs& inputs, const change::EntityChange& entity);

/// `old_text` and `more`: squeezed; what one of them holds is not new. Blank lines, list items and rows of tables
/// part paragraphs; the rows are no sentences, and the one before them ends with "…". Sections on alternatives are left
/// out.
std::vector<SourceSentence> sentences_of(const change::Change& change, const std::string& path,
                                         std::string_view old_text, const std::vector<TextLine>& lines, TextKind kind,
                                         std::string_view more = {});

/// The sentences of a text, their full stops with them; "e.g. x" ends none.
std::vector<std::string_view> sentences_in(std::string_view text);

/// Lines of a definition's or module's docstring, without its quotes; those of a section on alternatives are empty:
/// they say what was not done.
std::vector<TextLine> docstring_lines(const python::Node* definition, const SourceText& source);
/// The lines of these sections without their headings; the others are empty. None where there is no such section.
std::vector<TextLine> alternatives_in_docstring(const python::Node* definition, const SourceText& source);
/// The same of lines of a comment or a message, with their indentation.
std::vector<TextLine> alternatives_among(std::vector<TextLine> lines);
/// The comment block that ends in the line before `line`.
std::vector<TextLine> comment_lines_above(const SourceText& source, std::uint32_t line);
/// The comments on lines [first, last], lines that follow one another as one block.
std::vector<std::vector<TextLine>> comments_within(const python::ParsedFile& file, std::uint32_t first,
                                                   std::uint32_t last);
/// The runs of comment lines that the change writes, each on its own; the kept lines below one, up to where its last
/// sentence ends. `after`: the file as it is now; a line of a string that begins with "#" is no comment.
std::vector<std::vector<TextLine>> added_comment_blocks(const change::FileSummary& file,
                                                        const python::ParsedFile& after);
/// Whether a file is Markdown or reStructuredText.
bool is_prose_file(const change::FileSummary& file);
/// The runs of lines that the change adds to a file.
std::vector<std::vector<TextLine>> added_runs(const change::FileSummary& file);

}  // namespace lockstep::report
