// Blocks of a document -> HTML to stand in a page: what the pages of explain, dive and review share. Code with colours,
// differences with their sides, drawings as SVG, links from places to the code that quotes them. Untrusted text is
// escaped; nothing here runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace lockstep::render {

struct HtmlOptions {
  std::string_view language = "en";  ///< Of the few words that are the page's own.
  std::string_view id_prefix = {};   ///< Before every id, where a page has several documents.
};

/// A heading of the document, in its order.
struct HtmlSection {
  int level = 2;
  std::string title;  ///< Plain text, not escaped.
  std::string id;
};

struct HtmlBlocks {
  std::string html;
  std::vector<HtmlSection> sections;
  bool has_drawings = false;  ///< Then the page needs svg_definitions().
};

HtmlBlocks html_blocks(const report::Document& document, const HtmlOptions& options);
/// The title's runs as HTML.
std::string html_title(const report::Document& document);
/// Runs as plain text, not escaped.
std::string html_plain_text(const report::Inline& runs);

}  // namespace lockstep::render
