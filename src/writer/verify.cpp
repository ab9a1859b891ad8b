#include "writer/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "report/report.h"
#include "rules/rule.h"
#include "text/source.h"
#include "writer/sentence_parts.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostShown = 120;

constexpr std::array<std::string_view, 26> kEndings = {
    ".py", ".pyi", ".md",  ".rst", ".txt", ".yaml", ".yml", ".toml",  ".json", ".jsonl", ".cfg", ".ini",   ".sh",
    ".cu", ".cuh", ".cpp", ".cc",  ".c",   ".h",    ".hpp", ".ipynb", ".lock", ".png",   ".csv", ".cmake", ".proto"};
constexpr std::array<std::string_view, 42> kKeywords = {
    "False", "None",  "True",   "and",      "as",     "assert",  "async",    "await", "break",  "class", "continue",
    "def",   "del",   "elif",   "else",     "except", "finally", "for",      "from",  "global", "if",    "import",
    "in",    "is",    "lambda", "nonlocal", "not",    "or",      "pass",     "raise", "return", "try",   "while",
    "with",  "yield", "_",      "case",     "match",  "type",    "builtins", "self",  "cls"};
// Options of Lockstep's own that its documents name.
constexpr std::array<std::string_view, 10> kOwnOptions = {"--format", "--tokens",   "--fail-on",  "--base", "--pr",
                                                          "--rev",    "--baseline", "--worktree", "--jobs", "--change"};
constexpr std::array<std::string_view, 8> kOldWords = {"before", "old",     "removed", "stood",
                                                       "gone",   "deleted", "was",     "moved"};

bool is_own_option(std::string_view text) {
  return std::find(kOwnOptions.begin(), kOwnOptions.end(), text) != kOwnOptions.end();
}

bool is_path_character(char c) {
  return static_cast<unsigned char>(c) > ' ' && std::string_view(":`|()[]").find(c) == std::string_view::npos;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number of at most nine digits at `at`, which moves behind it; 0 for none.
std::uint32_t read_number(std::string_view text, std::size_t& at) {
  std::uint32_t number = 0;
  std::size_t digits = 0;
  for (; at < text.size() && is_digit(text[at]) && digits < 9; ++at, ++digits)
    number = number * 10 + static_cast<std::uint32_t>(text[at] - '0');
  return number;
}

// Reads ":12-15" behind a path; false where there is no line.
bool read_lines(std::string_view text, std::size_t& at, CitedPlace& place) {
  if (at + 1 >= text.size() || text[at] != ':' || !is_digit(text[at + 1])) return false;
  ++at;
  place.first = read_number(text, at);
  if (at + 1 < text.size() && text[at] == '-' && is_digit(text[at + 1])) {
    ++at;
    place.last = read_number(text, at);
  }
  return true;
}

std::string without_code(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (const char c : text) {
    if (c == '`') {
      is_code = !is_code;
      out += ' ';
    } else if (!is_code) {
      out += c;
    }
  }
  return out;
}

// "](target)" becomes "]": targets of links are addresses of their own kind.
std::string without_targets(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("](", at);
    const std::size_t close = open == std::string_view::npos ? open : text.find(')', open);
    out += text.substr(at, close == std::string_view::npos ? text.size() : open + 1 - at);
    if (close == std::string_view::npos) break;
    at = close + 1;
  }
  return out;
}

// "spec.artifacts./data/x": a key of a YAML or JSON file whose last part is a path; no folder's name ends with a dot.
bool is_key_of_data(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '/');
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part.size() > 2 && part.ends_with('.') && !part.ends_with("..");
  });
}

bool looks_like_path(std::string_view text) {
  if (is_key_of_data(text)) return false;
  if (text.find_first_of(" \t()[]{}=,\"'*<>@") != std::string_view::npos) return false;
  if (text.starts_with('-') || text.starts_with("http:") || text.starts_with("https:")) return false;
  if (has_file_ending(text)) return true;
  // Folders: two components or more of plain characters.
  std::string_view rest = text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
  if (rest.find('/') == std::string_view::npos) return false;
  for (const std::string_view part : split(rest, '/')) {
    const bool is_plain = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-' ||
             static_cast<unsigned char>(c) >= 0x80;
    });
    if (!is_plain) return false;
  }
  return true;
}

std::string_view trim_left_dashes(std::string_view name) {
  while (name.starts_with('-')) name.remove_prefix(1);
  return name;
}

std::string_view strip_call(std::string_view name) {
  return name.ends_with("()") ? name.substr(0, name.size() - 2) : name;
}

