#include "report/document.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/strings.h"

namespace lockstep::report {
namespace {

// Marks inside prose strings. A stretch is OPEN kind text [FIELD field]… CLOSE.
constexpr char kOpen = '\x01';
constexpr char kClose = '\x02';
constexpr char kField = '\x03';
constexpr char kBelow = '\x04';  // Before an item below an item of a list.

bool is_mark(char c) { return c == kOpen || c == kClose || c == kField || c == kBelow; }

std::string marked(char kind, std::string_view text) {
  return fmt::format("{}{}{}{}", kOpen, kind, plain(text), kClose);
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Run run_of(std::string_view stretch) {
  Run run;
  const char kind = stretch.empty() ? 't' : stretch.front();
  if (!stretch.empty()) stretch.remove_prefix(1);
  std::vector<std::string_view> fields;
  for (std::size_t at = stretch.find(kField); at != std::string_view::npos; at = stretch.find(kField)) {
    fields.push_back(stretch.substr(0, at));
    stretch.remove_prefix(at + 1);
  }
  fields.push_back(stretch);
  run.text = fields.front();
  switch (kind) {
    case 'c':
      run.style = Style::kCode;
      break;
    case 's':
      run.style = Style::kStrong;
      break;
    case 'e':
      run.style = Style::kEmphasis;
      break;
    case 'r':
      run.style = Style::kReference;
      break;
    case 'l':
      run.style = Style::kLink;
      if (fields.size() > 1) run.target = fields[1];
      break;
    case 'p':
      run.style = Style::kPlace;
      if (fields.size() > 1) run.line = number_of(fields[1]);
      if (fields.size() > 2) run.last_line = number_of(fields[2]);
      break;
    default:
      break;
  }
  return run;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Turns "#123" of plain text into references.
std::string with_references(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    const bool starts = text[i] == '#' && end > i + 1 && (i == 0 || !is_word(text[i - 1]));
    if (starts && (end == text.size() || !is_word(text[end]))) {
      out += reference(text.substr(i, end - i));
      i = end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

/// The length of ":func:", ":py:class:" at the end of a text; 0 where it ends in none.
std::size_t role_before(std::string_view text) {
  if (!text.ends_with(':')) return 0;
  std::size_t begin = text.size() - 1;
  const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || c == ':' || c == '_'; };
  while (begin > 0 && is_part(text[begin - 1])) --begin;
  const std::string_view role = text.substr(begin);
  return role.size() > 2 && role.starts_with(':') ? role.size() : 0;
}

std::string backquotes(std::string_view text, bool references) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('`');
    const std::size_t run_end = open == std::string_view::npos ? open : text.find_first_not_of('`', open);
    const std::size_t close = run_end == std::string_view::npos ? run_end : text.find('`', run_end);
    // ":func:`~pkg.f`" is `f` to Sphinx.
    const std::size_t role = close == std::string_view::npos ? 0 : role_before(text.substr(0, open));
    const std::string before = plain(text.substr(0, close == std::string_view::npos ? text.size() : open - role));
    out += references ? with_references(before) : before;
    if (close == std::string_view::npos) break;
    std::string_view name = text.substr(run_end, close - run_end);
    if (role > 0 && name.starts_with("~"))
      name.remove_prefix(name.rfind('.') == std::string_view::npos ? 1 : name.rfind('.') + 1);
    out += code(name);
    const std::size_t after = text.find_first_not_of('`', close);
    text = after == std::string_view::npos ? std::string_view{} : text.substr(after);
  }
  return out;
}

std::size_t words_in(std::string_view text) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank && !inside) ++count;
    inside = !blank;
  }
  return count;
}

std::size_t words_in(const Inline& runs) {
  std::string text;
  for (const Run& run : runs) text += run.text;
  return words_in(text);
}

std::size_t words_in(const std::vector<Block>& blocks, bool with_code);

