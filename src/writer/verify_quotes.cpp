// Lists of files, diagrams' labels, tables and lines that belong to a heading.
#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

// A name is looked for in this many lines from the one that is named: decorators, long statements.
constexpr std::uint32_t kReach = 25;
constexpr std::uint32_t kStatementReach = 30;

bool has_whole_word(std::string_view text, std::string_view word) {
  bool found = false;
  for_each_word(text, [&](std::string_view one, std::size_t) { found = found || one == word; });
  return found;
}

bool stands_in(const CitedFile& file, std::uint32_t first, std::uint32_t last, std::string_view word) {
  const std::vector<std::string>& lines = file.lines();
  for (std::size_t i = first == 0 ? 0 : first - 1; i < lines.size() && i < last; ++i) {
    if (has_whole_word(lines[i], word)) return true;
  }
  return false;
}

std::string unescape_label(std::string_view raw) {
  std::string text = replace_all(replace_all(raw, "<br/>", " "), "<br>", " ");
  for (const auto& [from, to] :
       {std::pair{"#lt;", "<"}, {"#gt;", ">"}, {"#quot;", "\""}, {"#amp;", "&"}, {"#35;", "#"}})
    text = replace_all(text, from, to);
  return text;
}

bool is_style_line(std::string_view text) {
  text = trim(text);
  return text.starts_with("style") || text.starts_with("classDef") || text.starts_with("linkStyle") ||
         text.starts_with("%%") || (text.starts_with("class ") && split(text, ' ').size() == 3);
}

// "n12": what nodes of diagrams are called.
bool is_node_name(std::string_view name) {
  const std::size_t digits = name.find_first_of("0123456789");
  return digits >= 1 && digits <= 2 && name.find_first_not_of("0123456789", digits) == std::string_view::npos &&
         std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(digits),
                     [](char c) { return c >= 'a' && c <= 'z'; });
}

// The number behind `at`, which moves along; nullopt where there is none.
std::optional<std::uint32_t> number_at(std::string_view text, std::size_t& at) {
  std::uint32_t number = 0;
  const std::size_t start = at;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at - start < 9; ++at)
    number = number * 10 + static_cast<std::uint32_t>(text[at] - '0');
  return at > start ? std::optional(number) : std::nullopt;
}

/// A function, a class or a variable begins on the line (counted from 1), perhaps with its decorators.
bool is_definition(const std::vector<std::string>& lines, std::uint32_t first) {
  for (std::size_t at = first - 1; at < lines.size(); ++at) {
    std::string_view text = trim(lines[at]);
    if (text.starts_with("async ")) text = trim(text.substr(6));
    if (text.starts_with("def ") || text.starts_with("class ")) return true;
    if (at + 1 != first) continue;  // in a decorator of several lines, or after it
    if (text.starts_with("@")) continue;
    std::string_view rest = text.substr(python::identifier_length(text));
    if (rest.size() == text.size()) return false;
    const std::string_view name = text.substr(0, text.size() - rest.size());
    rest = trim(rest);
    // `x: T` declares a field; `else: f()` does not.
    if (rest.starts_with(":") && !trim(rest.substr(1)).empty())
      return name != "else" && name != "try" && name != "finally";
    const std::size_t sign = rest.starts_with(":") ? rest.find('=') : 0;
    return sign < rest.size() && rest[sign] == '=' && !rest.substr(sign).starts_with("==");
  }
  return false;
}

}  // namespace

// `path  [+1, -2]  # words`: the path, and the counts as Git counts them.
void Verifier::check_file_list(const Fence& fence) {
  for (std::size_t i = 0; i < fence.lines.size(); ++i) {
    const std::string_view text = fence.lines[i];
    const std::size_t blank = text.find_first_of(" \t");
    const std::string_view rest = blank == std::string_view::npos ? std::string_view() : trim(text.substr(blank));
    if (blank == 0 || !rest.starts_with("[+")) continue;
    std::size_t at = 2;
    const auto added = number_at(rest, at);
    while (at < rest.size() && (rest[at] == ',' || rest[at] == ' ')) ++at;
    if (rest.substr(at).starts_with("−"))
      at += std::string_view("−").size();
    else if (at < rest.size() && rest[at] == '-')
      ++at;
    const auto removed = number_at(rest, at);
    if (!added || !removed || at >= rest.size() || rest[at] != ']') continue;
    const auto line = fence.line + 1 + static_cast<std::uint32_t>(i);
    const std::string_view path = text.substr(0, blank);
    ++result_.places;
    if (!sides_.has_path(path)) {
      add("path", line, std::string(path), "there is no such file", sides_.nearest_path(path));
      continue;
    }
    const auto expected = sides_.counts_of(path);
    const std::pair<std::size_t, std::size_t> counted{*added, *removed};
    if (!expected.empty() && std::find(expected.begin(), expected.end(), counted) == expected.end())
      add("counts", line, std::string(text), fmt::format("Git counts +{} -{}", expected[0].first, expected[0].second));
  }
}