constexpr std::string_view kEllipsis = "…";

// The f of f"…" and its like.
bool is_string_prefix(std::string_view text, std::string_view word, std::size_t offset) {
  const std::size_t end = offset + word.size();
  if (end >= text.size() || (text[end] != '"' && text[end] != '\'') || word.size() > 2) return false;
  return to_lower(word).find_first_not_of("rbuf") == std::string::npos;
}

// "takes back `bf71c142b5`": another commit, of which neither side tells.
bool names_commit(std::string_view text, std::string_view context) {
  if (text.size() < 7 || text.size() > 40 || text.find_first_not_of("0123456789abcdef") != std::string_view::npos ||
      text.find_first_of("0123456789") == std::string_view::npos)
    return false;
  const std::string lower = to_lower(context);
  return contains(lower, "commit") || contains(lower, "takes back") || contains(lower, "revert");
}

std::string shortened(std::string_view text) {
  if (text.size() <= kMostShown) return std::string(text);
  return fmt::format("{}{}", cut_at_character(text, kMostShown), kEllipsis);
}

}  // namespace

std::optional<CitedPlace> place_of_text(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_path_character(text[at])) ++at;
  CitedPlace place{std::string(text.substr(0, at)), 0, 0};
  if (at == 0 || !read_lines(text, at, place) || at != text.size()) return std::nullopt;
  return place;
}

std::vector<CitedPlace> places_in(std::string_view text) {
  std::vector<CitedPlace> places;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    while (at < text.size() && is_path_character(text[at])) ++at;
    const std::size_t path = std::min(at, text.find_first_not_of("*\"'<{,;=", start));
    CitedPlace place{std::string(text.substr(path, at - path)), 0, 0};
    if (at > path && read_lines(text, at, place)) {
      places.push_back(std::move(place));
    } else if (at < text.size()) {
      ++at;
    }
  }
  return places;
}

bool has_file_ending(std::string_view path) {
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return path.ends_with(ending); });
}

bool speaks_of_old_side(std::string_view text) {
  const std::string lower = to_lower(text);
  if (contains(lower, "no longer")) return true;
  bool found = false;
  for_each_word(lower, [&](std::string_view word, std::size_t) {
    found = found || std::find(kOldWords.begin(), kOldWords.end(), word) != kOldWords.end();
  });
  return found;
}

bool is_dotted_name(std::string_view text) {
  text = strip_call(text);
  if (text.empty()) return false;
  for (const std::string_view part : split(text, '.')) {
    if (part.empty() || python::identifier_length(part) != part.size()) return false;
  }
  return true;
}

