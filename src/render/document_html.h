// A document -> one HTML page that opens from disk: drawings as SVG, code with colours, changes that show both sides or
// one of them, a list of contents in the order of reading, links from places to the code that quotes them. No script
// at all: the policy in the page allows nothing but its own style sheet, by its hash, so nothing of the repository can
// run, load or restyle anything.
#pragma once

#include <string>

#include "report/document.h"

namespace lockstep::render {

struct PageOptions {
  std::string language = "en";  ///< Of the document: for the reader's software, and the page's own few words.
};

std::string render_page(const report::Document& document, const PageOptions& options = {});

}  // namespace lockstep::render
