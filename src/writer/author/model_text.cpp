#include "writer/author/model_text.h"

#include <fmt/format.h>
#include <algorithm>

#include <array>
#include <charconv>
#include <iterator>
#include <optional>

#include "base/find_text.h"
#include "base/strings.h"
#include "writer/pack/data_text.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostPassages = 200;
constexpr std::array<std::string_view, 6> kRequests = {"@code ", "@change ",  "@calls ",
                                                       "@flow ", "@classes ", "@keep "};
constexpr std::string_view kFlow = "@flow ", kNote = "@note ", kTable = "@table ", kRow = "@row ";
constexpr std::string_view kSequence = "@sequence ", kStep = "@step ";
constexpr std::size_t kMostColumns = 7, kMostRows = 14;
constexpr std::string_view kEmptyCell = "\u2013";
constexpr std::size_t kMostRequestBytes = 2'000;
constexpr std::array<std::string_view, 10> kAbbreviations = {"e.g.",  "i.e.",    "etc.", "vs.",  "cf.",
                                                             "resp.", "approx.", "no.",  "Fig.", "incl."};

bool is_blank(std::string_view line) { return trim(line).empty(); }

// "- ", "* ", "1. ", "2) ": gives what follows.
std::optional<std::string_view> item_of(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.starts_with("- ") || text.starts_with("* ") || text.starts_with("+ ") || text.starts_with("\u2022 "))
    return trim(text.substr(text.find(' ')));
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos || digits > 3) return std::nullopt;
  const std::string_view rest = text.substr(digits);
  if (rest.starts_with(". ") || rest.starts_with(") ")) return trim(rest.substr(2));
  return std::nullopt;
}

// "## How", not "#123 did it".
bool is_heading_line(std::string_view text) {
  const std::size_t marks = std::min(text.find_first_not_of('#'), text.size());
  return marks > 0 && (marks == text.size() || text[marks] == ' ');
}

bool is_rule(std::string_view line) {
  const std::string_view text = trim(line);
  return text.size() >= 3 && text.find_first_not_of(text.front() == '-' ? "- " : "* _=") == std::string_view::npos;
}

/// Takes out links' targets, images, HTML tags and addresses, outside code.
class Plainer {
 public:
  explicit Plainer(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '`') {
        code();
      } else if (text_[at_] == '[' || text_.substr(at_).starts_with("![")) {
        link();
      } else if (text_[at_] == '<') {
        tag();
      } else if (!address()) {
        out_ += text_[at_++];
      }
    }
    return std::move(out_);
  }
  [[nodiscard]] std::size_t removed() const { return removed_; }

 private:
  void code() {
    const std::size_t run_end = std::min(text_.find_first_not_of('`', at_), text_.size());
    const std::string_view run = text_.substr(at_, run_end - at_);
    const std::size_t close = text_.find(run, run_end);
    if (close == std::string_view::npos) {  // an odd one is no code
      at_ = run_end;
      return;
    }
    out_ += text_.substr(at_, close + run.size() - at_);
    at_ = close + run.size();
  }

  // "[words](target)" and "![words](target)": the words of a link, nothing of an image.
  void link() {
    const bool is_image = text_[at_] == '!';
    const std::size_t open = at_ + (is_image ? 1 : 0);
    const std::size_t middle = text_.find("](", open);
    const std::size_t close = middle == std::string_view::npos ? middle : text_.find(')', middle);
    if (close == std::string_view::npos || text_.substr(open + 1, middle - open).find('[') != std::string_view::npos) {
      out_ += text_[at_++];
      return;
    }
    ++removed_;
    if (!is_image) out_ += text_.substr(open + 1, middle - open - 1);
    at_ = close + 1;
  }

  // "<b>", "</b>", "<!-- … -->", "<http://…>"; "a < b" stays.
  void tag() {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
    const bool is_tag = next == '/' || next == '!' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    const std::size_t close = text_.find('>', at_);
    if (!is_tag || close == std::string_view::npos) {
      out_ += text_[at_++];
      return;
    }
    ++removed_;
    at_ = close + 1;
  }

  // "https://…", "www.…": forges make links of them.
  bool address() {
    const std::string_view rest = text_.substr(at_);
    const std::size_t colon = rest.substr(0, 20).find("://");
    const bool has_scheme =
        colon != std::string_view::npos && colon > 0 &&
        std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '.' || c == '-';
        });
    const bool starts = rest.starts_with("www.") || has_scheme;
    if (!starts) return false;
    const std::size_t end = std::min(rest.find_first_of(" \t)]`"), rest.size());
    out_ += "(an address)";
    ++removed_;
    at_ += end;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
  std::size_t removed_ = 0;
};

