// Fenced blocks: which place a block belongs to, and its lines against that file. Where the place is the block's own
// (its info string, its first line, or a line above that begins with it), lines must stand from there on; where a
// sentence or heading above names it, they must stand in the file, and a sentence that proposes something quotes
// nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostSearches = 4000;  // of whole files in one document
constexpr std::size_t kMostHeaderLines = 60;
constexpr std::size_t kMostFiles = 64;  // that one block is held against
constexpr std::array<std::string_view, 14> kCodeLanguages = {"python", "py",  "python3", "cpp", "c++",  "c",    "cuda",
                                                             "cu",     "cxx", "diff",    "sh",  "bash", "yaml", "toml"};

bool is_elision(std::string_view text) {
  std::string_view rest = trim(text);
  if (rest.empty()) return true;
  if (rest.starts_with('#')) rest = trim(rest.substr(1));
  return rest.starts_with("…") || rest.starts_with("...");
}

std::string without_comment(std::string_view text) {
  if (trim(text).starts_with('#')) return {};
  const std::size_t at = text.find(" #");
  return std::string(text.substr(0, at));
}

// A docstring on one line, which in the source may go on behind what is shown, or stand on several lines.
bool is_docstring_in(std::string_view text, const CitedFile& file, std::size_t first, std::size_t end) {
  std::string_view shown = trim(text);
  if (!shown.empty() && std::string_view("rRuU").find(shown[0]) != std::string_view::npos) shown.remove_prefix(1);
  const std::string_view quotes = shown.substr(0, 3);
  if ((quotes != "\"\"\"" && quotes != "'''") || shown.size() < 6 || !shown.ends_with(quotes)) return false;
  std::string_view inside = shown.substr(3, shown.size() - 6);
  if (inside.ends_with("…")) inside.remove_suffix(std::string_view("…").size());
  std::string source;
  for (std::size_t i = first; i < end && i < file.lines().size(); ++i) source += file.lines()[i] + " ";
  source = replace_all(single_spaced(source), std::string(quotes) + " ", quotes);
  const std::string wanted = std::string(quotes) + replace_all(single_spaced(inside), "``", "`");
  return contains(replace_all(source, "``", "`"), wanted);
}

// Without white space, and without a comma before the bracket that closes.
std::string plain_header(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t') out += c;
  }
  return replace_all(out, ",)", ")");
}

// Whether the header that begins on line `at` of the file and goes over several lines is the one that is shown on one.
bool is_wrapped_header(std::string_view shown, const std::vector<std::string>& lines, std::size_t at) {
  const std::string wanted = plain_header(shown);
  std::string whole;
  for (std::size_t i = at; i < lines.size() && i < at + kMostHeaderLines && whole.size() < wanted.size(); ++i)
    whole = plain_header(whole + without_comment(lines[i]));
  return whole.starts_with(wanted);
}

// "def f(...):": the header of a function or class, its parameters left out; or all of it, lines joined.
bool is_header_of(std::string_view text, const CitedFile& file) {
  const bool is_cut = has_ellipsis(text);
  const auto header = [](std::string_view line) -> std::string {
    line = trim(line);
    if (line.starts_with("async ")) line = trim(line.substr(6));
    for (const std::string_view keyword : {"def ", "class "}) {
      if (!line.starts_with(keyword)) continue;
      const std::string_view name = trim(line.substr(keyword.size()));
      const std::size_t length = python::identifier_length(name);
      if (length > 0) return std::string(keyword) + std::string(name.substr(0, length));
    }
    return {};
  };
  const std::string wanted = header(text);
  if (wanted.empty()) return false;
  const std::vector<std::string>& lines = file.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (header(lines[i]) == wanted && (is_cut || is_wrapped_header(text, lines, i))) return true;
  }
  return false;
}

// A line of a block that claims to stand in a file.
struct ShownLine {
  std::uint32_t line = 0;  // of the document
  std::string_view raw;
  std::string_view text;  // without the mark of a diff
};

// How many of the lines from `from` on do not stand in [first, end), in their order.
std::size_t count_missing(const std::vector<ShownLine>& shown, std::size_t from, const CitedFile& file,
                          std::size_t first, std::size_t end) {
  std::size_t missing = 0, at = first;
  for (std::size_t i = from; i < shown.size(); ++i) {
    if (is_docstring_in(shown[i].text, file, first, end)) continue;
    if (const auto found = file.find(shown[i].text, at, end))
      at = *found + 1;
    else if (!is_header_of(shown[i].text, file))
      ++missing;
  }
  return missing;
}