// Names with a dot or an underscore in the labels of a diagram.
void Verifier::check_labels(const Fence& fence) {
  for (std::size_t i = 0; i < fence.lines.size(); ++i) {
    const std::string text = unescape_label(fence.lines[i]);
    if (is_style_line(text)) continue;
    std::size_t end = 0;
    for_each_word(text, [&](std::string_view word, std::size_t offset) {
      if (offset < end) return;  // a part of a dotted name that was looked at
      end = offset + word.size();
      while (end + 1 < text.size() && text[end] == '.') {
        const std::size_t more = python::identifier_length(std::string_view(text).substr(end + 1));
        if (more == 0) break;
        end += 1 + more;
      }
      const std::string_view name = std::string_view(text).substr(offset, end - offset);
      const bool is_cut = std::string_view(text).substr(0, offset).ends_with("…") ||
                          std::string_view(text).substr(end).starts_with("…");
      if (name.find_first_of("._") == std::string_view::npos || is_cut || is_node_name(name) ||
          sides_.is_own_word(name))
        return;
      ++result_.names;
      for (const std::string_view part : split(name, '.')) {
        if (is_document_word(part) || sides_.has_word(part)) continue;
        return add("diagram label", fence.line + 1 + static_cast<std::uint32_t>(i), std::string(name),
                   fmt::format("there is no '{}' anywhere", part), sides_.nearest_name(part));
      }
    });
  }
}

bool is_origin(const CodeSpan& span) { return trim(span.lead).ends_with("moved from"); }

// Rows whose first two cells, and headings, that have a symbol and a place: the symbol stands there.
void Verifier::check_symbols_at(const Section& section) {
  for (std::size_t i = 0; i < section.spans.size();) {
    std::size_t next = i + 1;
    while (next < section.spans.size() && section.spans[next].line == section.spans[i].line) ++next;
    const CodeSpan& first = section.spans[i];
    const bool is_heading = section.has_heading && first.line == section.line;
    const std::vector<std::string_view> cells = split(first.context, '|');
    const bool is_index =
        cells.size() > 3 && trim(cells[0]).empty() && trim(cells[1]).empty() && trim(cells[2]).empty();
    if ((is_heading || is_index) && next > i + 1) {
      const auto place = place_of_text(section.spans[i + 1].text);
      // It may have been called otherwise where it moved from.
      if (place && !is_origin(section.spans[i + 1]) && is_dotted_name(first.text)) {
        const std::string_view name = first.text;
        check_symbol_at(first.line, name.ends_with("()") ? name.substr(0, name.size() - 2) : name, *place,
                        first.context);
      }
    }
    i = next;
  }
}

// "`f` (moved from `old.py:1`)": something is defined there.
void Verifier::check_origins(const Section& section) {
  for (const CodeSpan& span : section.spans) {
    const auto place = place_of_text(span.text);
    if (!place || place->first == 0 || !is_origin(span) || !sides_.has_file(CitedSide::kBefore, place->path)) continue;
    const std::vector<std::string>& lines = sides_.file(CitedSide::kBefore, place->path)->lines();
    if (place->first > lines.size() || is_definition(lines, place->first)) continue;
    add("symbol", span.line, fmt::format("moved from {}:{}", place->path, place->first), "no definition stood there");
  }
}

