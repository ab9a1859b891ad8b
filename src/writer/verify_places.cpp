// Places as running text names them, with line numbers in words and in links; paths without code marks; what a text
// says it proposes instead of quoting.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/strings.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

constexpr std::array<std::string_view, 46> kProposal = {
    "replace",    "replaces", "instead",      "should",   "would",       "could",         "suggest",   "suggests",
    "suggested",  "propose",  "proposed",     "proposal", "fix",         "fixed",         "rewrite",   "rewritten",
    "example",    "consider", "prefer",       "better",   "becomes",     "become",        "simplify",  "sketch",
    "like",       "pseudo",   "pseudocode",   "usage",    "alternative", "alternatively", "recommend", "recommended",
    "equivalent", "imagine",  "might",        "must",     "try",         "prints",        "output",    "reproduce",
    "reproduces", "repro",    "hypothetical", "expected", "wanted",      "invoke"};
// Endings of files whose paths are held where running text names them.
constexpr std::array<std::string_view, 9> kCode = {".py", ".pyi", ".cu", ".cuh", ".cpp", ".cc", ".h", ".hpp", ".sh"};
constexpr std::array<std::string_view, 4> kYetToBe = {"new", "add", "create", "missing"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_part_of_path(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-' ||
         c == '/' || static_cast<unsigned char>(c) >= 0x80;
}

bool has_code_ending(std::string_view path) {
  return std::any_of(kCode.begin(), kCode.end(), [&](std::string_view ending) { return path.ends_with(ending); });
}

// "a/b.py" at the end of "see `a/b.py`, "; empty where none stands there.
std::string_view path_before(std::string_view text) {
  while (true) {
    const std::size_t size = text.size();
    while (!text.empty() && std::string_view(" ,(:`*\"").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    for (const std::string_view word : {" at", " on", " in", "`at", "`on", "`in"}) {
      if (text.ends_with(word)) text.remove_suffix(2);
    }
    if (text.size() == size) break;
  }
  std::size_t start = text.size();
  while (start > 0 && is_part_of_path(text[start - 1])) --start;
  const std::string_view path = text.substr(start);
  return has_file_ending(path) && (start == 0 || text[start - 1] != ':') ? path : std::string_view();
}

// "a/b.py" behind "line 3" in "line 3 of `a/b.py`".
std::string_view path_behind(std::string_view text) {
  if (!text.starts_with(" of ") && !text.starts_with(" in ")) return {};
  text.remove_prefix(4);
  while (!text.empty() && std::string_view("`*\" ").find(text[0]) != std::string_view::npos) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && is_part_of_path(text[end])) ++end;
  std::string_view path = text.substr(0, end);
  while (path.ends_with('.')) path.remove_suffix(1);
  return has_file_ending(path) && !text.substr(path.size()).starts_with(':') ? path : std::string_view();
}

std::uint32_t number_at(std::string_view text, std::size_t& at) {
  std::uint32_t number = 0;
  for (std::size_t digits = 0; at < text.size() && is_digit(text[at]) && digits < 9; ++at, ++digits)
    number = number * 10 + static_cast<std::uint32_t>(text[at] - '0');
  return number;
}

// Calls `visit(path, start, end)` for each run of characters of paths, without full stops at its end.
void for_each_path_like(std::string_view text, const auto& visit) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_part_of_path(text[at])) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < text.size() && is_part_of_path(text[at])) ++at;
    std::string_view path = text.substr(start, at - start);
    while (path.ends_with('.')) path.remove_suffix(1);
    visit(path, start, at);
  }
}

// The one file that a text names, with its path; empty where it names none or several.
std::string only_path_in(std::string_view text) {
  std::set<std::string_view> found;
  for_each_path_like(text, [&](std::string_view path, std::size_t, std::size_t) {
    if (has_code_ending(path)) found.insert(path);
  });
  return found.size() == 1 ? std::string(*found.begin()) : std::string();
}

bool has_word_of(std::string_view text, const auto& words) {
  bool found = false;
  const std::string lower = to_lower(text);
  for_each_word(lower, [&](std::string_view word, std::size_t) {
    found = found || std::find(words.begin(), words.end(), word) != words.end();
  });
  return found;
}

}  // namespace

bool speaks_of_proposal(std::string_view text) {
  return has_word_of(text, kProposal) || trim(text).ends_with("with:") || trim(text).ends_with("to:");
}