// How many lines at the start of a block are headers of what holds the others, and stand above the range: their like
// may stand in it too. Below them there may be nothing of this side where a diff only removes lines.
std::size_t count_headers(const std::vector<ShownLine>& shown, const CitedFile& file, std::size_t first,
                          std::size_t end, bool is_diff, bool removes) {
  std::size_t best = 0, least = count_missing(shown, 0, file, first, end), at = 0;
  const std::size_t most = removes || shown.empty() ? shown.size() : shown.size() - 1;
  for (std::size_t i = 0; i < most && least > 0; ++i) {
    if (is_diff && shown[i].raw.starts_with('+')) break;
    if (const auto found = file.find(shown[i].text, at, first))
      at = *found + 1;
    else if (!is_header_of(shown[i].text, file))
      break;
    const std::size_t missing = count_missing(shown, i + 1, file, first, end);
    if (missing >= least) continue;
    least = missing;
    best = i + 1;
  }
  return best;
}

// "478:479:pkg/a.py", as editors write it above a block.
std::optional<CitedPlace> place_of_editor(std::string_view info) {
  const std::size_t first = info.find(':');
  const std::size_t second = first == std::string_view::npos ? first : info.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view text) -> std::uint32_t {
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string_view::npos) return 0;
    std::uint32_t value = 0;
    for (const char c : text) value = value * 10 + static_cast<std::uint32_t>(c - '0');
    return value;
  };
  CitedPlace place{std::string(trim(info.substr(second + 1))), number(info.substr(0, first)),
                   number(info.substr(first + 1, second - first - 1))};
  if (place.first == 0 || place.last == 0 || place.path.empty()) return std::nullopt;
  return place;
}

// The place that a block names itself: its info string, or a comment that is nothing but a place as its first line.
std::optional<CitedPlace> own_place(const Fence& fence) {
  if (auto place = place_of_editor(fence.info)) return place;
  std::string info = fence.info;
  for (char& c : info) c = std::string_view("\"'={},").find(c) == std::string_view::npos ? c : ' ';
  for (CitedPlace& place : places_in(info)) {
    if (has_file_ending(place.path)) return std::move(place);
  }
  if (fence.lines.empty()) return std::nullopt;
  std::string_view line = trim(fence.lines[0]);
  if (!line.starts_with('#') && !line.starts_with("//")) return std::nullopt;
  while (!line.empty() && (line[0] == '#' || line[0] == '/' || line[0] == ' ')) line.remove_prefix(1);
  while (line.ends_with(':') || line.ends_with(' ')) line.remove_suffix(1);
  auto place = place_of_text(line);
  return place && has_file_ending(place->path) ? place : std::nullopt;
}

// Whether the caption begins with the place: nothing but emphasis before it.
std::optional<CitedPlace> leading_place(const Fence& fence) {
  for (const CodeSpan& span : fence.caption_spans) {
    const std::optional<CitedPlace> place = place_of_text(trim(span.text));
    if (!place) continue;
    std::string_view caption = fence.caption;
    while (caption.starts_with('[') || caption.starts_with('*')) caption.remove_prefix(1);
    return caption.starts_with(fmt::format("`{}`", span.text)) ? place : std::nullopt;
  }
  return std::nullopt;
}

// A line that introduces what follows it: a heading, or a sentence that has not ended.
bool introduces(const Fence& fence) {
  const std::string_view text = trim(fence.caption);
  if (fence.is_below_heading) return true;
  if (text.empty() || text.starts_with('|')) return false;
  return text.back() != '.' && text.back() != '!' && text.back() != '?';
}

// Without what stands in code spans.
std::string words_of(std::string_view text) {
  std::string words;
  for (const LinePart& part : parts_of_line(text)) words += part.is_code ? " " : part.text;
  return words;
}

bool looks_like_code(const Fence& fence) {
  std::size_t code = 0, all = 0;
  for (const std::string& raw : fence.lines) {
    const std::string_view line = trim(raw);
    if (line.empty()) continue;
    ++all;
    const bool ends = std::string_view(":(),[]{").find(line.back()) != std::string_view::npos;
    if (ends || contains(line, " = ") || line.starts_with("return ") || line.starts_with("def ")) ++code;
  }
  return 2 * code > all;
}

