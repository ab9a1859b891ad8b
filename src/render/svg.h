// Diagrams -> SVG elements to stand inside an HTML page: no script, no style of their own (html/document.css has the
// classes), nothing fetched. Labels are untrusted and escaped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/diagram.h"

namespace lockstep::render {

/// An <svg> element. `name` is read aloud for it.
std::string render_svg(const report::Diagram& diagram, std::string_view name);

/// The arrow heads that drawings of a page share: once, before the first of them.
std::string svg_definitions();

// What the drawings are made of.

/// Text wrapped to lines of about `width` characters, at most `most_lines`; wide characters count double.
std::vector<std::string> svg_wrapped(std::string_view text, std::size_t width, std::size_t most_lines);
/// Pixels that a line takes in the drawings' font.
double svg_text_width(std::string_view line);
/// Lines around a middle point.
std::string svg_text(const std::vector<std::string>& lines, double x, double y, std::string_view style);
/// "is-new", "NEW" and so on; empty for none.
std::string_view svg_mark_class(report::Mark mark);
std::string_view svg_mark_word(report::Mark mark);
/// The whole element around its content.
std::string svg_element(double width, double height, std::string_view name, std::string_view content);

std::string svg_flowchart(const report::Flowchart& chart, std::string_view name);
std::string svg_sequence(const report::Sequence& sequence, std::string_view name);
std::string svg_classes(const report::ClassDiagram& diagram, std::string_view name);

}  // namespace lockstep::render