std::vector<CitedPlace> worded_places(std::string_view raw) {
  std::vector<CitedPlace> places;
  const std::string lower = to_lower(raw);
  if (lower.size() != raw.size()) return places;
  for (std::size_t at = 0; (at = lower.find("line", at)) != std::string::npos;) {
    const std::size_t word = at;
    at += 4;
    if (word > 0 && is_part_of_path(raw[word - 1])) continue;
    if (at < raw.size() && raw[at] == 's') ++at;
    if (at + 1 >= raw.size() || raw[at] != ' ' || !is_digit(raw[at + 1])) continue;
    ++at;
    CitedPlace place;
    place.first = number_at(raw, at);
    for (const std::string_view dash : {"-", "–", "—", " to "}) {
      std::size_t end = at + dash.size();
      if (!raw.substr(at).starts_with(dash) || end >= raw.size() || !is_digit(raw[end])) continue;
      place.last = number_at(raw, end);
      at = end;
      break;
    }
    std::string_view path = path_behind(raw.substr(at));
    if (path.empty()) path = path_before(raw.substr(0, word));
    place.path = path;
    // "`a/b.py:3` makes it, line 9 uses it": of the one file that was named.
    const bool is_of_something = raw.substr(at).starts_with(" of ") || raw.substr(at).starts_with(" in ");
    if (path.empty() && !is_of_something) place.path = only_path_in(raw.substr(0, word));
    if (!place.path.empty()) places.push_back(std::move(place));
  }
  return places;
}

std::vector<CitedPlace> named_places(std::string_view raw) {
  std::vector<CitedPlace> places = places_in(replace_all(raw, "`", " "));
  std::erase_if(places, [](const CitedPlace& place) { return !has_file_ending(place.path); });
  for (CitedPlace& place : worded_places(raw)) places.push_back(std::move(place));
  return places;
}

std::vector<CitedPlace> linked_places(std::string_view raw) {
  std::vector<CitedPlace> places;
  std::string text;
  for (const LinePart& part : parts_of_line(raw)) text += part.is_code ? " " : part.text;
  for (std::size_t at = 0; (at = text.find("](", at)) != std::string::npos;) {
    at += 2;
    const std::size_t end = text.find_first_of(") ", at);
    if (end == std::string::npos) break;
    std::string_view target = std::string_view(text).substr(at, end - at);
    while (target.starts_with("./") || target.starts_with("../")) target.remove_prefix(target.find('/') + 1);
    const std::size_t anchor = target.find('#');
    CitedPlace place{std::string(target.substr(0, anchor)), 0, 0};
    if (contains(target, "://") || target.starts_with('/') || !has_file_ending(place.path)) continue;
    std::string_view lines = anchor == std::string_view::npos ? std::string_view() : target.substr(anchor + 1);
    if (lines.starts_with('L')) {
      std::size_t digits = 1;
      place.first = number_at(lines, digits);
      if (lines.substr(digits).starts_with("-L") || lines.substr(digits).starts_with("-")) {
        digits += lines.substr(digits).starts_with("-L") ? 2 : 1;
        place.last = number_at(lines, digits);
      }
    } else if (!has_code_ending(place.path)) {
      continue;  // a neighbour of the document
    }
    places.push_back(std::move(place));
  }
  return places;
}

// Paths of code that stand in running text without marks, and whose first folder the repository has.
void Verifier::check_plain_paths(const TextLine& line, std::string_view text) {
  if (has_word_of(text, kYetToBe) || speaks_of_proposal(text) || contains(text, "](")) return;
  for_each_path_like(text, [&](std::string_view path, std::size_t start, std::size_t end) {
    const std::size_t slash = path.find('/');
    const bool is_apart =
        start == 0 || std::string_view(" \t(\"'*[|,;").find(text[start - 1]) != std::string_view::npos;
    const bool goes_on = end < text.size() && std::string_view(":#?=&*{<").find(text[end]) != std::string_view::npos &&
                         end + 1 < text.size() && text[end + 1] != ' ';
    if (!is_apart || goes_on || slash == 0 || slash == std::string_view::npos || !has_code_ending(path)) return;
    if (sides_.has_path(path.substr(0, slash)) && !sides_.is_own_word(path)) check_path(line.line, path, text);
  });
}

void Verifier::check_links(const TextLine& line) {
  for (const CitedPlace& place : linked_places(line.text)) {
    if (place.first > 0) {
      check_place(line.line, place, line.text);
    } else if (!sides_.is_own_word(place.path)) {
      check_path(line.line, place.path, line.text);
    }
  }
}

}  // namespace lockstep::writer