bool is_of_code(const Fence& fence) {
  const bool has_language = !fence.language.empty() && place_of_editor(fence.language) == std::nullopt;
  return has_language ? is_any_of(to_lower(fence.language), kCodeLanguages) : looks_like_code(fence);
}

struct NumberedLine {
  std::size_t number = 0;
  std::string_view text;
};

// "478    x = 1", "478: x = 1", "478 | x = 1": each line behind its number; empty where they are none.
std::vector<NumberedLine> numbered_lines(const Fence& fence) {
  std::vector<NumberedLine> lines;
  for (const std::string& raw : fence.lines) {
    std::string_view text = raw;
    if (is_elision(text)) {
      lines.push_back({0, {}});
      continue;
    }
    text = text.substr(std::min(text.find_first_not_of(" \tL>"), text.size()));
    std::size_t digits = 0, number = 0;
    for (; digits < text.size() && digits < 9 && text[digits] >= '0' && text[digits] <= '9'; ++digits)
      number = number * 10 + static_cast<std::size_t>(text[digits] - '0');
    text.remove_prefix(digits);
    const bool is_apart =
        text.empty() || std::string_view(" \t:|-").find(text[0]) != std::string_view::npos || text.starts_with("│");
    const auto before =
        std::find_if(lines.rbegin(), lines.rend(), [](const NumberedLine& one) { return one.number > 0; });
    if (digits == 0 || number == 0 || !is_apart || (before != lines.rend() && before->number >= number)) return {};
    std::string_view rest = trim(text);
    for (const std::string_view mark : {":", "|", "│", "-"}) {
      if (!rest.starts_with(mark)) continue;
      rest.remove_prefix(mark.size());
      break;
    }
    // An expression that begins with a number is no numbered line.
    if (std::string_view("+*/%=),.<")
            .find(rest.empty()         ? 'x'
                  : trim(rest).empty() ? 'x'
                                       : trim(rest)[0]) != std::string_view::npos)
      return {};
    lines.push_back({number, rest});
  }
  const bool has_any = std::any_of(lines.begin(), lines.end(), [](const NumberedLine& one) { return one.number > 0; });
  return has_any ? lines : std::vector<NumberedLine>();
}

// The files that a section names in any way.
std::vector<CitedPlace> places_of_section(const Section& section) {
  std::vector<CitedPlace> places;
  const auto take = [&](CitedPlace place) {
    const bool is_known =
        std::any_of(places.begin(), places.end(), [&](const CitedPlace& one) { return one.path == place.path; });
    if (has_file_ending(place.path) && !is_known && places.size() < kMostFiles) places.push_back(std::move(place));
  };
  for (const CodeSpan& span : section.spans) {
    if (auto place = place_of_text(trim(span.text))) {
      take(std::move(*place));
    } else if (has_file_ending(span.text) && span.text.find(' ') == std::string::npos) {
      take({span.text, 0, 0});
    }
  }
  for (const TextLine& line : section.text) {
    for (CitedPlace& place : named_places(line.text)) take(std::move(place));
  }
  for (const Fence& fence : section.fences) {
    if (auto place = own_place(fence)) take(std::move(*place));
  }
  return places;
}

}  // namespace

void Verifier::check_fence(const Fence& fence, const Section& section) {
  if (fence.language == "mermaid") return check_labels(fence);
  if (fence.language == "suggestion") return;  // proposes what is not there yet
  const bool is_proposal = speaks_of_proposal(words_of(fence.paragraph));
  const bool is_numbered = fence.language != "diff" && !numbered_lines(fence).empty();
  std::optional<CitedPlace> place = own_place(fence);
  if (place) {
    check_place(fence.line, *place, fence.caption);
  } else if (!is_proposal) {
    place = leading_place(fence);
  }
  if (place) {
    const std::vector<std::string> paths = sides_.files_named(place->path);
    if (is_numbered) return check_numbered_quote(fence, {*place});
    if (paths.size() > 1) return check_loose_quote(fence, {*place}, section);
    if (paths.size() == 1) place->path = paths[0];
    return check_quote(fence, *place, fence.caption);
  }
  std::vector<CitedPlace> places = named_places(fence.caption);
  if (places.empty()) places = named_places(fence.paragraph);
  if (!places.empty() && is_proposal) return;
  if (!places.empty() && introduces(fence) && is_of_code(fence))
    return is_numbered ? check_numbered_quote(fence, places) : check_loose_quote(fence, places, section);
  if (is_numbered && !is_proposal) {
    if (const auto near = places_of_section(section); near.size() == 1) return check_numbered_quote(fence, near);
  }
  if (fence.language == "python" || fence.language == "py" || fence.language == "diff") {
    for (std::size_t i = 0; i < fence.lines.size(); ++i)
      check_words(fence.line + 1 + static_cast<std::uint32_t>(i), without_comment(fence.lines[i]), "quoted code");
  } else if (fence.language.empty() || fence.language == "text") {
    check_file_list(fence);
  }
  if (!is_proposal && is_of_code(fence)) note_unheld(fence, section);
}

