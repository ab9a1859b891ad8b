#include "render/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "render/html_text.h"
#include "render/text_safety.h"
#include "text/shorten.h"
#include "text/source.h"

namespace lockstep::render {
namespace {

constexpr double kLetter = 7.2;  ///< Mean width of a letter of 12 px in the page's drawing font.
constexpr double kLine = 16;

/// Code points of `text`; wide ones (beyond the Latin, Greek and Cyrillic blocks) count as two columns.
std::vector<std::pair<std::string_view, int>> letters_of(std::string_view text) {
  std::vector<std::pair<std::string_view, int>> out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence_length(text, i));
    const auto lead = static_cast<unsigned char>(text[i]);
    const bool wide = lead >= 0xe3 && lead <= 0xed;
    out.emplace_back(text.substr(i, length), wide ? 2 : 1);
    i += length;
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const auto& [letter, size] : letters_of(text)) columns += static_cast<std::size_t>(size);
  return columns;
}

/// Shortened to `width` columns: to fewer letters than that where some are wide.
std::string fitted(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return text;
  std::string out = shortened(text, width);
  for (std::size_t letters = width; letters > 1 && columns_of(out) > width; out = shortened(text, letters)) --letters;
  return out;
}

bool may_break_after(std::string_view letter) {
  return letter.size() == 1 && std::string_view(" .,_()[]=/-:").find(letter) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> svg_wrapped(std::string_view text, std::size_t width, std::size_t most_lines) {
  std::vector<std::string> lines;
  const std::string shown = visible_text(text, true);
  if (most_lines <= 1) return {fitted(replace_all(shown, "\n", " "), width)};
  std::string line;
  std::size_t columns = 0;
  std::size_t break_at = 0;      // Bytes of `line` up to the last place where it may end.
  std::vector<bool> is_wrapped;  // By line: it ends where the width does, and another follows.
  const auto flush = [&](std::size_t bytes, bool wraps) {
    lines.push_back(line.substr(0, bytes));
    is_wrapped.push_back(wraps);
    line.erase(0, bytes);
    columns = letters_of(line).size();
    break_at = 0;
  };
  for (const auto& [letter, size] : letters_of(shown)) {
    if (letter == "\n") {
      flush(line.size(), false);
      continue;
    }
    if (columns + static_cast<std::size_t>(size) > width) flush(break_at > 0 ? break_at : line.size(), true);
    line += letter;
    columns += static_cast<std::size_t>(size);
    if (may_break_after(letter) || size == 2) break_at = line.size();
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  if (lines.size() > most_lines) {
    const bool may_halve =
        is_wrapped[most_lines - 1] && !lines[most_lines].empty() && is_name_char(lines[most_lines].front());
    lines.resize(most_lines);
    std::string& last = lines.back();
    std::size_t whole = last.size();
    while (may_halve && whole > 0 && is_name_char(last[whole - 1])) --whole;
    // A name goes as a whole, unless nothing else stands there.
    if (whole > 0) last.resize(whole);
    last += "\u2026";
  }
  return lines;
}

double svg_text_width(std::string_view line) {
  double columns = 0;
  for (const auto& [letter, size] : letters_of(line)) columns += size;
  return columns * kLetter;
}

std::string svg_text(const std::vector<std::string>& lines, double x, double y, std::string_view style) {
  std::string out = fmt::format("<text class=\"{}\" text-anchor=\"middle\">", style);
  const double first = y - kLine * (static_cast<double>(lines.size()) - 1) / 2 + 4;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += fmt::format("<tspan x=\"{:.1f}\" y=\"{:.1f}\">{}</tspan>", x, first + kLine * static_cast<double>(i),
                       html_escaped(lines[i]));
  }
  return out + "</text>";
}

std::string_view svg_mark_class(report::Mark mark) {
  switch (mark) {
    case report::Mark::kNew:
      return "is-new";
    case report::Mark::kModified:
      return "is-modified";
    case report::Mark::kRemoved:
      return "is-removed";
    case report::Mark::kNone:
      break;
  }
  return "";
}

std::string_view svg_mark_word(report::Mark mark) {
  switch (mark) {
    case report::Mark::kNew:
      return "NEW";
    case report::Mark::kModified:
      return "MODIFIED";
    case report::Mark::kRemoved:
      return "REMOVED";
    case report::Mark::kNone:
      break;
  }
  return "";
}

std::string svg_element(double width, double height, std::string_view name, std::string_view content) {
  constexpr double kMargin = 8;
  return fmt::format(
      "<svg class=\"drawing\" role=\"img\" aria-label=\"{}\" width=\"{:.0f}\" viewBox=\"{:.0f} {:.0f} {:.0f} "
      "{:.0f}\">{}</svg>\n",
      html_escaped(name), width + 2 * kMargin, -kMargin, -kMargin, width + 2 * kMargin, height + 2 * kMargin, content);
}

std::string svg_definitions() {
  return "<svg class=\"definitions\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>"
         "<marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" "
         "orient=\"auto\"><path class=\"head\" d=\"M0 0L10 5L0 10z\"/></marker>"
         "<marker id=\"triangle\" viewBox=\"0 0 12 12\" refX=\"11\" refY=\"6\" markerWidth=\"12\" markerHeight=\"12\" "
         "orient=\"auto\"><path class=\"hollow\" d=\"M1 1L11 6L1 11z\"/></marker>"
         "<marker id=\"diamond\" viewBox=\"0 0 16 10\" refX=\"1\" refY=\"5\" markerWidth=\"14\" markerHeight=\"9\" "
         "orient=\"auto\"><path class=\"head\" d=\"M1 5L8 1L15 5L8 9z\"/></marker>"
         "</defs></svg>\n";
}

std::string render_svg(const report::Diagram& diagram, std::string_view name) {
  if (const auto* chart = std::get_if<report::Flowchart>(&diagram)) return svg_flowchart(*chart, name);
  if (const auto* sequence = std::get_if<report::Sequence>(&diagram)) return svg_sequence(*sequence, name);
  return svg_classes(std::get<report::ClassDiagram>(diagram), name);
}

}  // namespace lockstep::render
