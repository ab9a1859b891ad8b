#include "report/language/language.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/strings.h"

namespace lockstep::report {

namespace {

enum class TokenKind : std::uint8_t { kWord, kNumber, kAtom, kMark, kHole };

/// A word, a number, a punctuation mark, or what is not translated: code, places, quotes.
struct Token {
  TokenKind kind = TokenKind::kWord;
  std::string text;
  Inline runs;  ///< Of an atom.
  bool after_space = false;
};
using Tokens = std::vector<Token>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::string_view kOpenQuote = "\u201c";
constexpr std::string_view kCloseQuote = "\u201d";

class Tokenizer {
 public:
  Tokens run(const Inline& text) {
    for (const Run& one : text) {
      if (one.style == Style::kText) {
        add_text(one.text);
      } else if (quote_) {
        tokens_.back().runs.push_back(one);
      } else {
        add({TokenKind::kAtom, "", {one}});
      }
    }
    return std::move(tokens_);
  }

 private:
  void add(Token token) {
    token.after_space = space_;
    space_ = false;
    tokens_.push_back(std::move(token));
  }

  void add_text(std::string_view text) {
    while (!text.empty()) {
      if (quote_) {
        const std::size_t end = text.find(kCloseQuote);
        const std::size_t size = end == std::string_view::npos ? text.size() : end + kCloseQuote.size();
        tokens_.back().runs.push_back({Style::kText, std::string(text.substr(0, size)), {}, {}, {}});
        quote_ = end == std::string_view::npos;
        text.remove_prefix(size);
        continue;
      }
      text.remove_prefix(add_one(text));
    }
  }

  /// Takes one token off the front; gives its size.
  std::size_t add_one(std::string_view text) {
    if (text.front() == ' ') {
      space_ = true;
      return 1;
    }
    if (text.starts_with(kOpenQuote)) {
      add({TokenKind::kAtom, "", {{Style::kText, std::string(kOpenQuote), {}, {}, {}}}});
      quote_ = true;
      return kOpenQuote.size();
    }
    if (text.front() == '{') {
      const std::size_t size = text.find('}') + 1;
      if (size > 0 && size <= 3) {
        add({TokenKind::kHole, std::string(text.substr(0, size)), {}});
        return size;
      }
    }
    std::size_t size = 1;
    const auto word_goes_on = [&] { return is_letter(text[size]) || text[size] == '\'' || text[size] == '-'; };
    const auto number_goes_on = [&] {
      return is_digit(text[size]) || (text[size] == '.' && size + 1 < text.size() && is_digit(text[size + 1]));
    };
    if (is_letter(text.front())) {
      while (size < text.size() && word_goes_on()) ++size;
      add({TokenKind::kWord, std::string(text.substr(0, size)), {}});
    } else if (is_digit(text.front())) {
      while (size < text.size() && number_goes_on()) ++size;
      add({TokenKind::kNumber, std::string(text.substr(0, size)), {}});
    } else {
      while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0u) == 0x80u) ++size;
      add({TokenKind::kMark, std::string(text.substr(0, size)), {}});
    }
    return size;
  }

  Tokens tokens_;
  bool quote_ = false;
  bool space_ = false;
};

Tokens tokens_of(std::string_view text) { return Tokenizer().run({{Style::kText, std::string(text), {}, {}, {}}}); }

std::string lower_first(std::string text) {
  if (!text.empty() && text.front() >= 'A' && text.front() <= 'Z')
    text.front() = static_cast<char>(text.front() - 'A' + 'a');
  return text;
}

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Template {
  Tokens english;
  Tokens text;
};

class Catalogue {
 public:
  explicit Catalogue(std::span<const Sentence> sentences) {
    for (const Sentence& one : sentences) {
      Template entry{tokens_of(one.english), tokens_of(one.text)};
      if (entry.english.empty()) continue;
      const Token& first = entry.english.front();
      const bool starts_open = first.kind == TokenKind::kHole;
      by_first_[starts_open ? std::string() : lower_first(first.text)].push_back(std::move(entry));
    }
    // Of several that match the one with the most fixed words says most.
    const auto fixed = [](const Template& one) {
      return std::count_if(one.english.begin(), one.english.end(),
                           [](const Token& token) { return token.kind != TokenKind::kHole; });
    };
    for (auto& [first, entries] : by_first_)
      std::stable_sort(entries.begin(), entries.end(),
                       [&](const Template& a, const Template& b) { return fixed(a) > fixed(b); });
  }