void Verifier::check_quote(const Fence& fence, const CitedPlace& place, std::string_view context) {
  const std::vector<CitedSide> sides = sides_with(place.path, context);
  if (sides.empty()) return;  // said of the caption
  const bool is_diff = fence.language == "diff";
  // Added lines stand in the new version, and so does what is "moved from line 171 of the old version".
  const bool is_new = is_diff && (contains(context, "moved from line") ||
                                  std::any_of(fence.lines.begin(), fence.lines.end(),
                                              [](const std::string& line) { return line.starts_with('+'); }));
  const bool is_after = is_new && sides_.has_file(CitedSide::kAfter, place.path);
  const CitedFile& file = *sides_.file(is_after ? CitedSide::kAfter : sides[0], place.path);
  const std::string_view old_path = sides_.old_path(place.path);
  const CitedFile& old =
      sides_.has_file(CitedSide::kBefore, old_path) ? *sides_.file(CitedSide::kBefore, old_path) : file;
  const std::size_t first = place.first == 0 ? 0 : place.first - 1;
  const std::size_t end =
      std::min<std::size_t>(place.last == 0 ? file.lines().size() : place.last, file.lines().size());
  std::vector<ShownLine> shown;
  bool removes = false;
  for (std::size_t i = 0; i < fence.lines.size(); ++i) {
    const std::string_view raw = fence.lines[i];
    const char mark = is_diff && !raw.empty() ? raw[0] : ' ';
    const bool has_mark = is_diff && (mark == '+' || mark == '-' || mark == ' ') && !raw.empty();
    const std::string_view text = has_mark ? raw.substr(1) : raw;
    // A comment may be the document's own.
    if (is_elision(text) || trim(text).starts_with('#') || (is_diff && raw.starts_with("@@"))) continue;
    const std::uint32_t line = fence.line + 1 + static_cast<std::uint32_t>(i);
    ++result_.lines;
    if (mark == '-') {
      if (!old.find(text, 0, old.lines().size()))
        add("quoted code", line, std::string(raw), fmt::format("no such line in the old {}", place.path),
            sides_.place_of_line(text));
      removes = true;
      continue;
    }
    shown.push_back({line, raw, text});
  }
  std::size_t at = first;
  for (std::size_t i = count_headers(shown, file, first, end, is_diff, removes); i < shown.size(); ++i)
    check_quoted_line(shown[i].line, shown[i].text, place, file, at);
}

void Verifier::check_quoted_line(std::uint32_t line, std::string_view shown, const CitedPlace& place,
                                 const CitedFile& file, std::size_t& at) {
  const std::size_t size = file.lines().size();
  // A line alone says where the block starts.
  const std::size_t end = std::min<std::size_t>(place.last == 0 ? size : place.last, size);
  const std::size_t first = place.first == 0 ? 0 : place.first - 1;
  if (is_docstring_in(shown, file, first, end)) return;
  if (const auto found = file.find(shown, at, end)) {
    at = *found + 1;
    return;
  }
  if (has_ellipsis(shown) && file.find_code(shown, first, end, false)) return;
  if (is_header_of(shown, file)) return;
  const auto elsewhere = file.find(shown, 0, size);
  std::string nearest = elsewhere ? fmt::format("{}:{}", place.path, *elsewhere + 1) : sides_.place_of_line(shown);
  const std::string range =
      place.last == 0 ? fmt::format("{}", place.first) : fmt::format("{}-{}", place.first, place.last);
  add("quoted code", line, std::string(shown), fmt::format("no such line in {}:{}", place.path, range),
      std::move(nearest));
}

std::vector<const CitedFile*> Verifier::files_of(const std::vector<CitedPlace>& places) const {
  std::vector<const CitedFile*> files;
  for (const CitedPlace& place : places) {
    for (const std::string& path : sides_.files_named(place.path)) {
      for (const CitedSide side : {CitedSide::kAfter, CitedSide::kBefore}) {
        const CitedFile* file = sides_.has_file(side, path) ? sides_.file(side, path) : nullptr;
        if (file != nullptr && files.size() < kMostFiles) files.push_back(file);
      }
    }
  }
  return files;
}

