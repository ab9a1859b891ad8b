#include "writer/sentence_parts.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace lockstep::writer::internal {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// Reads a sentence that begins on `line`; its lines are joined with "\n".
Sentence parse(std::string_view sentence, std::uint32_t line) {
  Sentence result;
  result.raw = single_spaced(sentence);
  Spans& spans = result.spans;
  spans.text.emplace_back();
  result.lines.push_back(line);
  const auto plain = [&](std::string_view text) {
    line += static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    return replace_all(text, "\n", " ");
  };
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t end = sentence[at] == '`' ? std::min(sentence.find_first_not_of('`', at), sentence.size()) : at;
    const std::string_view run = sentence.substr(at, end - at);
    const std::size_t close = run.empty() ? std::string_view::npos : sentence.find(run, end);
    if (close == std::string_view::npos) {
      spans.text.back() += plain(sentence.substr(at++, 1));
      continue;
    }
    spans.code.emplace_back(trim(plain(sentence.substr(end, close - end))));
    spans.text.emplace_back();
    result.lines.push_back(line);
    at = close + run.size();
  }
  return result;
}

// "- x", "* x", "1. x": how long what marks the item is; 0 for other lines.
std::size_t item_mark(std::string_view text) {
  if (text.starts_with("- ") || text.starts_with("* ") || text.starts_with("+ ")) return 2;
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  const bool is_numbered = digits > 0 && digits < 4 && digits + 1 < text.size() &&
                           (text[digits] == '.' || text[digits] == ')') && text[digits + 1] == ' ';
  return is_numbered ? digits + 2 : 0;
}

// Where the sentence that starts at `at` ends, code apart.
std::size_t sentence_end(std::string_view text, std::size_t at) {
  bool is_code = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '`') is_code = !is_code;
    if (is_code || (text[at] != '.' && text[at] != '!' && text[at] != '?')) continue;
    const std::size_t next = text.find_first_not_of(" \n*_", at + 1);
    if (next == std::string_view::npos) return text.size();
    const bool is_apart = at + 1 < text.size() && (text[at + 1] == ' ' || text[at + 1] == '\n' || text[at + 1] == '*');
    const char c = text[next];
    const bool is_abbreviation =
        at > 0 && (text.substr(0, at + 1).ends_with("e.g.") || text.substr(0, at + 1).ends_with("i.e."));
    if (is_apart && !is_abbreviation &&
        (c == '`' || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80 || is_digit(c)))
      return at + 1;
  }
  return text.size();
}

void add_block(std::string_view block, std::uint32_t line, std::vector<Sentence>& out) {
  for (std::size_t at = 0; at < block.size();) {
    const std::size_t end = sentence_end(block, at);
    out.push_back(parse(block.substr(at, end - at), line));
    line += static_cast<std::uint32_t>(std::count(block.begin() + static_cast<std::ptrdiff_t>(at),
                                                  block.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at = end;
  }
}

void add_row(std::string_view row, std::uint32_t line, std::vector<Sentence>& out) {
  const std::size_t first = out.size();
  bool is_code = false;
  std::string cell;
  for (std::size_t at = 0; at <= row.size(); ++at) {
    const bool is_end = at == row.size() || (row[at] == '|' && !is_code && (at == 0 || row[at - 1] != '\\'));
    if (!is_end) {
      if (row[at] == '`') is_code = !is_code;
      cell += row[at];
      continue;
    }
    if (!trim(cell).empty()) out.push_back(parse(trim(cell), line));
    cell.clear();
  }
  for (std::size_t i = first; i < out.size(); ++i) {
    out[i].is_cell = true;
    out[i].starts_cell = i + 1 < out.size();
  }
}

bool is_place_text(std::string_view inside) {
  inside = trim(inside);
  if (inside.empty() || inside.find_first_of("0123456789") == std::string_view::npos) return false;
  const std::string bare = replace_all(replace_all(inside, "–", "-"), "lines ", "");
  if (replace_all(bare, "line ", "").find_first_not_of("0123456789, -:") == std::string::npos) return true;
  const std::vector<CitedPlace> places = places_in(inside);
  return places.size() == 1 && has_file_ending(places[0].path) && inside.find(' ') == std::string_view::npos;
}

// Without "(885-887)" and "(a.py:3)".
std::string without_bare_places(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('(', at);
    const std::size_t close = open == std::string_view::npos ? open : text.find(')', open);
    if (close == std::string_view::npos) return out += text.substr(at);
    if (is_place_text(text.substr(open + 1, close - open - 1))) {
      out += trim(text.substr(at, open - at)).empty() ? std::string_view(" ") : text.substr(at, open - at);
    } else {
      out += text.substr(at, close + 1 - at);
    }
    at = close + 1;
  }
  return out;
}

bool ends_in(std::string_view text, std::string_view word) {
  return text == word || text.ends_with(" " + std::string(word));
}

// What a name belongs to when these stand before it is another thing: "a subclass of `f` calls `g`".
bool is_part_of_other(std::string_view lead) {
  static constexpr std::array<std::string_view, 17> kWords = {"of",   "by", "to",   "for",    "with",  "than",
                                                              "like", "or", "from", "as",     "not",   "after",
                                                              "in",   "on", "into", "before", "inside"};
  const std::string lower = to_lower(trim(lead));
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return ends_in(lower, word); }) ||
         lower.ends_with('-') || lower.ends_with('/');
}