  [[nodiscard]] const std::vector<Template>& starting(const std::string& word) const {
    static const std::vector<Template> kNone;
    const auto found = by_first_.find(word);
    return found == by_first_.end() ? kNone : found->second;
  }

 private:
  std::map<std::string, std::vector<Template>> by_first_;
};

/// One line of text against the catalogue.
class Translator {
 public:
  Translator(const Catalogue& catalogue, Tokens tokens) : catalogue_(catalogue), tokens_(std::move(tokens)) {}

  Inline run() {
    Range all{0, tokens_.size()};
    if (tokens_.empty()) return {};
    // "4.1 Entry Point", "1. TL;DR": the number stays.
    if (tokens_[0].kind == TokenKind::kNumber && tokens_.size() > 1) {
      std::size_t size = tokens_[1].text == "." ? 2 : 1;
      if (size < tokens_.size() && tokens_[size].kind == TokenKind::kWord && matched({size, tokens_.size()})) {
        copy({0, size});
        out_.push_back({Style::kText, " ", {}, {}, {}});
        all.begin = size;
      }
    }
    translate(all, 0);
    return std::move(out_);
  }

 private:
  static constexpr int kMostDepth = 20;
  static constexpr int kMostSteps = 200'000;  ///< Of one line: long ones stay English rather than cost seconds.

  void put(std::string_view text) {
    if (!text.empty()) out_.push_back({Style::kText, std::string(text), {}, {}, {}});
  }

