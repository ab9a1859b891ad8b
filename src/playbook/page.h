// One playbook file as its reader sees it: Markdown (or plain text) → code spans, code blocks, links, headings, hidden
// text, each with its line; front matter apart. What the words claim is for claims.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/value.h"
#include "text/source.h"

namespace lockstep::playbook {

/// Text in back-quotes.
struct CodeSpan {
  std::string text;
  std::uint32_t line = 0;  ///< From 0, where it starts.
  bool in_link = false;    ///< Inside the text of a link, whose target is held instead.
};

struct CodeLine {
  std::string text;
  std::uint32_t line = 0;
};

/// A fenced or indented block.
struct CodeBlock {
  std::string language;  ///< First word after the fence, lower case; may be empty.
  std::vector<CodeLine> lines;
};

struct Link {
  std::string target;
  std::string text;
  std::uint32_t line = 0;
};

struct Heading {
  int level = 1;
  std::string text;
  std::uint32_t line = 0;
};

struct Page {
  std::string path;
  SourceText source;
  Value front_matter;              ///< A YAML map, or nothing.
  bool has_front_matter = false;   ///< A block between two `---` lines opens the file.
  bool front_matter_open = false;  ///< A `---` opens the file, "key: value" follows, and no `---` closes it.
  bool of_another_branch = false;  ///< Works on a branch, or fetches files of one, that is not the one at hand.
  std::uint32_t first_line = 0;    ///< First line after the front matter.
  std::vector<CodeSpan> codes;     ///< In the order of the file, as the following lists.
  std::vector<CodeBlock> blocks;
  std::vector<Link> links;
  std::vector<Heading> headings;
  std::vector<CodeLine> html;  ///< HTML blocks and comments, line by line.
  std::vector<bool> is_prose;  ///< By line: outside front matter, code blocks and HTML, and not empty.

  /// The line as a reader sees it: without back-quotes and asterisks. For code lines, the line itself.
  [[nodiscard]] std::string plain_line(std::uint32_t line) const;
  /// The heading above `line`; empty where there is none.
  [[nodiscard]] std::string_view section_of(std::uint32_t line) const;
};

/// Reads a file's bytes; they must be text (see is_binary) and at most kMaxPageBytes.
Page read_page(std::string path, std::string bytes);
/// Larger files are not instructions that anybody reads.
inline constexpr std::size_t kMaxPageBytes = 1u << 20;

/// The name of a heading in a link, as GitHub makes it: lower case, blanks become '-', punctuation goes.
std::string heading_slug(std::string_view heading);

}  // namespace lockstep::playbook