/// Words of a drawing's source, about as it is written down.
struct DrawingWords {
  std::size_t operator()(const Flowchart& chart) const {
    std::size_t count = 2 + 2 * chart.groups.size();
    for (const FlowNode& node : chart.nodes) count += words_in(node.label) + (node.mark == Mark::kNone ? 0u : 1u);
    for (const FlowEdge& edge : chart.edges) count += edge.label.empty() ? 3 : 2 + words_in(edge.label);
    return count;
  }
  std::size_t operator()(const Sequence& sequence) const {
    std::size_t count = 1;
    for (const Participant& one : sequence.participants) count += 3 + words_in(one.label);
    for (const SequenceEvent& event : sequence.events) count += 1 + words_in(event.text);
    return count;
  }
  std::size_t operator()(const ClassDiagram& diagram) const {
    std::size_t count = 1 + 5 * diagram.relations.size();
    for (const ClassBox& box : diagram.classes) {
      count += 4;
      for (const ClassMember& member : box.members) count += 1 + words_in(member.text);
    }
    return count;
  }
};

struct WordCounter {
  bool with_code;
  std::size_t operator()(const Heading& block) const { return 1 + words_in(block.text); }
  std::size_t operator()(const Paragraph& block) const { return words_in(block.text); }
  std::size_t operator()(const List& block) const {
    std::size_t count = 0;
    for (const ListItem& item : block.items) count += 1 + words_in(item.text) + words_in(item.children, with_code);
    return count;
  }
  std::size_t operator()(const Table& block) const {
    std::size_t count = 0;
    for (const Inline& cell : block.header) count += words_in(cell);
    for (const auto& row : block.rows) {
      for (const Inline& cell : row) count += 1 + words_in(cell);
    }
    return count;
  }
  std::size_t operator()(const CodeBlock& block) const {
    std::size_t count = words_in(unmarked(block.caption));
    if (with_code) {
      for (const std::string& line : block.lines) count += words_in(line);
    }
    return count;
  }
  std::size_t operator()(const DiagramBlock& block) const {
    return words_in(unmarked(block.caption)) + (with_code ? std::visit(DrawingWords{}, block.diagram) : 0);
  }
  std::size_t operator()(const Quote& block) const { return words_in(block.blocks, with_code); }
  std::size_t operator()(const Details& block) const {
    return words_in(block.summary) + words_in(block.blocks, with_code);
  }
  std::size_t operator()(const Divider&) const { return 0; }
};

std::size_t words_in(const std::vector<Block>& blocks, bool with_code) {
  std::size_t count = 0;
  for (const Block& block : blocks) count += std::visit(WordCounter{with_code}, block.value);
  return count;
}

List list_of(const std::vector<std::string>& marked_items, bool ordered) {
  List list;
  list.ordered = ordered;
  for (const std::string& item : marked_items) {
    const std::size_t end = item.find(kBelow);
    list.items.push_back({prose(item.substr(0, end)), {}, std::nullopt});
    if (end == std::string::npos) continue;
    const std::vector<std::string_view> below = split(std::string_view(item).substr(end + 1), kBelow);
    list.items.back().children.push_back({list_of({below.begin(), below.end()}, false)});
  }
  return list;
}

/// Markdown's `[text](https://…)` as "text (https://…)": in a quote its marks are escaped, and hard to read.
std::string without_link_marks(std::string_view text) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t middle = text.find("](http"); middle != std::string_view::npos;
       middle = text.find("](http", middle + 1)) {
    const std::size_t open = text.rfind('[', middle);
    const std::size_t close = text.find_first_of(") \n", middle);
    if (open == std::string_view::npos || open < done || open + 1 == middle || text.find(']', open) != middle ||
        close == std::string_view::npos || text[close] != ')')
      continue;
    out.append(text.substr(done, open - done)).append(text.substr(open + 1, middle - open - 1));
    out.append(" (").append(text.substr(middle + 2, close - middle - 1));
    done = close + 1;
  }
  return out.append(text.substr(done));
}

}  // namespace

std::string with_below(std::string item, std::string_view below) {
  item += kBelow;
  return item.append(below);
}

bool has_below(std::string_view item) { return item.find(kBelow) != std::string_view::npos; }

