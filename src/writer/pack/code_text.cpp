#include "writer/pack/code_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "report/source/code.h"
#include "writer/pack/pieces.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;

// Lines; longer functions are shown around what matters in them. Where there is room, whole functions say more.
constexpr std::uint32_t kLong[] = {44, 110}, kLongChanged[] = {90, 260};
constexpr std::uint32_t kTimesAround[] = {1, 3};
constexpr std::uint32_t kMostDocstring = 8;  // lines of a docstring that are shown
constexpr std::uint32_t kMostHead = 30;      // lines of a signature, where only some lines of the body follow
constexpr std::size_t kMostBeside = 170;     // lines of a changed function that the diff does not show
constexpr std::uint32_t kSmallGap = 7;       // lines; to leave out fewer saves little, and costs a question
constexpr std::uint32_t kGapInDiff = 6;      // lines of the diff; to look them up there breaks the reading
constexpr std::uint32_t kGapOfChanged = 8;   // the same of a function that changes

/// Lines of one function, chosen one by one.
class Shown {
 public:
  explicit Shown(FunctionLines lines) : lines_(lines), shown_(lines.last - lines.first + 1) {}
  void add(std::uint32_t from, std::uint32_t to, bool value = true) {
    for (std::uint32_t line = std::max(lines_.first, from); line <= std::min(lines_.last, to); ++line)
      shown_[line - lines_.first] = value;
  }
  void close_small_gaps(std::uint32_t most) {
    for (std::size_t i = 0; i < shown_.size();) {
      std::size_t end = i;
      while (end < shown_.size() && !shown_[end]) ++end;
      if (i > 0 && end < shown_.size() && end - i <= most) std::fill(shown_.begin() + i, shown_.begin() + end, true);
      i = std::max(end, i + 1);
    }
  }
  [[nodiscard]] std::vector<std::string> text(const SourceText& source, std::string_view gap_words) const {
    std::vector<std::string> out;
    std::uint32_t gap = 0;
    const auto close_gap = [&] {
      if (gap > 0) out.push_back(fmt::format("     | \u2026 {} {}", count_of(gap, "line"), gap_words));
      gap = 0;
    };
    for (std::uint32_t line = lines_.first; line <= lines_.last; ++line) {
      if (!shown_[line - lines_.first]) {
        ++gap;
        continue;
      }
      close_gap();
      for (std::string& text : numbered_source(source, line, line)) out.push_back(std::move(text));
    }
    close_gap();
    return out;
  }

 private:
  FunctionLines lines_;
  std::vector<bool> shown_;
};

// Of a long docstring the opening, unless lines of it matter.
void cut_docstring(const python::FunctionDef& def, const SourceText& source, const Candidate& candidate, Shown& shown) {
  const python::Constant* text = python::docstring_of(def.body);
  if (text == nullptr) return;
  const std::uint32_t first = source.line_of(text->span.begin), last = source.line_of(text->span.end - 1);
  if (last - first <= kMostDocstring + kSmallGap) return;
  const auto next = candidate.lines.lower_bound(first);
  if (next != candidate.lines.end() && next->first <= last) return;
  shown.add(first + kMostDocstring, last - 1, false);
}

}  // namespace

FunctionLines lines_of(const Program& program, FunctionId id) {
  const program::Function& function = program.functions()[id];
  const SourceText& source = report::source_of(program, id);
  FunctionLines lines{source.line_of(function.node->span.begin), 0};
  if (const auto* def = function.def(); def != nullptr && !def->decorators.empty())
    lines.first = std::min(lines.first, source.line_of(def->decorators[0]->span.begin));
  const std::uint32_t end = function.node->span.end;
  lines.last = source.line_of(end > 0 ? end - 1 : 0);
  return lines;
}

std::vector<std::string> function_text(const Program& program, FunctionId id, const Candidate& candidate,
                                       const std::vector<std::uint32_t>& beside, Width width) {
  const SourceText& source = report::source_of(program, id);
  const FunctionLines lines = lines_of(program, id);
  const std::uint32_t size = lines.last - lines.first + 1;
  Shown shown(lines);
  // Much of it stands in the diff: the rest.
  const bool is_much = beside.size() * 2 < size || (beside.size() * 4 < size * 3 && beside.size() <= kMostBeside);
  if (!beside.empty() && is_much) {
    for (const std::uint32_t line : beside) shown.add(line, line);
    shown.close_small_gaps(kGapInDiff);
    return shown.text(source, "in the diff");
  }
  const python::FunctionDef* def = program.functions()[id].def();
  const bool is_body = program.functions()[id].kind == program::FunctionKind::kModuleBody;
  const auto at = static_cast<std::size_t>(width);
  const bool is_long = size > (candidate.is_changed ? kLongChanged : kLong)[at];
  if (candidate.lines.empty() || (!is_long && !is_body)) {
    shown.add(lines.first, lines.last);
    if (def != nullptr) cut_docstring(*def, source, candidate, shown);
    return shown.text(source, "left out");
  }
  if (!is_body) {
    const std::uint32_t body =
        def != nullptr && !def->body.empty() ? source.line_of(def->body[0]->span.begin) : lines.first + 1;
    shown.add(lines.first, std::min(body > lines.first ? body - 1 : body, lines.first + kMostHead));
  }
  for (const auto& [line, least] : candidate.lines) {
    const std::uint32_t around = least * kTimesAround[at];
    shown.add(line > around ? line - around : 0, line + around);
  }
  // What was cut out of the middle of a function is what a reader asks for next.
  shown.close_small_gaps(candidate.is_changed ? kGapOfChanged : kSmallGap);
  return shown.text(source, "left out");
}

std::vector<std::size_t> needed_of(const std::vector<std::string>& numbered, const Candidate& candidate) {
  std::vector<std::size_t> needed;
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    const std::string_view number = trim(std::string_view(numbered[i]).substr(0, numbered[i].find('|')));
    std::uint32_t line = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), line);
    if (error == std::errc{} && line > 0 && candidate.lines.contains(line - 1)) needed.push_back(i);
  }
  return needed;
}

}  // namespace lockstep::writer