  void copy(Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Token& token = tokens_[i];
      if (token.after_space && i > range.begin) put(" ");
      if (token.kind == TokenKind::kAtom) {
        out_.insert(out_.end(), token.runs.begin(), token.runs.end());
      } else {
        put(token.text);
      }
    }
  }

  [[nodiscard]] bool is_mark(std::size_t i, std::string_view text) const {
    return tokens_[i].kind == TokenKind::kMark && tokens_[i].text == text;
  }

  /// Whole, else sentence by sentence, else part by part, else as it is.
  void translate(Range range, int depth) {
    if (range.begin >= range.end) return;
    if (depth > kMostDepth || steps_ > kMostSteps) return copy(range);
    if (with_template(range, depth)) return;
    if (labelled(range, depth)) return;
    // The larger the part the more a template says: sentences before clauses.
    if (split(range, depth, {".", "?", "|"})) return;
    if (split(range, depth, {";"})) return;
    if (split(range, depth, {":", "\u2014", "\u2192"})) return;
    if (split(range, depth, {","})) return;
    if (bracketed(range, depth)) return;
    copy(range);
  }

  [[nodiscard]] static std::string_view mark_of(std::string_view mark) {
    if (mark == ".") return "\u3002";
    if (mark == ";") return "\uff1b";
    if (mark == ":") return "\uff1a";
    if (mark == "?") return "\uff1f";
    if (mark == ",") return "\uff0c";
    if (mark == "\u2014") return " \u2014 ";
    if (mark == "\u2192") return " \u2192 ";
    return mark;
  }

  /// "**Label:** sentence" and "“A quoted sentence.” Sentence": what follows stands for itself.
  bool labelled(Range range, int depth) {
    if (range.end - range.begin < 2 || tokens_[range.begin].kind != TokenKind::kAtom) return false;
    const Token& next = tokens_[range.begin + 1];
    const Inline& runs = tokens_[range.begin].runs;
    const std::string& text = runs.back().text;
    const bool is_label = runs.size() == 1 && runs.back().style == Style::kStrong;
    const bool is_sentence = text.ends_with(".\u201d") || text.ends_with("?\u201d") || text.ends_with("!\u201d");
    const bool starts_anew = next.kind == TokenKind::kNumber ||
                             (next.kind == TokenKind::kWord && next.text.front() >= 'A' && next.text.front() <= 'Z');
    if (!next.after_space || !(is_label || (is_sentence && starts_anew))) return false;
    copy({range.begin, range.begin + 1});
    put(" ");
    translate({range.begin + 1, range.end}, depth + 1);
    return true;
  }

  /// Cuts at these marks outside brackets.
  bool split(Range range, int depth, std::initializer_list<std::string_view> marks) {
    std::vector<std::size_t> cuts;
    int level = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (is_mark(i, "(")) ++level;
      if (is_mark(i, ")")) --level;
      if (level != 0 || tokens_[i].kind != TokenKind::kMark) continue;
      const bool ends = i + 1 == range.end || tokens_[i + 1].after_space;
      if (ends && std::find(marks.begin(), marks.end(), tokens_[i].text) != marks.end()) cuts.push_back(i);
    }
    if (cuts.empty()) return false;
    std::size_t begin = range.begin;
    for (const std::size_t cut : cuts) {
      translate({begin, cut}, depth + 1);
      put(mark_of(tokens_[cut].text));
      begin = cut + 1;
    }
    translate({begin, range.end}, depth + 1);
    return true;
  }

  /// "clause (more)": both parts for themselves.
  bool bracketed(Range range, int depth) {
    std::size_t open = range.begin;
    while (open < range.end && !is_mark(open, "(")) ++open;
    const std::size_t close = closing(open, range.end);
    if (close == range.end) return false;
    translate({range.begin, open}, depth + 1);
    put("\uff08");
    translate({open + 1, close}, depth + 1);
    put("\uff09");
    translate({close + 1, range.end}, depth + 1);
    return true;
  }

  [[nodiscard]] std::size_t closing(std::size_t open, std::size_t end) const {
    int level = 0;
    for (std::size_t i = open; i < end; ++i) {
      if (is_mark(i, "(")) ++level;
      if (is_mark(i, ")") && --level == 0) return i;
    }
    return end;
  }

  [[nodiscard]] bool matched(Range range) { return find(range).has_value(); }

  struct Match {
    const Template* entry;
    std::vector<Range> holes;
  };

  std::optional<Match> find(Range range) {
    const Token& first = tokens_[range.begin];
    const std::string word =
        first.kind == TokenKind::kAtom || first.kind == TokenKind::kNumber ? "" : lower_first(first.text);
    for (const std::string& key : word.empty() ? std::vector<std::string>{""} : std::vector<std::string>{word, ""}) {
      for (const Template& entry : catalogue_.starting(key)) {
        Match match{&entry, {}};
        if (matches(entry.english, 0, range.begin, range.end, match.holes)) return match;
      }
    }
    return std::nullopt;
  }

  bool with_template(Range range, int depth) {
    const std::optional<Match> match = find(range);
    if (!match) return false;
    for (const Token& token : match->entry->text) {
      if (token.after_space) put(" ");
      if (token.kind != TokenKind::kHole) {
        put(token.text);
        continue;
      }
      const std::size_t index = static_cast<std::size_t>(token.text[1] - '1');
      if (index < match->holes.size()) fill(match->holes[index], depth);
    }
    return true;
  }

  /// A hole's content: pieces or words joined by "," and "and", or a clause.
  void fill(Range range, int depth) {
    const bool are_words = is_word_list(range) && !matched(range);
    if (!are_words && items_end(range.begin, range.end, true) != range.end) return translate(range, depth + 1);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (is_mark(i, "(")) {
        const std::size_t close = closing(i, range.end);
        put("\uff08");
        translate({i + 1, close}, depth + 1);
        put("\uff09");
        i = close;
      } else if (is_mark(i, ",")) {
        put("\u3001");
      } else if (tokens_[i].text == "and" || tokens_[i].text == "or") {
        put(tokens_[i].text == "and" ? " \u548c " : " \u6216 ");
      } else if (are_words) {
        translate({i, i + 1}, depth + 1);
      } else {
        copy({i, i + 1});
      }
    }
  }

  /// Past one atom and the brackets after it; `begin` where there is none.
  [[nodiscard]] std::size_t item_end(std::size_t begin, std::size_t end) const {
    if (begin >= end || tokens_[begin].kind != TokenKind::kAtom) return begin;
    if (begin + 1 < end && is_mark(begin + 1, "(")) {
      const std::size_t close = closing(begin + 1, end);
      if (close < end) return close + 1;
    }
    return begin + 1;
  }

  [[nodiscard]] std::size_t items_end(std::size_t begin, std::size_t end, bool many) const {
    std::size_t at = item_end(begin, end);
    while (many && at > begin && at < end) {
      std::size_t next = at;
      if (is_mark(next, ",")) ++next;
      if (next < end && (tokens_[next].text == "and" || tokens_[next].text == "or")) ++next;
      const std::size_t after = next > at ? item_end(next, end) : next;
      if (after == next) break;
      at = after;
    }
    return at;
  }

  [[nodiscard]] bool is_mark_at(std::size_t i, std::size_t end, std::string_view text) const {
    return i < end && is_mark(i, text);
  }
  [[nodiscard]] bool is_word(std::size_t i, std::size_t end, std::string_view text = {}) const {
    return i < end && tokens_[i].kind == TokenKind::kWord && (text.empty() || tokens_[i].text == text);
  }

  /// Past "a", "a and b" and "a, b and c" of words; `begin` where there is no word. Where more words follow without an
  /// "and" or "on" between, what stands after the "and" is no item but a clause: "pods and keeps the result".
  [[nodiscard]] std::size_t word_list_end(std::size_t begin, std::size_t end) const {
    if (!is_word(begin, end)) return begin;
    std::size_t at = begin + 1;
    while (is_mark_at(at, end, ",") && is_word(at + 1, end)) at += 2;
    const std::size_t past = at + 2;
    const bool has_last = is_word(at, end, "and") && is_word(at + 1, end) &&
                          (!is_word(past, end) || is_word(past, end, "and") || is_word(past, end, "on"));
    return has_last ? past : begin + 1;
  }

  /// "dp and cp", "dp, cp and ep"
  [[nodiscard]] bool is_word_list(Range range) const {
    return range.end > range.begin + 1 && word_list_end(range.begin, range.end) == range.end;
  }

  /// Past the group of ranks that starts at `begin`: "all ranks", "group over dp and cp", "tensor-parallel group (tp)",
  /// "the group passed as `g`", "`g`"; `begin` where there is none.
  [[nodiscard]] std::size_t group_end(std::size_t begin, std::size_t end) const {
    const auto past = [&](std::initializer_list<std::string_view> words) {
      std::size_t at = begin;
      for (const std::string_view word : words) {
        if (!is_word(at, end, word)) return begin;
        ++at;
      }
      return at;
    };
    if (begin < end && tokens_[begin].kind == TokenKind::kAtom) return begin + 1;
    if (const std::size_t at = past({"all", "ranks"}); at > begin) return at;
    if (const std::size_t at = past({"the", "group", "passed", "as"}); at > begin) {
      if (at >= end || tokens_[at].kind != TokenKind::kAtom) return begin;
      // "…, by default all ranks"
      const std::size_t other = at + 4;
      const bool has_default =
          is_mark_at(at + 1, end, ",") && is_word(at + 2, end, "by") && is_word(at + 3, end, "default");
      const std::size_t past_default = has_default ? group_end(other, end) : other;
      return past_default > other ? past_default : at + 1;
    }
    if (const std::size_t at = past({"group", "over"}); at > begin) {
      const std::size_t list = word_list_end(at, end);
      return list > at ? list : begin;
    }
    const bool is_named = is_word(begin, end) && is_word(begin + 1, end, "group") && is_mark_at(begin + 2, end, "(") &&
                          is_word(begin + 3, end) && is_mark_at(begin + 4, end, ")");
    return is_named ? begin + 5 : begin;
  }

  /// Where the clause that starts at `begin` ends at the latest.
  [[nodiscard]] std::size_t clause_end(std::size_t begin, std::size_t end) const {
    int level = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (is_mark(i, "(")) ++level;
      if (is_mark(i, ")")) --level;
      const bool ends = is_mark(i, ".") || is_mark(i, ";") || is_mark(i, ":") || is_mark(i, "?");
      if (level == 0 && ends && (i + 1 == end || tokens_[i + 1].after_space)) return i;
    }
    return end;
  }

  bool matches(const Tokens& pattern, std::size_t i, std::size_t at, std::size_t end, std::vector<Range>& holes) {
    if (++steps_ > kMostSteps) return false;
    if (i == pattern.size()) return at == end;
    if (at == end) return false;
    const Token& expected = pattern[i];
    if (expected.kind != TokenKind::kHole) {
      const Token& token = tokens_[at];
      const bool same =
          token.kind != TokenKind::kAtom &&
          (token.text == expected.text || (i == 0 && lower_first(token.text) == lower_first(expected.text)));
      return same && matches(pattern, i + 1, at + 1, end, holes);
    }
    const auto take = [&](std::size_t stop) {
      holes.push_back({at, stop});
      if (matches(pattern, i + 1, stop, end, holes)) return true;
      holes.pop_back();
      return false;
    };
    if (expected.text == "{n}") return tokens_[at].kind == TokenKind::kNumber && take(at + 1);
    if (expected.text == "{g}") {
      const std::size_t stop = group_end(at, end);
      return stop > at && take(stop);
    }
    if (expected.text == "{c}") {
      for (std::size_t stop = clause_end(at, end); stop > at; --stop) {
        if (take(stop)) return true;
      }
      return false;
    }
    const std::size_t longest = items_end(at, end, expected.text == "{l}");
    if (longest == at) return false;
    return take(longest) || (longest > at + 1 && take(at + 1));
  }

  const Catalogue& catalogue_;
  const Tokens tokens_;
  Inline out_;
  int steps_ = 0;
};

