// Document -> GitHub-flavoured Markdown. All text of the document is untrusted: nothing in it becomes markup, a
// mention, an issue reference or HTML that the document did not ask for. Diagrams become Mermaid blocks (mermaid.h).
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"

namespace lockstep::render {

struct MarkdownOptions {
  /// Where places link to: "https://github.com/OWNER/REPO/blob/COMMIT/"; empty: places are code without a link.
  std::string source_url;
};

/// The bytes of the file: UTF-8, "\n" line ends, one final newline.
std::string render_markdown(const report::Document& document, const MarkdownOptions& options = {});

/// One line of runs as Markdown (for ready-made review comments and other formats that take Markdown text).
std::string render_inline(const report::Inline& runs, const MarkdownOptions& options = {});

/// Untrusted text as Markdown that shows exactly it, on one line.
std::string escape_markdown(std::string_view text);
/// Markdown of somebody else whose mentions ("@name" outside of code) notify nobody; what escape_markdown wrote stays.
std::string without_mentions(std::string_view markdown);
/// Untrusted text as a code span. In a table cell a pipe must be escaped even there.
std::string code_span(std::string_view text, bool in_table);

}  // namespace lockstep::render
