// Diagram -> Mermaid text that Mermaid parses and GitHub draws (under 50,000 characters and 500 edges). Labels are
// untrusted: quoted, escaped, shortened. Colours are readable on light and dark backgrounds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/diagram.h"

namespace lockstep::render {

/// GitHub's own limits (maxTextSize and maxEdges of its Mermaid configuration), with some room.
inline constexpr std::size_t kMermaidMaxBytes = 48'000;
inline constexpr std::size_t kMermaidMaxEdges = 400;
inline constexpr std::size_t kMermaidMaxLabel = 90;  ///< Characters of one line of a label.

/// The text between the fences, with a final newline. What is over the limits is left out from the end, with a note.
std::string render_mermaid(const report::Diagram& diagram);

/// Untrusted text as the inside of a quoted Mermaid label ("\n" becomes a line break).
std::string mermaid_label(std::string_view text, std::size_t max_line = kMermaidMaxLabel);

}  // namespace lockstep::render