void Verifier::check_symbol_at(std::uint32_t line, std::string_view symbol, const CitedPlace& place,
                               std::string_view context) {
  const std::string_view name = symbol.substr(symbol.rfind('.') + 1);
  const std::vector<CitedSide> sides = sides_with(place.path, context);
  const std::uint32_t last = std::max(place.last == 0 ? place.first : place.last, place.first + kReach);
  for (const CitedSide side : sides) {
    if (stands_in(*sides_.file(side, place.path), place.first, last, name)) return;
  }
  // A module is named by its path.
  const std::vector<std::string_view> parts = split(place.path, '/');
  const std::string_view stem = parts.back().substr(0, parts.back().rfind('.'));
  if (sides.empty() || name == stem || symbol == parts.back() || place.path == symbol ||
      std::find(parts.begin(), parts.end(), name) != parts.end())
    return;
  std::string nearest;
  const std::vector<std::string>& lines = sides_.file(sides[0], place.path)->lines();
  // `C.f` as it is written, before an `f` of another class.
  for (const std::string_view wanted : {symbol, name}) {
    for (std::size_t i = 0; i < lines.size() && nearest.empty(); ++i) {
      if (find_name(lines[i], wanted) != std::string_view::npos) nearest = fmt::format("{}:{}", place.path, i + 1);
    }
  }
  add("symbol", line, fmt::format("{} at {}:{}", symbol, place.path, place.first), "the name does not stand there",
      std::move(nearest));
}

// "**Line 12:**" below a heading that is a path.
void Verifier::check_comment_lines(const Section& section) {
  std::vector<std::string_view> paths;
  for (const CodeSpan& span : section.spans) {
    if (section.has_heading && span.line == section.line) paths.push_back(span.text);
  }
  if (paths.size() != 1 || place_of_text(paths[0]) || !has_file_ending(paths[0])) return;
  for (const TextLine& line : section.text) {
    std::string_view text = line.text;
    if (!text.starts_with("**Line")) continue;
    text.remove_prefix(6);
    if (text.starts_with('s')) text.remove_prefix(1);
    std::size_t at = 1;
    const auto first = number_at(text, at);
    if (!first) continue;
    CitedPlace place{std::string(paths[0]), *first, 0};
    if (at < text.size() && text[at] == '-') {
      ++at;
      place.last = number_at(text, at).value_or(0);
    }
    check_place(line.line, place, text.substr(at).starts_with(" of the old version") ? "old" : "");
  }
}

// "`x` is set at line 3 and used at lines 5 and 8" below a heading that names a place.
void Verifier::check_line_notes(const Section& section) {
  std::optional<CitedPlace> place;
  for (const CodeSpan& span : section.spans) {
    if (!section.has_heading || span.line != section.line) continue;
    // The last: "moved from `a.py:1`, `b.py:2`".
    if (auto one = place_of_text(span.text)) place = is_origin(span) ? std::nullopt : std::move(one);
  }
  if (!place || !sides_.has_file(CitedSide::kAfter, place->path)) return;
  const CitedFile& file = *sides_.file(CitedSide::kAfter, place->path);
  constexpr std::string_view kSet = "` is set at line ";
  for (const TextLine& line : section.text) {
    std::string_view text = line.text;
    for (std::size_t at = 0; (at = text.find(kSet, at)) != std::string_view::npos;) {
      const std::size_t open = text.rfind('`', at - 1);
      const std::string_view name =
          at == 0 || open == std::string_view::npos ? std::string_view() : text.substr(open + 1, at - open - 1);
      at += kSet.size();
      // "3 and used at lines 5, 7 and 8": numbers up to the end of the sentence, or "and 3 more".
      while (at < text.size()) {
        const auto number = number_at(text, at);
        if (number) {
          if (text.substr(at).starts_with(" more")) break;
          ++result_.places;
          if (!name.empty() && !stands_in(file, *number, *number + kStatementReach, name))
            add("line", line.line, fmt::format("`{}` at line {}", name, *number),
                fmt::format("there is no '{}' in {}:{}", name, place->path, *number));
          continue;
        }
        const std::string_view rest = text.substr(at);
        const std::string_view joint = rest.starts_with(" and used at lines ")  ? " and used at lines "
                                       : rest.starts_with(" and used at line ") ? " and used at line "
                                       : rest.starts_with(" and ")              ? " and "
                                       : rest.starts_with(", ")                 ? ", "
                                                                                : "";
        if (joint.empty()) break;
        at += joint.size();
      }
    }
  }
}

}  // namespace lockstep::writer