// "`g`'s helper", "`g`-like": another thing than g.
bool goes_on(std::string_view behind) {
  return !behind.empty() && (behind[0] == '\'' || behind[0] == '-' || behind[0] == '/' || behind.starts_with("’") ||
                             (is_letter(behind[0]) && static_cast<unsigned char>(behind[0]) < 0x80));
}

}  // namespace

Spans spans_of(std::string_view sentence) { return parse(sentence, 0).spans; }

std::vector<Sentence> sentences_of(const Section& section) {
  std::vector<Sentence> all;
  if (section.has_heading) {
    Sentence heading;
    for (const CodeSpan& span : section.spans) {
      if (span.line != section.line) continue;
      heading.spans.text.push_back(span.lead);
      heading.spans.code.push_back(span.text);
      heading.lines.push_back(span.line);
      heading.raw += span.lead + span.text;
    }
    heading.spans.text.emplace_back();
    heading.lines.push_back(section.line);
    if (!heading.spans.code.empty()) all.push_back(std::move(heading));
  }
  std::string block;
  std::uint32_t first = 0, next = 0;
  const auto close = [&] {
    if (!block.empty()) add_block(block, first, all);
    block.clear();
  };
  for (const TextLine& line : section.text) {
    std::string_view text = trim(line.text);
    if (line.line != next) close();
    next = line.line + 1;
    const bool is_row = text.starts_with('|');
    if (text.empty() || is_row || text.starts_with('>') || text.starts_with("<!--")) {
      close();
      if (is_row) add_row(text, line.line, all);
      continue;
    }
    if (const std::size_t mark = item_mark(text); mark > 0) {
      close();
      text.remove_prefix(mark);
    }
    if (block.empty()) first = line.line;
    if (!block.empty()) block += '\n';
    block += text;
  }
  close();
  for (Sentence& one : all) {
    for (std::string& text : one.spans.text) text = replace_all(text, "*", "");
  }
  return all;
}

std::string words_of(const Spans& spans) { return join(spans.text, " "); }