const Catalogue& chinese() {
  static const Catalogue kCatalogue(catalogue_zh());
  return kCatalogue;
}

std::string marked(const Inline& runs) {
  std::string out;
  for (const Run& run : runs) {
    switch (run.style) {
      case Style::kText:
        out += plain(run.text);
        break;
      case Style::kCode:
        out += code(run.text);
        break;
      case Style::kEmphasis:
        out += emphasis(run.text);
        break;
      case Style::kStrong:
        out += strong(run.text);
        break;
      case Style::kLink:
        out += link(run.text, run.target);
        break;
      case Style::kReference:
        out += reference(run.text);
        break;
      case Style::kPlace:
        out += !run.line       ? place(run.text)
               : run.last_line ? place(run.text, *run.line, *run.last_line)
                               : place(run.text, *run.line);
        break;
    }
  }
  return out;
}

void translate(Inline& text) {
  for (Run& run : text) {
    if (run.style != Style::kStrong) continue;
    Inline inner = Translator(chinese(), tokens_of(run.text)).run();
    run.text.clear();
    for (const Run& one : inner) run.text += one.text;
  }
  text = Translator(chinese(), Tokenizer().run(text)).run();
}

void translate(std::string& caption) {
  Inline text = prose(caption);
  translate(text);
  caption = marked(text);
}

