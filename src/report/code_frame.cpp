#include "report/code_frame.h"

#include <algorithm>

#include "base/strings.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostLineBytes = 400;

std::string shown_line(std::string_view line) {
  if (line.size() <= kMostLineBytes) return std::string(line);
  return std::string(cut_at_character(line, kMostLineBytes)) + "\u2026";
}

}  // namespace

CodeFrame code_frame(const SourceAccess& sources, rules::Side side, std::string_view path, std::uint32_t first,
                     std::uint32_t last, std::uint32_t around) {
  CodeFrame frame;
  frame.path = path;
  frame.side = side;
  frame.marked_first = first;
  frame.marked_last = std::max(first, last);
  const program::Program* program = side == rules::Side::kAfter ? sources.after : sources.before;
  if (program == nullptr) return frame;
  const program::ModuleId module = program->find_path(path);
  if (!module.valid()) return frame;
  const SourceText& source = program->modules()[module].facts->source();
  const auto count = static_cast<std::uint32_t>(source.line_count());
  if (first >= count) return frame;
  frame.first_line = first > around ? first - around : 0;
  const std::uint32_t wanted = std::min(frame.marked_last, count - 1) + around;
  const std::uint32_t end = std::min({count - 1, wanted, frame.first_line + kMostFrameLines - 1});
  for (std::uint32_t line = frame.first_line; line <= end; ++line) frame.lines.push_back(shown_line(source.line(line)));
  // A text that ends in a line end has an empty last line, which no editor shows.
  if (end == count - 1 && frame.lines.size() > 1 && frame.lines.back().empty()) frame.lines.pop_back();
  return frame;
}

}  // namespace lockstep::report
