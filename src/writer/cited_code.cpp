// Code as it is quoted: parts of lines, several lines as one, with other blanks, quotes and line ends.
#include <algorithm>

#include "base/strings.h"
#include "writer/cited_sides.h"

namespace lockstep::writer {

namespace {

// Parts that an ellipsis separates stand at most this many lines from each other.
constexpr std::size_t kMostBetween = 200;
constexpr std::size_t kMostStarts = 2000;  // places of one part that are tried

bool is_word_character(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// One line of code made plain behind `out`: blanks only between words, one kind of quotes, no comma before a bracket
// that closes, no comment.
void add_plain(std::string_view line, std::string& out) {
  line = trim(line);
  if (line.starts_with('#')) return;
  if (const std::size_t comment = line.find(" # "); comment != std::string_view::npos) line = line.substr(0, comment);
  bool is_apart = true;
  for (const char c : line) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\\') {
      is_apart = true;
      continue;
    }
    if (is_apart && !out.empty() && is_word_character(out.back()) && is_word_character(c)) out += ' ';
    if ((c == ')' || c == ']' || c == '}') && out.ends_with(',')) out.pop_back();
    out += c == '\'' ? '"' : c;
    is_apart = false;
  }
}

std::vector<std::string> plain_parts(std::string_view shown) {
  const std::string one_kind = replace_all(shown, "…", "...");
  std::vector<std::string> parts;
  std::string_view rest = one_kind;
  while (true) {
    const std::size_t at = rest.find("...");
    std::string plain;
    for (const std::string_view line : split_lines(rest.substr(0, at))) add_plain(line, plain);
    // Brackets that close behind an ellipsis need not follow each other.
    const bool only_closes = !parts.empty() && plain.find_first_not_of(")]},") == std::string::npos;
    if (!plain.empty() && !only_closes) parts.push_back(std::move(plain));
    if (at == std::string_view::npos) return parts;
    rest.remove_prefix(at + 3);
    while (rest.starts_with('.')) rest.remove_prefix(1);
  }
}

// Where `part` stands in [at, end) with whole words at both ends.
std::size_t find_part(std::string_view code, std::string_view part, std::size_t at, std::size_t end) {
  for (std::size_t tries = 0; tries < kMostStarts; ++tries, ++at) {
    at = code.find(part, at);
    if (at == std::string_view::npos || at + part.size() > end) return std::string_view::npos;
    const bool cuts_front = at > 0 && is_word_character(part.front()) && is_word_character(code[at - 1]);
    const std::size_t behind = at + part.size();
    const bool is_number = part.back() >= '0' && part.back() <= '9';
    const bool cuts_back = behind < code.size() && is_word_character(part.back()) &&
                           (is_word_character(code[behind]) || (is_number && code[behind] == '.'));
    if (!cuts_front && !cuts_back) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<std::size_t> CitedFile::find_code(std::string_view shown, std::size_t first, std::size_t end,
                                                bool whole_lines) const {
  if (code_starts_.empty()) {
    for (const std::string& line : lines_) {
      code_starts_.push_back(code_.size());
      add_plain(line, code_);
    }
    code_starts_.push_back(code_.size());
  }
  const std::vector<std::string> parts = plain_parts(shown);
  end = std::min(end, lines_.size());
  if (parts.empty() || first >= end) return std::nullopt;
  const std::size_t stop = code_starts_[end];
  const auto is_line_end = [&](std::size_t at) {
    return std::binary_search(code_starts_.begin(), code_starts_.end(), at);
  };
  std::size_t from = code_starts_[first];
  for (std::size_t tries = 0; tries < kMostStarts; ++tries) {
    const std::size_t start = find_part(code_, parts[0], from, stop);
    if (start == std::string_view::npos) return std::nullopt;
    const auto line = static_cast<std::size_t>(std::upper_bound(code_starts_.begin(), code_starts_.end() - 1, start) -
                                               code_starts_.begin() - 1);
    const std::size_t reach = std::min(stop, code_starts_[std::min(line + kMostBetween, end)]);
    std::size_t at = start + parts[0].size();
    // The blank between two words belongs to neither line.
    bool holds = !whole_lines || is_line_end(start) || (start > 0 && code_[start - 1] == ' ' && is_line_end(start - 1));
    for (std::size_t i = 1; holds && i < parts.size(); ++i) {
      at = find_part(code_, parts[i], at, reach);
      holds = at != std::string_view::npos;
      if (holds) at += parts[i].size();
    }
    if (holds && (!whole_lines || is_line_end(at))) return line;
    from = start + 1;
  }
  return std::nullopt;
}

std::optional<std::size_t> CitedFile::most_like(std::string_view shown, std::size_t first, std::size_t end) const {
  const std::string wanted = single_spaced(shown);
  const std::size_t limit = wanted.size() / 3;
  std::size_t best = limit + 1;
  std::optional<std::size_t> found;
  for (std::size_t i = first; i < end && i < lines_.size(); ++i) {
    const std::string line = single_spaced(lines_[i]);
    const std::size_t difference =
        line.size() > wanted.size() ? line.size() - wanted.size() : wanted.size() - line.size();
    if (line.empty() || difference >= best) continue;
    const std::size_t distance = edit_distance(wanted, line, limit);
    if (distance >= best) continue;
    best = distance;
    found = i;
  }
  return found;
}

}  // namespace lockstep::writer