bool ends_in_abbreviation(std::string_view text) {
  return std::any_of(kAbbreviations.begin(), kAbbreviations.end(),
                     [&](std::string_view one) { return text.ends_with(one); });
}

class Reader {
 public:
  ModelText run(std::string_view markdown) {
    const std::vector<std::string_view> lines = split_lines(markdown);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view text = trim(lines[i]);
      if (text.starts_with("```") || text.starts_with("~~~")) {
        flush();
        const std::string fence(text.substr(0, 3));
        ++text_.removed;
        for (++i; i < lines.size() && !trim(lines[i]).starts_with(fence); ++i) {
        }
      } else if (text.starts_with('|')) {
        flush();
        if (i == 0 || !trim(lines[i - 1]).starts_with('|')) ++text_.removed;
      } else if (is_blank(text) || is_rule(text)) {
        flush();
      } else if (const auto item = item_of(lines[i])) {
        flush();
        is_item_ = true;
        add(*item);
      } else if (is_heading_line(text)) {
        flush();
        is_heading_ = true;
        add(trim(text.substr(std::min(text.find_first_not_of('#'), text.size()))));
        flush();
      } else if (is_request(text)) {
        flush();
        std::string request(text);
        // A long one may go on below.
        while (goes_on(request) && i + 1 < lines.size() && !is_blank(lines[i + 1]))
          request += " " + std::string(trim(lines[++i]));
        add_request(request);
      } else if (text.starts_with(kTable)) {
        flush();
        add_table(text.substr(kTable.size()));
      } else if (text.starts_with(kSequence)) {
        flush();
        add_sequence(text.substr(kSequence.size()));
      } else if (text.starts_with(kRow) || text.starts_with(kStep)) {
        flush();
        add_row(text.substr(text.find(' ') + 1));
      } else if (text.starts_with(kNote)) {
        flush();
        add_note(text.substr(kNote.size()));
      } else {
        add(text.starts_with("> ") ? text.substr(2) : text);
      }
    }
    flush();
    return std::move(text_);
  }

 private:
  void add(std::string_view line) {
    if (!line_.empty()) line_ += ' ';
    line_ += line;
  }

  static bool is_request(std::string_view text) {
    return std::any_of(kRequests.begin(), kRequests.end(),
                       [&](std::string_view request) { return text.starts_with(request); });
  }
  static bool goes_on(std::string_view request) {
    return request.ends_with("->") || request.ends_with(';') || request.ends_with(',');
  }

  void add_request(std::string_view text) {
    Passage passage;
    text = text.substr(0, kMostRequestBytes);
    const bool has_words = text.starts_with(kFlow);
    while (!text.empty()) {
      const std::size_t open = has_words ? text.find('"') : std::string_view::npos;
      const std::size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
      passage.request += replace_all(text.substr(0, close == std::string_view::npos ? text.size() : open), "`", "");
      if (close == std::string_view::npos) break;
      add_words(text.substr(open + 1, close - open - 1), passage);
      text.remove_prefix(close + 1);
    }
    if (text_.passages.size() < kMostPassages) text_.passages.push_back(std::move(passage));
  }

  // What stands in a box of a drawing instead of code: a sentence, which is checked as others are. The request keeps
  // its number, in quotes.
  void add_words(std::string_view text, Passage& passage) {
    Plainer plainer(trim(text));
    std::string words = data_text(plainer.run());
    text_.removed += plainer.removed();
    passage.sentences.push_back(std::move(words));
    passage.places.push_back(static_cast<std::uint32_t>(passage.sentences.size()));
    passage.request += fmt::format("\"{}\"", passage.sentences.size());
  }

  // "14: words", on a line of the code asked for just before; elsewhere it is no note.
  void add_note(std::string_view text) {
    Passage* asked = text_.passages.empty() ? nullptr : &text_.passages.back();
    std::uint32_t line = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
    const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc{} || !rest.starts_with(':') || asked == nullptr || !asked->request.starts_with("@code ")) {
      ++text_.removed;
      return;
    }
    Plainer plainer(trim(rest.substr(1)));
    for (std::string& sentence : split_sentences(data_text(plainer.run()))) {
      asked->sentences.push_back(std::move(sentence));
      asked->places.push_back(line);
    }
    text_.removed += plainer.removed();
  }

  // "A | B": the head of a table; rows follow.
  void add_table(std::string_view cells) {
    Passage passage;
    passage.request = std::string(kTable) + std::string(cells.substr(0, kMostRequestBytes));
    if (text_.passages.size() >= kMostPassages) return;
    text_.passages.push_back(std::move(passage));
    add_cells(cells);
  }

  // "Example: two stages": what a drawing of messages shows; its steps follow, "from | to | words".
  void add_sequence(std::string_view title) {
    Passage passage;
    passage.request = std::string(kSequence) + std::string(title.substr(0, kMostRequestBytes));
    Plainer plainer(trim(title));
    passage.sentences.push_back(data_text(plainer.run()));
    passage.places.push_back(0);
    text_.removed += plainer.removed();
    if (text_.passages.size() < kMostPassages) text_.passages.push_back(std::move(passage));
  }

  void add_row(std::string_view cells) {
    const bool is_asked =
        !text_.passages.empty() && (text_.passages.back().is_table() || text_.passages.back().is_sequence());
    if (!is_asked || text_.passages.back().places.back() >= kMostRows) {
      ++text_.removed;
      return;
    }
    add_cells(cells);
  }

  // Each cell is a sentence, which is checked as others are.
  void add_cells(std::string_view cells) {
    Passage& table = text_.passages.back();
    const std::uint32_t row = table.places.empty() ? 0 : table.places.back() + 1;
    if (cells.starts_with('|')) cells.remove_prefix(1);
    if (cells.ends_with('|')) cells.remove_suffix(1);
    std::size_t column = 0;
    for (const std::string_view cell : cells_of(cells)) {
      if (column++ == kMostColumns) break;
      Plainer plainer(trim(cell));
      std::string text = data_text(plainer.run());
      text_.removed += plainer.removed();
      table.sentences.push_back(trim(text).empty() ? std::string(kEmptyCell) : std::move(text));
      table.places.push_back(row);
    }
  }

  // Bars within back-quotes are code.
  static std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    std::size_t start = 0;
    bool is_code = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '`') is_code = !is_code;
      if (line[i] != '|' || is_code) continue;
      cells.push_back(line.substr(start, i - start));
      start = i + 1;
    }
    cells.push_back(line.substr(start));
    return cells;
  }

  void flush() {
    Plainer plainer(line_);
    const std::string text = data_text(plainer.run());
    text_.removed += plainer.removed();
    Passage passage{is_item_, is_heading_, {}, is_heading_ ? std::vector{text} : split_sentences(text), {}};
    if (is_heading_ && trim(text).empty()) passage.sentences.clear();
    if (!passage.sentences.empty() && text_.passages.size() < kMostPassages)
      text_.passages.push_back(std::move(passage));
    line_.clear();
    is_item_ = is_heading_ = false;
  }

  ModelText text_;
  std::string line_;
  bool is_item_ = false;
  bool is_heading_ = false;
};

}  // namespace

