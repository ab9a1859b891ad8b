// The one model of a document: title and blocks, free of any output format. The four documents (review, explain, dive,
// and what else people read) are built as this and turned into bytes by render/. Leaves out: escaping, 1-based lines,
// Markdown and Mermaid syntax, all of which belong to render/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/diagram.h"

namespace lockstep::report {

/// How a run of text is set.
enum class Style : std::uint8_t {
  kText,
  kCode,  ///< Source text, names, paths.
  kEmphasis,
  kStrong,
  kLink,       ///< `target` is a URL.
  kPlace,      ///< `text` is a path, `line` and `last_line` (from 0) a place in it; without a line, the file.
  kReference,  ///< "#123" of the change's own words, which may become a link; elsewhere "#123" must not.
};

/// A piece of a line of text. All text is untrusted and escaped by render/.
struct Run {
  Style style = Style::kText;
  std::string text;
  std::string target;
  std::optional<std::uint32_t> line;
  std::optional<std::uint32_t> last_line;
};
using Inline = std::vector<Run>;

/// Sentences are put together as plain strings in which code(), strong(), emphasis() and place() mark stretches with
/// control characters (taken out of their arguments, so that no source text can forge one); `prose` turns such a string
/// into runs. So sentences can be formatted with fmt and compared as text, and still carry no output format.
std::string code(std::string_view text);
std::string strong(std::string_view text);
std::string emphasis(std::string_view text);
std::string link(std::string_view text, std::string_view url);
std::string place(std::string_view path);
std::string place(std::string_view path, std::uint32_t line);  ///< Line from 0.
std::string place(std::string_view path, std::uint32_t first_line, std::uint32_t last_line);
/// The change's own "#123".
std::string reference(std::string_view text);
/// Runs of a string made with the functions above.
Inline prose(std::string_view marked);
/// The text of runs without how it is set; places read "path:line" (1-based).
std::string text_of(const Inline& runs);
/// Marked text of plain text in which back-quotes set off code (messages of findings, words of authors).
std::string from_backquotes(std::string_view plain);
/// As from_backquotes; and "#123" become references. For titles, bodies and messages of the change itself.
std::string own_words(std::string_view plain);
/// An item of a list with one more item below it, both marked text: of `Document::bullets`.
std::string with_below(std::string item, std::string_view below);
/// Whether there is an item below it.
bool has_below(std::string_view item);
/// Untrusted text without the control characters that mark runs.
std::string plain(std::string_view text);
/// The text of `marked` without marks; places read "path:line" (1-based).
std::string unmarked(std::string_view marked);

struct Block;

struct Heading {
  int level = 2;  ///< 2 to 6; the title of the document is level 1.
  Inline text;
};
struct Paragraph {
  Inline text;
};
struct ListItem {
  Inline text;
  std::vector<Block> children;  ///< Paragraphs, lists and code below the item.
  std::optional<bool> checked;  ///< A check box where set.
};
struct List {
  bool ordered = false;
  std::vector<ListItem> items;
};
struct Table {
  std::vector<Inline> header;
  std::vector<std::vector<Inline>> rows;  ///< Each as long as the header; shorter rows are filled up.
};
/// Source text. Where `path` is set the caption reads "path:first-last".
struct CodeBlock {
  std::string language;  ///< "python", "diff", "text", …
  std::string path;
  std::optional<std::uint32_t> first_line;  ///< From 0.
  std::optional<std::uint32_t> last_line;   ///< From 0, inclusive.
  std::string caption;                      ///< Marked text after the place: "before", "unchanged", …; may be empty.
  std::vector<std::string> lines;
};
struct DiagramBlock {
  Diagram diagram;
  std::string caption;  ///< Marked text; may be empty.
};
struct Quote {
  std::vector<Block> blocks;
};
struct Details {
  Inline summary;
  std::vector<Block> blocks;
};
/// A horizontal line.
struct Divider {};

struct Block {
  std::variant<Heading, Paragraph, List, Table, CodeBlock, DiagramBlock, Quote, Details, Divider> value;
};

struct Document {
  Inline title;  ///< Empty: no title line.
  std::vector<Block> blocks;

  /// Shorthand for building; strings are marked text.
  Document& heading(int level, std::string_view marked);
  Document& paragraph(std::string_view marked);
  Document& bullets(const std::vector<std::string>& marked_items);
  Document& numbered(const std::vector<std::string>& marked_items);
  Document& table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);
  Document& code_block(CodeBlock block);
  Document& diagram(Diagram diagram, std::string_view caption = {});
  Document& quote(std::string_view marked);
  Document& details(std::string_view summary, Document inner);
  Document& append(Document other);  ///< Its blocks; its title is dropped.
};

/// Words of a document, about as a counter of words finds them in its Markdown: prose, lists and tables; code and the
/// source of diagrams only if `with_code`.
std::size_t word_count(const Document& document, bool with_code);

}  // namespace lockstep::report