bool is_document_word(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

bool has_ellipsis(std::string_view text) { return contains(text, kEllipsis) || contains(text, "..."); }

void Verifier::add(std::string_view kind, std::uint32_t line, std::string text, std::string reason,
                   std::string nearest) {
  if (result_.problems.size() < kMostProblems)
    result_.problems.push_back({line, kind, std::move(text), std::move(reason), std::move(nearest)});
}

std::vector<CitedSide> Verifier::sides_with(std::string_view path, std::string_view context) const {
  std::vector<CitedSide> sides = {CitedSide::kAfter, CitedSide::kBefore};
  if (speaks_of_old_side(context)) std::reverse(sides.begin(), sides.end());
  std::erase_if(sides, [&](CitedSide side) { return !sides_.has_file(side, path); });
  return sides;
}

void Verifier::check_place(std::uint32_t line, const CitedPlace& place, std::string_view context) {
  ++result_.places;
  const std::vector<std::string> paths = sides_.files_named(place.path);
  if (paths.empty()) return add("path", line, place.path, "there is no such file", sides_.nearest_path(place.path));
  const std::uint32_t last = place.last == 0 ? place.first : place.last;
  const std::string written =
      fmt::format("{}:{}{}", place.path, place.first, place.last == 0 ? "" : fmt::format("-{}", last));
  if (place.first > last) return add("range", line, written, "the range ends before it starts");
  std::size_t most = 0;
  std::string_view longest;
  for (const std::string& path : paths) {
    std::vector<CitedSide> sides = sides_with(path, context);
    // The old side's lines may be named only where the text says so, or where the new side has no such file.
    if (!speaks_of_old_side(context)) sides.resize(1);
    for (const CitedSide side : sides) {
      const std::size_t size = std::max(std::size_t{1}, sides_.file(side, path)->lines().size());
      if (size > most) longest = path;
      most = std::max(most, size);
    }
  }
  if (place.first < 1 || last > most)
    add("line", line, written, fmt::format("the file has {}", count_of(most, "line")),
        fmt::format("{}:{}", longest, most));
}

void Verifier::check_path(std::uint32_t line, std::string_view text, std::string_view context) {
  ++result_.places;
  // A file that is yet to be written.
  if (contains(context, "for example in a new")) return;
  // "utils.py" may stand for a longer path; "a/b" may be text of the code.
  if (sides_.has_path(text) || !sides_.ending_in(text).empty() || sides_.has_text(text)) return;
  add("path", line, std::string(text), "there is no such file or folder", sides_.nearest_path(text));
}

void Verifier::check_option(std::uint32_t line, std::string_view text) {
  ++result_.names;
  const std::string_view name = text.substr(0, text.find('='));
  if (std::find(kOwnOptions.begin(), kOwnOptions.end(), name) != kOwnOptions.end() || sides_.has_option(name)) return;
  add("option", line, std::string(text), "there is no such option",
      sides_.nearest_name(replace_all(trim_left_dashes(name), "-", "_")));
}

bool Verifier::is_qualified(const std::vector<std::string_view>& parts) const {
  const auto has_in_module = [&](std::string_view stem, std::string_view path, std::string_view member) {
    return sides_.file_has(path, member) || sides_.has_path(fmt::format("{}/{}", stem, member));
  };
  for (std::size_t size = parts.size(); size > 0; --size) {
    const std::string stem =
        fmt::format("{}", fmt::join(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(size), "/"));
    std::vector<std::string> found;
    for (const std::string& path :
         {stem + ".py", stem + "/__init__.py", "src/" + stem + ".py", "src/" + stem + "/__init__.py"}) {
      if (sides_.has_file(CitedSide::kAfter, path) || sides_.has_file(CitedSide::kBefore, path)) found.push_back(path);
    }
    // "config.x" need not mean config.py at the root.
    if (found.empty() || (size == 1 && parts.size() > 1 && !found[0].ends_with("__init__.py"))) continue;
    if (size == parts.size()) return true;
    const bool has = std::any_of(found.begin(), found.end(),
                                 [&](const std::string& path) { return has_in_module(stem, path, parts[size]); });
    if (!has) return false;
    return size + 1 == parts.size() || sides_.may_have_member(parts[size], parts[size + 1]);
  }
  const char first = parts[0][std::min(parts[0].find_first_not_of('_'), parts[0].size() - 1)];
  return first < 'A' || first > 'Z' || sides_.may_have_member(parts[0], parts[1]);
}

void Verifier::check_symbol(std::uint32_t line, std::string_view text) {
  ++result_.names;
  const std::vector<std::string_view> parts = split(text, '.');
  for (const std::string_view& part : parts) {
    if (is_document_word(part) || sides_.has_word(part)) continue;
    const bool is_value = &part == &parts.back() && (parts.size() == 1 || (parts.size() == 2 && parts[0] == "args"));
    if (is_value && sides_.is_option_value(part)) return;
    return add("symbol", line, std::string(text), fmt::format("there is no '{}' anywhere", part),
               sides_.nearest_name(part));
  }
  if (parts.size() > 1 && !is_qualified(parts))
    add("symbol", line, std::string(text), "its parts exist, but not under this name");
}

void Verifier::check_words(std::uint32_t line, std::string_view text, std::string_view kind) {
  ++result_.names;
  std::string_view missing;
  for_each_word(text, [&](std::string_view word, std::size_t offset) {
    const std::size_t end = offset + word.size();
    // What an ellipsis touches may be cut.
    const bool is_cut = text.substr(0, offset).ends_with(kEllipsis) || text.substr(end).starts_with(kEllipsis);
    const bool is_single = word.size() == 1 || (static_cast<unsigned char>(word[0]) >= 0xc0 && word.size() <= 4 &&
                                                utf8_sequence_length(word, 0) == word.size());
    if (!missing.empty() || is_cut || is_single || is_document_word(word) || sides_.has_word(word)) return;
    if (sides_.is_own_word(word) || is_string_prefix(text, word, offset)) return;
    missing = word;
  });
  if (!missing.empty())
    add(kind, line, shortened(text), fmt::format("there is no '{}' anywhere", missing), sides_.nearest_name(missing));
}

void Verifier::check_span(const CodeSpan& span) {
  const std::string_view text = trim(span.text);
  if (text.empty() || sides_.is_own_word(text) || text.starts_with("lockstep") || text.starts_with("# lockstep"))
    return;
  if (sides_.is_commit(text) || names_commit(text, span.context)) return;
  // What is quoted behind another commit may be what that one replaced.
  if (sides_.is_other_commit(text)) {
    commit_ = {span.line, std::string(text)};
    return;
  }
  if (commit_ && commit_->first == span.line && sides_.stood_before(commit_->second, text)) return;
  if (contains(text, "<lambda") && text.ends_with('>') && text.find(' ') == std::string_view::npos) {
    ++result_.names;
    if (!sides_.has_lambda(text)) add("symbol", span.line, std::string(text), "there is no such lambda");
    return;
  }
  if (rules::find_rule(text) != nullptr || text == report::kModelRule) return;
  if (const auto place = place_of_text(text); place && (has_file_ending(place->path) || contains(place->path, "/"))) {
    check_place(span.line, *place, span.context);
  } else if (looks_like_path(text)) {
    check_path(span.line, text, span.context);
  } else if (is_own_option(text.substr(0, text.find(' ')))) {
    return;
  } else if (text.starts_with("--") && text.find(' ') == std::string_view::npos) {
    check_option(span.line, text);
  } else if (is_dotted_name(text)) {
    check_symbol(span.line, strip_call(text));
  } else {
    const std::size_t before = result_.problems.size();
    check_signature(span, text);
    if (result_.problems.size() == before) check_words(span.line, text, "code");
  }
}

void Verifier::check_plain_places(const TextLine& line) {
  const std::string text = without_code(without_targets(line.text));
  for (const CitedPlace& place : places_in(text)) {
    const std::string written = fmt::format("{}:{}", place.path, place.first);
    if (has_file_ending(place.path) && !sides_.is_own_word(written)) check_place(line.line, place, text);
  }
  for (const CitedPlace& place : worded_places(line.text)) {
    if (!sides_.is_own_word(place.path)) check_place(line.line, place, line.text);
  }
  check_plain_paths(line, text);
  check_links(line);
  check_inline_quotes(line);
}

namespace {

/// A sentence of running text that neither speaks of the old side itself nor stands below words that do: the heading,
/// or a line before it that introduces what follows ("Before:"). A text without a heading may be a part of a longer
/// one; there the sentence must say so itself.
bool speaks_of_now(const Section& section, const internal::Sentence& sentence) {
  if (sentence.is_cell || speaks_of_old_side(sentence.raw) || speaks_of_old_side(section.heading)) return false;
  constexpr std::string_view kPresent[] = {"now"};
  if (!section.has_heading && !internal::has_any_word(sentence.raw, kPresent)) return false;
  return std::none_of(section.text.begin(), section.text.end(), [&](const TextLine& line) {
    const std::string bare = replace_all(line.text, "*", "");
    return line.line < sentence.lines.front() && trim(bare).ends_with(':') && speaks_of_old_side(bare);
  });
}

}  // namespace

void Verifier::check_sentences(const Section& section) {
  const std::vector<internal::Sentence> sentences = internal::sentences_of(section);
  check_beside(sentences, section);
  for (std::size_t i = 0; i + 1 < sentences.size(); ++i) check_row_counts(sentences[i], sentences[i + 1]);
  for (const internal::Sentence& whole : sentences) {
    if (sides_.is_own_word(whole.raw)) continue;
    const internal::Sentence sentence = internal::without_places(whole);
    check_relations(sentence, speaks_of_now(section, whole));
    check_chains(sentence);
    check_defaults(sentence, whole);
    check_constants(sentence);
    check_counts(sentence);
    check_line_counts(sentence);
    check_lists(sentence);
  }
}

Verification Verifier::run(const std::vector<Section>& sections) {
  for (const Section& section : sections) {
    for (const CodeSpan& span : section.spans) check_span(span);
    for (const Fence& fence : section.fences) check_fence(fence, section);
    for (const TextLine& line : section.text) check_plain_places(line);
    check_line_notes(section);
    check_comment_lines(section);
    check_symbols_at(section);
    check_origins(section);
    check_sentences(section);
  }
  std::stable_sort(result_.problems.begin(), result_.problems.end(),
                   [](const CitationProblem& a, const CitationProblem& b) { return a.line < b.line; });
  return std::move(result_);
}

Verification verify_document(std::string_view markdown, const CitedSides& sides) {
  return Verifier(sides).run(read_cited_document(markdown));
}

}  // namespace lockstep::writer