std::string plain(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (!is_mark(c)) out += c;
  }
  return out;
}

std::string code(std::string_view text) { return marked('c', text); }
std::string strong(std::string_view text) { return marked('s', text); }
std::string emphasis(std::string_view text) { return marked('e', text); }
std::string reference(std::string_view text) { return marked('r', text); }

std::string link(std::string_view text, std::string_view url) {
  return fmt::format("{}l{}{}{}{}", kOpen, plain(text), kField, plain(url), kClose);
}

std::string place(std::string_view path) { return marked('p', path); }

std::string place(std::string_view path, std::uint32_t line) {
  return fmt::format("{}p{}{}{}{}", kOpen, plain(path), kField, line, kClose);
}

std::string place(std::string_view path, std::uint32_t first_line, std::uint32_t last_line) {
  if (first_line == last_line) return place(path, first_line);
  return fmt::format("{}p{}{}{}{}{}{}", kOpen, plain(path), kField, first_line, kField, last_line, kClose);
}

Inline prose(std::string_view text) {
  Inline runs;
  while (!text.empty()) {
    const std::size_t open = text.find(kOpen);
    if (open != 0) {
      runs.push_back({Style::kText, plain(text.substr(0, open)), {}, {}, {}});
      if (open == std::string_view::npos) break;
      text.remove_prefix(open);
    }
    const std::size_t close = text.find(kClose);
    if (close == std::string_view::npos) {
      runs.push_back({Style::kText, plain(text), {}, {}, {}});
      break;
    }
    runs.push_back(run_of(text.substr(1, close - 1)));
    text.remove_prefix(close + 1);
  }
  return runs;
}

std::string from_backquotes(std::string_view text) { return backquotes(text, false); }
std::string own_words(std::string_view text) { return backquotes(without_link_marks(text), true); }

std::string text_of(const Inline& runs) {
  std::string out;
  for (const Run& run : runs) {
    out += run.text;
    if (run.line) out += fmt::format(":{}", *run.line + 1);
    if (run.last_line) out += fmt::format("-{}", *run.last_line + 1);
  }
  return out;
}

std::string unmarked(std::string_view text) { return text_of(prose(text)); }

Document& Document::heading(int level, std::string_view text) {
  blocks.push_back({Heading{level, prose(text)}});
  return *this;
}

Document& Document::paragraph(std::string_view text) {
  blocks.push_back({Paragraph{prose(text)}});
  return *this;
}

Document& Document::bullets(const std::vector<std::string>& marked_items) {
  if (!marked_items.empty()) blocks.push_back({list_of(marked_items, false)});
  return *this;
}

Document& Document::numbered(const std::vector<std::string>& marked_items) {
  if (!marked_items.empty()) blocks.push_back({list_of(marked_items, true)});
  return *this;
}

Document& Document::table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  Table table;
  for (const std::string& cell : header) table.header.push_back(prose(cell));
  for (const auto& row : rows) {
    std::vector<Inline> cells;
    for (const std::string& cell : row) cells.push_back(prose(cell));
    table.rows.push_back(std::move(cells));
  }
  blocks.push_back({std::move(table)});
  return *this;
}

Document& Document::code_block(CodeBlock block) {
  blocks.push_back({std::move(block)});
  return *this;
}

Document& Document::diagram(Diagram drawing, std::string_view caption) {
  blocks.push_back({DiagramBlock{std::move(drawing), std::string(caption)}});
  return *this;
}

Document& Document::quote(std::string_view text) {
  Quote quote;
  quote.blocks.push_back({Paragraph{prose(text)}});
  blocks.push_back({std::move(quote)});
  return *this;
}

Document& Document::details(std::string_view summary, Document inner) {
  blocks.push_back({Details{prose(summary), std::move(inner.blocks)}});
  return *this;
}

Document& Document::append(Document other) {
  for (Block& block : other.blocks) blocks.push_back(std::move(block));
  return *this;
}

std::size_t word_count(const Document& document, bool with_code) {
  return words_in(document.title) + words_in(document.blocks, with_code);
}

}  // namespace lockstep::report