void translate(std::vector<Block>& blocks) {
  for (Block& block : blocks) {
    if (auto* heading = std::get_if<Heading>(&block.value)) translate(heading->text);
    if (auto* paragraph = std::get_if<Paragraph>(&block.value)) translate(paragraph->text);
    if (auto* list = std::get_if<List>(&block.value)) {
      for (ListItem& item : list->items) {
        translate(item.text);
        translate(item.children);
      }
    }
    if (auto* table = std::get_if<Table>(&block.value)) {
      for (Inline& cell : table->header) translate(cell);
      for (auto& row : table->rows) {
        for (Inline& cell : row) translate(cell);
      }
    }
    if (auto* code_block = std::get_if<CodeBlock>(&block.value)) translate(code_block->caption);
    if (auto* diagram = std::get_if<DiagramBlock>(&block.value)) translate(diagram->caption);
    if (auto* details = std::get_if<Details>(&block.value)) {
      translate(details->summary);
      translate(details->blocks);
    }
    // Quotes are the author's own words.
  }
}

}  // namespace

std::string_view language_of(std::string_view text) {
  std::size_t han = 0;
  std::size_t words = 0;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    words += is_letter(text[i]) && !in_word ? 1u : 0u;
    in_word = is_letter(text[i]);
    if (c < 0xe3 || c > 0xe9 || i + 2 >= text.size()) continue;
    // U+3400 to U+9FFF in UTF-8. A word of Chinese has two of them about.
    const unsigned value = (c & 0x0fu) << 12 | (static_cast<unsigned char>(text[i + 1]) & 0x3fu) << 6;
    han += value >= 0x3400 && value <= 0x9fc0 ? 1u : 0u;
    i += 2;
  }
  return han > 1 && han >= words ? "zh" : "en";
}

Inline in_language(const Inline& text, std::string_view language) {
  Inline out = text;
  if (language == "zh") translate(out);
  return out;
}

Document in_language(Document document, std::string_view language) {
  if (language != "zh") return document;
  // Of the title only our own words: what the author wrote is in its own language.
  constexpr std::string_view kDive = "Deep dive: ";
  if (!document.title.empty() && document.title.front().text.starts_with(kDive))
    document.title.front().text.replace(0, kDive.size(), "\u6df1\u5165\u89e3\u6790\uff1a");
  translate(document.blocks);
  return document;
}

}  // namespace lockstep::report