Sentence without_places(const Sentence& sentence) {
  Sentence out = sentence;
  Spans& spans = out.spans;
  for (std::size_t i = 0; i < spans.code.size();) {
    const std::string_view before = trim(spans.text[i]);
    const std::size_t close = spans.text[i + 1].find(')');
    const bool is_last = close != std::string::npos && spans.text[i + 1].find('(') > close;
    const bool is_one_of = trim(spans.text[i + 1]) == "," || trim(spans.text[i + 1]) == "and";
    const bool opens = i > 0 && before.starts_with('(') && before.find(')') == std::string_view::npos;
    if (!opens || !place_of_text(spans.code[i]) || !(is_last || is_one_of)) {
      ++i;
      continue;
    }
    spans.text[i] = is_last ? spans.text[i + 1].substr(close + 1) : " (";
    spans.text.erase(spans.text.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    spans.code.erase(spans.code.begin() + static_cast<std::ptrdiff_t>(i));
    out.lines.erase(out.lines.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  for (std::string& text : spans.text) text = without_bare_places(text);
  return out;
}

Relation relation_in(std::string_view between) {
  static constexpr std::array<std::string_view, 24> kFillers = {
      "then",   "also",     "now", "directly", "only", "still", "first", "which",  "that",  "the",  "a",   "an",
      "method", "function", "it",  "in",       "turn", "and",   "once",  "always", "again", "just", "its", "helper"};
  std::vector<std::string> words;
  for (const std::string_view word : split(between, ' ')) {
    const std::string lower = to_lower(trim(word));
    if (lower.empty() || std::find(kFillers.begin(), kFillers.end(), lower) != kFillers.end()) continue;
    words.push_back(lower);
  }
  const std::string text = join(words, " ");
  if (text == "calls" || text == "invokes" || text == "call" || text == "calls into") return Relation::kCalls;
  if (text == "is called by" || text == "called by" || text == "is called from" || text == "called from" ||
      text == "is invoked by" || text == "invoked by" || text == "is called inside" ||
      ((text == "is called" || text == ", called by" || text == "called") && trim(between).ends_with(" in")))
    return Relation::kCalledBy;
  if (text == "no longer calls" || text == "does not call" || text == "never calls" || text == "doesn't call")
    return Relation::kCallsNot;
  if (text == "inherits from" || text == "derives from" || text == "extends" || text == "is subclass of" ||
      text == "subclasses")
    return Relation::kDerives;
  if (text == "overrides") return Relation::kOverrides;
  if (text == "issues" || text == "performs" || text == "launches" || text == "runs") return Relation::kIssues;
  return Relation::kNone;
}

std::vector<RelatedNames> related_names(const Spans& spans) {
  std::vector<RelatedNames> all;
  // "`f` calls `a`, `b` and `c`": what goes on with commas says the same of `f`.
  std::string subject;
  Relation going_on = Relation::kNone;
  for (std::size_t i = 0; i + 1 < spans.code.size(); ++i) {
    const std::string& between = spans.text[i + 1];
    const std::string_view behind = spans.text[i + 2];
    RelatedNames one{relation_in(between), name_in(spans.code[i]), name_in(spans.code[i + 1]), {}, i + 1, false};
    const std::string_view joint = trim(between);
    if (joint == "," || joint == "and" || joint == ", and" || joint == "or") {
      one.relation = going_on;
      one.first = subject;
      // "`f` calls `a`, `b` does not": another sentence begins.
      const std::string_view rest = trim(behind);
      if (!(rest.empty() || std::string_view(",.;:)").find(rest[0]) != std::string_view::npos || rest == "and" ||
            rest == "or"))
        one.relation = Relation::kNone;
      if (one.relation == Relation::kNone) going_on = Relation::kNone;
    } else {
      if (is_part_of_other(spans.text[i])) one.relation = Relation::kNone;
      going_on = one.relation == Relation::kCalls || one.relation == Relation::kIssues ? one.relation : Relation::kNone;
      subject = one.first;
    }
    if (one.relation == Relation::kNone || one.first.empty() || one.second.empty() || goes_on(behind)) continue;
    const std::string_view rest = trim(behind);
    one.is_indirect = rest.starts_with("via ") || rest.starts_with("through ") || rest.starts_with("indirectly") ||
                      rest.starts_with("in the end") || rest.starts_with("by way");
    if (one.relation == Relation::kCalledBy) {
      std::swap(one.first, one.second);
      one.relation = Relation::kCalls;
    }
    one.written = fmt::format("`{}`{}`{}`", spans.code[i], between, spans.code[i + 1]);
    all.push_back(std::move(one));
  }
  return all;
}

std::optional<std::size_t> count_in(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kWords = {
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"};
  const std::string lower = to_lower(word);
  if (const auto at = std::find(kWords.begin(), kWords.end(), lower); at != kWords.end())
    return static_cast<std::size_t>(at - kWords.begin());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || word.size() > 6) return std::nullopt;
  return number;
}

}  // namespace lockstep::writer::internal