std::string_view without_lead(std::string_view words) {
  for (bool is_cut = true; is_cut;) {
    is_cut = false;
    for (const std::string_view mark : {" ", ":", "-", ".", "\u2013", "\u2014", "\uff1a"}) {
      if (!words.starts_with(mark)) continue;
      words.remove_prefix(mark.size());
      is_cut = true;
    }
  }
  return words;
}

std::vector<std::string> split_sentences(std::string_view line) {
  std::vector<std::string> sentences;
  std::size_t start = 0;
  bool is_code = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '`') is_code = !is_code;
    const bool is_end = line[i] == '.' || line[i] == '!' || line[i] == '?';
    const bool is_wide = line.substr(i).starts_with("\u3002");  // the full stop of Chinese
    if (is_code || (!is_end && !is_wide)) continue;
    std::size_t end = i + (is_wide ? 3 : 1);
    while (end < line.size() && (line[end] == '"' || line[end] == ')' || line[end] == '*' || line[end] == '\'')) ++end;
    const bool is_followed = end >= line.size() || line[end] == ' ';
    if (!is_wide && (!is_followed || ends_in_abbreviation(line.substr(start, i + 1 - start)))) continue;
    const std::string_view sentence = trim(line.substr(start, end - start));
    if (!sentence.empty()) sentences.emplace_back(sentence);
    start = end;
    i = end - 1;
  }
  const std::string_view rest = trim(line.substr(std::min(start, line.size())));
  if (!rest.empty()) sentences.emplace_back(rest);
  return sentences;
}

