#include "writer/author/placements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <variant>

#include "base/strings.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/source/code.h"
#include "report/story/steps/steps.h"
#include "writer/author/placements_parts.h"
#include "writer/pack/data_text.h"
#include "writer/sentence_parts.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostLines = 40;  ///< Of one excerpt.
constexpr std::size_t kMostRanges = 5;
constexpr std::size_t kMostColumns = 100, kMostIndent = 40;  ///< Of comments.

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

bool takes_comments(std::string_view path) {
  return path.ends_with(".py") || path.ends_with(".sh") || path.ends_with(".yaml") || path.ends_with(".yml") ||
         path.ends_with(".toml");
}

// "# » words", wrapped.
void add_comment(const std::string& words, std::size_t indent, std::vector<std::string>& lines) {
  const std::string blank(std::min(indent, kMostIndent), ' ');
  std::string line;
  bool is_first = true;
  const auto flush = [&] {
    if (!line.empty()) lines.push_back(fmt::format("{}# {}{}", blank, is_first ? "\u00bb " : "  ", line));
    is_first = is_first && line.empty();
    line.clear();
  };
  for (const std::string_view word : split(words, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && blank.size() + line.size() + word.size() + 5 > kMostColumns) flush();
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  flush();
}

/// The function that holds the end of lines (from 0), and whether they show its `def`; none outside functions.
struct Holder {
  program::FunctionId function;
  bool shows_head = false;
};
Holder holder_of(const program::Program& program, std::string_view path, std::uint32_t first, std::uint32_t last) {
  const program::ModuleId module = program.find_path(path);
  if (!module.valid()) return {};
  const SourceText& source = program.modules()[module].facts->source();
  if (last >= source.line_count()) return {};
  const auto indent = static_cast<std::uint32_t>(indent_of(source.line(last)));
  const program::FunctionId function = program.function_at(module, source.line_start(last) + indent);
  const python::FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
  if (def == nullptr) return {};
  const std::uint32_t head = source.line_of(def->span.begin);
  return {function, first <= head && head <= last};
}

/// Whether one of two functions is the other, or defined in it.
bool belong_together(const program::Program& program, program::FunctionId a, program::FunctionId b) {
  const auto is_in = [&](program::FunctionId inner, program::FunctionId outer) {
    for (; inner.valid(); inner = program.functions()[inner].enclosing) {
      if (inner == outer) return true;
    }
    return false;
  };
  return is_in(a, b) || is_in(b, a);
}

}  // namespace

Filled Placements::fill(std::string_view request, const std::vector<std::string>& words) const {
  if (internal::take_word(request, "@code")) return lines_at(request);
  if (internal::take_word(request, "@change")) return difference_of(request);
  if (internal::take_word(request, "@calls")) return draw_calls(inputs_, story_, request);
  if (internal::take_word(request, "@flow")) return draw_flow(inputs_, story_, request, words);
  if (internal::take_word(request, "@classes")) return draw_classes(inputs_, story_, request);
  return {{}, {internal::drawing_fault(std::string(request), "there is no such request")}};
}

namespace {

// Headers of the blocks of a function that hold a line (from 0) and begin behind another one, the outermost first: each
// from its first line to behind its last.
std::vector<std::pair<std::uint32_t, std::uint32_t>> headers_between(const program::Program& program,
                                                                     program::FunctionId function, std::uint32_t from,
                                                                     std::uint32_t line) {
  const program::Function& row = program.functions()[function];
  if (row.node == nullptr || row.def() == nullptr) return {};
  const auto steps = report::steps_of(report::body_of(row.node), report::source_of(program, function));
  std::size_t inner = report::Step::kNone;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].first_line <= line) inner = i;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> headers;
  for (std::size_t up = inner == report::Step::kNone ? inner : steps[inner].parent; up != report::Step::kNone;
       up = steps[up].parent) {
    if (steps[up].first_line >= from && steps[up].last_line < line)
      headers.emplace_back(steps[up].first_line, steps[up].last_line + 1);
  }
  std::reverse(headers.begin(), headers.end());
  return headers;
}

}  // namespace