bool Verifier::stands_in_any(std::string_view shown, const std::vector<const CitedFile*>& files) {
  if (sides_.is_own_word(single_spaced(shown))) return true;
  return std::any_of(files.begin(), files.end(), [&](const CitedFile* file) {
    const std::size_t size = file->lines().size();
    if (file->find(shown, 0, size) || is_header_of(shown, *file) || is_docstring_in(shown, *file, 0, size)) return true;
    // Beyond the bound nothing is said.
    if (++searches_ > kMostSearches) return true;
    return file->find_code(shown, 0, size, !has_ellipsis(shown)).has_value();
  });
}

void Verifier::check_loose_quote(const Fence& fence, const std::vector<CitedPlace>& places, const Section& section) {
  const std::vector<const CitedFile*> files = files_of(places);
  if (files.empty()) return;  // said of the place
  std::vector<const CitedFile*> near = files;
  for (const CitedFile* file : files_of(places_of_section(section))) near.push_back(file);
  const bool is_diff = fence.language == "diff";
  // Lines that were wrapped or joined: the block as a whole.
  std::string whole;
  for (const std::string& line : fence.lines) whole += line + "\n";
  if (!is_diff && !has_ellipsis(whole) && stands_in_any(whole, files)) {
    result_.lines += fence.lines.size();
    return;
  }
  for (std::size_t i = 0; i < fence.lines.size(); ++i) {
    std::string_view text = fence.lines[i];
    if (is_diff && (text.starts_with("@@") || text.starts_with("+++") || text.starts_with("---"))) continue;
    if (is_diff && !text.empty() && std::string_view("+- ").find(text[0]) != std::string_view::npos)
      text.remove_prefix(1);
    if (is_elision(text) || trim(text).starts_with('#')) continue;
    ++result_.lines;
    if (stands_in_any(text, near)) continue;
    std::string nearest = sides_.place_of_line(text);
    if (nearest.empty()) {
      if (const auto like = files[0]->most_like(text, 0, files[0]->lines().size()))
        nearest = fmt::format("line {}: {}", *like + 1, trim(files[0]->lines()[*like]));
    }
    add("quoted code", fence.line + 1 + static_cast<std::uint32_t>(i), std::string(text),
        fmt::format("no such line in {}", places[0].path), std::move(nearest));
  }
}

void Verifier::check_numbered_quote(const Fence& fence, const std::vector<CitedPlace>& places) {
  const std::vector<const CitedFile*> files = files_of(places);
  if (files.empty()) return;
  const std::vector<NumberedLine> lines = numbered_lines(fence);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [number, text] = lines[i];
    if (number == 0 || is_elision(text)) continue;
    ++result_.lines;
    const bool holds = std::any_of(files.begin(), files.end(), [&](const CitedFile* file) {
      return file->find(text, number - 1, number) || file->find_code(text, number - 1, number, false);
    });
    if (holds || trim(text).starts_with('#')) continue;
    const auto elsewhere = files[0]->find(text, 0, files[0]->lines().size());
    std::string nearest = elsewhere ? fmt::format("{}:{}", places[0].path, *elsewhere + 1) : "";
    if (!elsewhere && number <= files[0]->lines().size())
      nearest = fmt::format("line {}: {}", number, trim(files[0]->lines()[number - 1]));
    add("quoted code", fence.line + 1 + static_cast<std::uint32_t>(i), std::string(text),
        fmt::format("it is not line {} of {}", number, places[0].path), std::move(nearest));
  }
}

void Verifier::note_unheld(const Fence& fence, const Section& section) {
  const std::vector<CitedPlace> places = places_of_section(section);
  if (places.empty()) return;
  const std::vector<const CitedFile*> files = files_of(places);
  UnheldBlock block{fence.line, 0};
  for (const std::string& raw : fence.lines) {
    std::string_view text = raw;
    if (fence.language == "diff" && !text.empty()) text.remove_prefix(1);
    if (is_elision(text) || trim(text).starts_with('#')) continue;
    if (++searches_ > kMostSearches) return;
    if (!stands_in_any(text, files) && sides_.place_of_line(text).empty()) ++block.unknown;
  }
  if (block.unknown > 0) result_.not_held.push_back(block);
}

}  // namespace lockstep::writer