bool Passage::is_example() const {
  std::string_view start = is_table()          ? std::string_view(request).substr(kTable.size())
                           : is_sequence()     ? std::string_view(request).substr(kSequence.size())
                           : sentences.empty() ? std::string_view()
                                               : std::string_view(sentences.front());
  while (!start.empty() && (start.front() == '*' || start.front() == ' ' || start.front() == '|'))
    start.remove_prefix(1);
  return start.starts_with("Example:") || start.starts_with("\u4f8b\uff1a") || start.starts_with("\u793a\u4f8b\uff1a");
}

ModelText read_model_text(std::string_view markdown) { return Reader().run(markdown); }

std::string one_line(const ModelText& text) {
  std::string line;
  for (const Passage& passage : text.passages) {
    for (const std::string& sentence : passage.sentences) {
      if (!sentence.empty()) line += (line.empty() ? "" : " ") + sentence;
    }
  }
  return line;
}

namespace {

/// Whether two asterisks stand at `at` that open what is printed boldly: behind no word and before one. Between words,
/// with white space or without, they are an operator of Python's.
bool opens_strong(std::string_view text, std::size_t at) {
  const auto is_space = [&](std::size_t i) { return i >= text.size() || text[i] == ' ' || text[i] == '\t'; };
  const bool is_behind_word = at > 0 && (is_name_char(text[at - 1]) || text[at - 1] == ')' || text[at - 1] == ']');
  return text.substr(at).starts_with("**") && !is_space(at + 2) && !is_behind_word;
}

}  // namespace