// "path:12-30, 41-44"
Filled Placements::lines_at(std::string_view places) const {
  const bool is_before = internal::take_word(places, "before");
  const CitedSide side = is_before ? CitedSide::kBefore : CitedSide::kAfter;
  report::CodeBlock block;
  std::vector<std::uint32_t> numbers;
  const CitedFile* file = nullptr;
  std::uint32_t last = 0;
  std::size_t ranges = 0;
  program::FunctionId function;  // Of the range before.
  for (const std::string_view one : internal::split_at(places, ",")) {
    const std::string text = file == nullptr ? std::string(one) : fmt::format("{}:{}", block.path, one);
    const auto place = place_of_text(text);
    if (file == nullptr && place) {
      file = sides_.file(side, place->path);
      block.path = place->path;
    }
    if (!place || file == nullptr || place->path != block.path || place->first == 0 || place->first <= last ||
        place->first > file->lines().size())
      return {{}, {internal::drawing_fault(text, "there are no such lines in that order")}};
    if (++ranges > kMostRanges || block.lines.size() >= kMostLines) break;
    // One excerpt reads as code that runs on.
    const program::Program& program = is_before ? *inputs_.before : *inputs_.after;
    const Holder holder = holder_of(program, place->path, place->first - 1, std::max(place->last, place->first) - 1);
    if (ranges > 1 && holder.function.valid() && !holder.shows_head &&
        !belong_together(program, holder.function, function))
      return {{},
              {internal::drawing_fault(text,
                                       "these lines stand in another function than those before: place them "
                                       "in an excerpt of their own")}};
    function = holder.function;
    const auto end = static_cast<std::uint32_t>(
        std::min({static_cast<std::size_t>(std::max(place->last, place->first)), file->lines().size(),
                  place->first - 1 + kMostLines - block.lines.size()}));
    const auto show = [&](std::uint32_t first, std::uint32_t behind) {
      if (last > 0 && first > last) {
        block.lines.push_back(std::string(indent_of(file->lines()[first]), ' ') + "# ...");
        numbers.push_back(0);
      }
      for (std::uint32_t line = first; line < behind; ++line) {
        block.lines.push_back(data_text(file->lines()[line]));
        numbers.push_back(line + 1);
      }
      last = behind;
    };
    if (last == 0) block.first_line = place->first - 1;
    // Without the `if` that is left out between them, lines read as what the lines above hold.
    if (last > 0 && holder.function.valid()) {
      for (const auto& [first, behind] : headers_between(program, holder.function, last, place->first - 1))
        show(first, behind);
    }
    show(place->first - 1, end);
  }
  while (!block.lines.empty() && trim(block.lines.back()).empty()) {
    block.lines.pop_back();
    numbers.pop_back();
    --last;
  }
  if (block.lines.empty()) return {{}, {internal::drawing_fault(std::string(places), "there are no such lines")}};
  block.last_line = last - 1;
  block.language = block.path.ends_with(".py") ? "python" : "text";
  if (is_before) block.caption = "before the change";
  return {{report::Block{std::move(block)}}, {}, std::move(numbers)};
}

// Rows that lost a cell to the check are left out, for the others of the row may hang on it.
Filled table_of(const Passage& passage) {
  report::Table table;
  std::vector<bool> is_whole;
  for (std::size_t i = 0; i < passage.sentences.size() && i < passage.places.size(); ++i) {
    if (passage.places[i] >= is_whole.size()) {
      is_whole.resize(passage.places[i] + 1, true);
      if (passage.places[i] > 0) table.rows.resize(passage.places[i]);
    }
    is_whole[passage.places[i]] = is_whole[passage.places[i]] && !passage.sentences[i].empty();
    auto& row = passage.places[i] == 0 ? table.header : table.rows[passage.places[i] - 1];
    row.push_back(report::prose(marked_text(passage.sentences[i])));
  }
  if (is_whole.empty() || !is_whole.front()) return {};
  std::vector<std::vector<report::Inline>> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].resize(std::min(table.rows[i].size(), table.header.size()));
    if (is_whole[i + 1]) rows.push_back(std::move(table.rows[i]));
  }
  table.rows = std::move(rows);
  return table.rows.empty() ? Filled() : Filled{{report::Block{std::move(table)}}, {}, {}};
}

Filled Placements::fill(const Passage& passage) const {
  if (passage.is_table()) return table_of(passage);
  if (passage.is_sequence()) return sequence_of(passage);
  Filled filled = fill(passage.request, passage.sentences);
  auto* code = filled.blocks.empty() ? nullptr : std::get_if<report::CodeBlock>(&filled.blocks.front().value);
  if (code == nullptr || filled.line_numbers.size() != code->lines.size() || !takes_comments(code->path)) return filled;
  std::map<std::uint32_t, std::string> notes;
  for (std::size_t i = 0; i < passage.sentences.size() && i < passage.places.size(); ++i) {
    std::string& note = notes[passage.places[i]];
    if (!passage.sentences[i].empty()) note += (note.empty() ? "" : " ") + without_strong_marks(passage.sentences[i]);
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < code->lines.size(); ++i) {
    if (const auto note = notes.find(filled.line_numbers[i]); note != notes.end() && !note->second.empty())
      add_comment(note->second, indent_of(code->lines[i]), lines);
    lines.push_back(std::move(code->lines[i]));
  }
  code->lines = std::move(lines);
  return filled;
}

Filled Placements::difference_of(std::string_view text) const {
  const std::string name = internal::plain_name(text);
  const report::Actor* found = nullptr;
  for (const report::Actor& actor : story_.actors) {
    if (!internal::ends_with_name(actor.change->latest().qualified_name, name)) continue;
    const bool is_better =
        found == nullptr || (found->role == report::Role::kTest && actor.role != report::Role::kTest);
    if (is_better) found = &actor;
  }
  if (found == nullptr) return {{}, {internal::drawing_fault(name, "the change has no such function or class")}};
  Filled filled;
  if (found->is_function()) {
    for (report::Excerpt& excerpt : report::excerpts_of(inputs_, *found, {kMostLines, 4}))
      filled.blocks.push_back({std::move(excerpt.code)});
  } else {
    for (report::CodeBlock& block : report::definition_excerpt(inputs_, *found, kMostLines))
      filled.blocks.push_back({std::move(block)});
  }
  if (filled.blocks.empty())
    filled.faults.push_back(internal::drawing_fault(name, "it has no lines of its own to show"));
  return filled;
}

}  // namespace lockstep::writer