std::string without_strong_marks(std::string_view text) {
  std::string out;
  bool is_open = false;
  for (std::size_t at = 0; at < text.size();) {
    const bool closes = is_open && text.substr(at).starts_with("**") && at > 0 && text[at - 1] != ' ';
    if (closes || opens_strong(text, at)) {
      is_open = !closes;
      at += 2;
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::string marked_text(std::string_view sentence) {
  std::string out;
  for (std::size_t at = 0; at < sentence.size();) {
    const auto span = [&](std::string_view mark) -> std::optional<std::string_view> {
      if (!sentence.substr(at).starts_with(mark)) return std::nullopt;
      const std::size_t first = at + mark.size();
      const std::size_t close = sentence.find(mark, first);
      if (close == std::string_view::npos || close == first) return std::nullopt;
      at = close + mark.size();
      return sentence.substr(first, close - first);
    };
    if (sentence[at] == '`') {
      const std::size_t end = std::min(sentence.find_first_not_of('`', at), sentence.size());
      if (const auto inner = span(sentence.substr(at, end - at))) {
        out += report::code(trim(*inner));
        continue;
      }
    } else if (!opens_strong(sentence, at)) {
      // `x ** 2` outside of back-quotes, say.
    } else if (const auto strong = span("**")) {
      out += report::strong(replace_all(*strong, "`", ""));
      continue;
    }
    out += report::plain(sentence.substr(at++, 1));
  }
  return out;
}

std::vector<report::Block> blocks_of(const ModelText& text, int heading_level, const Fill& fill) {
  report::Document document;
  std::vector<std::string> items;
  const auto flush = [&] {
    document.bullets(items);
    items.clear();
  };
  for (const Passage& passage : text.passages) {
    if (!passage.request.empty()) {
      std::vector<report::Block> made = fill ? fill(passage) : std::vector<report::Block>();
      if (!made.empty()) flush();
      std::move(made.begin(), made.end(), std::back_inserter(document.blocks));
      continue;
    }
    std::string line;
    for (const std::string& sentence : passage.sentences) {
      if (sentence.empty()) continue;
      if (!line.empty()) line += ' ';
      line += marked_text(sentence);
    }
    if (line.empty()) continue;
    if (passage.is_heading) {
      flush();
      if (heading_level > 0) {
        document.heading(heading_level, line);
      } else {
        document.paragraph(report::strong(report::unmarked(line)));
      }
    } else if (passage.is_item) {
      items.push_back(std::move(line));
    } else {
      flush();
      document.paragraph(line);
    }
  }
  flush();
  // A heading below which nothing is left says nothing.
  std::vector<report::Block> blocks;
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const bool is_heading = std::holds_alternative<report::Heading>(document.blocks[i].value);
    const bool is_followed =
        i + 1 < document.blocks.size() && !std::holds_alternative<report::Heading>(document.blocks[i + 1].value);
    if (!is_heading || is_followed) blocks.push_back(std::move(document.blocks[i]));
  }
  return blocks;
}

std::map<std::size_t, std::string> numbered_lines(std::string_view text) {
  std::map<std::size_t, std::string> lines;
  std::string* open = nullptr;  // what a list may follow
  for (const std::string_view whole : split_lines(text)) {
    const std::string_view line = trim(whole);
    if (open != nullptr && (line.starts_with("- ") || line.starts_with("* "))) {
      *open += fmt::format("\n- {}", line.substr(2));
      continue;
    }
    if (!line.empty()) open = nullptr;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc{} || end == line.data() + line.size() || (*end != '.' && *end != ')' && *end != ':'))
      continue;
    const std::string_view rest = trim(line.substr(static_cast<std::size_t>(end - line.data()) + 1));
    if (rest.empty()) continue;
    const auto [at, is_new] = lines.emplace(number, std::string(rest));
    if (is_new && rest.ends_with(':')) open = &at->second;
  }
  return lines;
}

std::multimap<std::size_t, std::string> further_lines(std::string_view text) {
  std::multimap<std::size_t, std::string> lines;
  for (const std::string_view whole : split_lines(text)) {
    const std::string_view line = trim(whole);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc{} || end == line.data() + line.size() || *end != '+') continue;
    std::string_view rest = trim(line.substr(static_cast<std::size_t>(end - line.data()) + 1));
    if (rest.starts_with('.') || rest.starts_with(':')) rest = trim(rest.substr(1));
    if (!rest.empty()) lines.emplace(number, std::string(rest));
  }
  return lines;
}

}  // namespace lockstep::writer
