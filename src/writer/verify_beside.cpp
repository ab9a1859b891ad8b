// A name beside a place: "`f` (`a.py:3`)", "`f` (new, `a.py:3-9`)", "### `f` — changed, `a.py:3`", "`f` is at line 3 of
// `a.py`", neighbouring cells of a table. Its definition begins there, or it is called or mentioned there, or it calls
// something there; a range may be a part of its definition.
#include <fmt/format.h>

#include <array>

#include "base/strings.h"
#include "writer/cited_facts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::has_any_word;
using internal::last_part;
using internal::name_in;
using internal::Sentence;
using Stand = CitedFacts::Stand;

constexpr std::uint32_t kAround = 30;     // lines, in files that are no Python
constexpr std::uint32_t kLeastLine = 10;  // smaller numbers in brackets count something

constexpr std::array<std::string_view, 16> kAt = {
    "at",         "is at",       "stands at", "stands in", "is in", "is defined at", "is defined in",
    "defined at", "defined in",  "lives at",  "lives in",  "is on", "begins at",     "starts at",
    "in",         ", defined at"};
constexpr std::array<std::string_view, 24> kNotes = {"new",   "changed",  "removed",  "deleted", "renamed", "unchanged",
                                                     "added", "here",     "modified", "old",     "now",     "method",
                                                     "class", "function", "field",    "at",      "in",      "see",
                                                     "def",   "line",     "lines",    "defined", "both",    "existing"};
constexpr std::array<std::string_view, 3> kNotesBehind = {", new", ", changed", ", removed"};
constexpr std::array<std::string_view, 3> kDashes = {"—", "–", "-"};
// "when `x` is not `Y` (`a.py:3`)" names the place of what they decide.
constexpr std::array<std::string_view, 6> kConditionEnds = {"is", "not", "in", "than", "equals", "has"};

bool are_notes(std::string_view text) {
  bool all = true;
  for_each_word(text, [&](std::string_view word, std::size_t) { all = all && is_any_of(word, kNotes); });
  return all;
}

// What stands between a name and its place.
bool leads_to_place(std::string_view between) {
  const std::string lower = to_lower(trim(between));
  std::string_view text = lower;
  if (is_any_of(text, kAt)) return true;
  if (text.starts_with('(')) {
    text.remove_prefix(1);
    return text.find_first_of("().;:→") == std::string_view::npos && are_notes(text);
  }
  for (const std::string_view dash : kDashes) {
    if (text.starts_with(dash)) return are_notes(text.substr(dash.size())) && (text == dash || text.ends_with(','));
  }
  return false;
}

std::string_view last_word(std::string_view text) {
  text = trim(text);
  return text.substr(text.rfind(' ') == std::string_view::npos ? 0 : text.rfind(' ') + 1);
}

// "`f` (`a.py:3`) → `g`", "- `f` (`a.py:3`): …", "`f` (new, `a.py:3`)" name where f begins; "read in `f` (`a.py:9`)",
// one of a list, and "`f` (`a.py:9`) calls …" may name a line of its body.
bool names_beginning(std::string_view lead, std::string_view between, std::string_view behind) {
  bool has_note = false;
  for_each_word(between, [&](std::string_view word, std::size_t) {
    has_note = has_note || word == "new" || word == "changed" || word == "removed" || word == "unchanged";
  });
  lead = trim(lead);
  behind = trim(behind);
  if (behind.starts_with(')')) behind = trim(behind.substr(1));
  if (has_note || lead.ends_with("→")) return true;
  // "- `f` (`a.py:3`), new. …"
  const bool goes_on = std::any_of(kNotesBehind.begin(), kNotesBehind.end(),
                                   [&](std::string_view note) { return behind.starts_with(note); });
  return (lead.empty() || lead == "-") &&
         (behind.empty() || behind[0] == ':' || behind[0] == '.' || behind.starts_with("→") || goes_on);
}

// "885-887", "line 12", "lines 3–9"; a number alone may be anything.
std::optional<CitedPlace> lines_in_brackets(std::string_view inside) {
  CitedPlace lines;
  std::string text = replace_all(inside, "–", "-");
  const bool is_worded = text.starts_with("line ") || text.starts_with("lines ");
  if (is_worded) text = text.substr(text.find(' ') + 1);
  if (text.empty() || text.find_first_not_of("0123456789-") != std::string::npos) return std::nullopt;
  const std::vector<CitedPlace> places = places_in("x:" + text);
  if (places.size() != 1 || places[0].first < kLeastLine) return std::nullopt;
  if (!is_worded && places[0].last <= places[0].first) return std::nullopt;
  return places[0];
}

// "the comment above `X` (`a.py:3`)" names a place that is not X's.
constexpr std::array<std::string_view, 9> kNear = {"above",  "below", "before", "after",  "behind",
                                                   "beside", "near",  "around", "next to"};

// A module, or a package around it, is named by its path: "`router` (`moe/router.py:30`)".
bool is_module_of(std::string_view name, std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return part.substr(0, part.find('.')) == last_part(name); });
}

bool ends_condition(std::string_view lead) {
  lead = trim(lead);
  if (is_any_of(last_word(lead), kNear)) return true;
  return is_any_of(last_word(lead), kConditionEnds) || lead.ends_with("instance of") ||
         lead.ends_with("differs from") || lead.ends_with("at least") || lead.ends_with("at most");
}

}  // namespace

void Verifier::check_beside(const std::vector<Sentence>& sentences, const Section& section) {
  for (std::size_t n = 0; n < sentences.size(); ++n) {
    const auto& [code, text] = sentences[n].spans;
    if (sides_.is_own_word(sentences[n].raw)) continue;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (place_of_text(code[i])) continue;
      std::string name = name_in(code[i]);
      if (code[i].starts_with("--")) name = replace_all(code[i].substr(2), "-", "_");
      const std::size_t close = code[i].find(')');
      if (name.empty() || !is_dotted_name(name) || (close != std::string::npos && close + 1 != code[i].size()))
        continue;
      if (ends_condition(text[i]) || has_any_word(text[i], internal::kDenials)) continue;
      std::optional<CitedPlace> place;
      std::string_view between = text[i + 1], behind;
      if (i + 1 < code.size()) {
        behind = text[i + 2];
        place = place_of_text(code[i + 1]);
        if (place && !leads_to_place(between)) place.reset();
        if (!place && has_file_ending(code[i + 1])) {  // "`f` at line 3 of `a.py`"
          const std::vector<CitedPlace> places = worded_places(fmt::format("{}`{}`", between, code[i + 1]));
          const std::string_view before = between.substr(0, to_lower(between).find("line"));
          if (places.size() == 1 && (leads_to_place(before) || trim(before).empty())) place = places[0];
        }
      } else if (n + 1 < sentences.size() && sentences[n].starts_cell && code.size() == 1 && trim(text[0]).empty() &&
                 trim(text[1]).empty()) {
        const auto& next = sentences[n + 1].spans;
        if (!next.code.empty() && trim(next.text[0]).empty()) place = place_of_text(next.code[0]);
        if (place && speaks_of_old_side(sentences[n + 1].raw)) behind = "(old)";
      }
      if (const std::size_t end = between.find(')'); !place && trim(between).starts_with('(') && end < between.size()) {
        const std::string_view inside = trim(between.substr(between.find('(') + 1, end - between.find('(') - 1));
        behind = between.substr(end);
        if (const auto lines = lines_in_brackets(inside)) {  // "`f` (12-20)", "`f` (line 12)"
          check_lines_beside(sentences[n], i, name, *lines, section);
          continue;
        }
        const std::vector<CitedPlace> places = places_in(inside);  // "`f` (a.py:3)"
        if (places.size() == 1 && inside.starts_with(places[0].path)) place = places[0];
        between = between.substr(0, between.find('(') + 1);
      }
      if (!place || !has_file_ending(place->path) || place->first == 0) continue;
      check_name_beside(sentences[n], i, name, *place, names_beginning(text[i], between, behind),
                        speaks_of_old_side(internal::words_of(sentences[n].spans)) || speaks_of_old_side(behind));
    }
  }
}

// Lines without a file are of one that the section names.
void Verifier::check_lines_beside(const Sentence& sentence, std::size_t at, const std::string& name,
                                  const CitedPlace& lines, const Section& section) {
  std::vector<std::string> paths;
  for (const CodeSpan& span : section.spans) {
    const auto place = place_of_text(span.text);
    const std::string& path = place ? place->path : span.text;
    if (!path.ends_with(".py")) continue;
    for (std::string& one : sides_.files_named(path)) {
      if (!is_any_of(one, paths)) paths.push_back(std::move(one));
    }
  }
  const std::size_t last = std::max(lines.first, lines.last);
  std::string nearest;
  for (const std::string& path : paths) {
    for (const bool before : {false, true}) {
      const Stand stand = sides_.facts().stands_at(name, path, lines.first, last, lines.last != 0, before);
      if (stand == Stand::kYes || stand == Stand::kInside || stand == Stand::kOfAnother) return;
      const std::size_t defined = before ? 0 : sides_.facts().definition_line(name, path, before);
      if (nearest.empty() && defined > 0) nearest = fmt::format("{}:{}", path, defined);
    }
  }
  if (nearest.empty()) return;
  ++result_.relations;
  add("symbol", sentence.lines[at + 1],
      fmt::format("{} at {}{}", name, lines.first, lines.last == 0 ? "" : fmt::format("-{}", lines.last)),
      "the name does not stand on such lines in the files of this section", std::move(nearest));
}

void Verifier::check_name_beside(const Sentence& sentence, std::size_t at, const std::string& name,
                                 const CitedPlace& place, bool is_beginning, bool is_old) {
  const std::string_view last = last_part(name);
  if (is_document_word(last)) return;
  ++result_.relations;
  // A parameter or a field that holds the function of the place, a module whose forward it is: nothing is defined by
  // its own name.
  const bool is_call = sentence.spans.code[at].ends_with(')');
  const bool is_plain = sentence.spans.code[at].ends_with("()") && sides_.is_defined(last);
  if (is_call && !is_plain && sides_.defines_function(place.path, place.first)) return;
  const std::size_t end = std::max(place.first, place.last);
  bool is_of_another = false;
  std::string nearest;
  for (const std::string& path : sides_.files_named(place.path)) {
    if (is_module_of(name, path) && !sides_.facts().defines_beside_module(name, path)) return;
    bool stands_after = false;
    for (const bool before : {false, true}) {
      const CitedSide side = before ? CitedSide::kBefore : CitedSide::kAfter;
      const CitedFile* file = sides_.has_file(side, path) ? sides_.file(side, path) : nullptr;
      if (file == nullptr) continue;
      const bool has_it = file->has_word(last) || sides_.is_option_value(last);
      // The old side's lines are meant where the sentence says so, or where the new side has no such name.
      if (before && stands_after && !is_old) continue;
      if (place.first > file->lines().size()) return;  // said of the place
      Stand stand = sides_.facts().stands_at(name, path, place.first, end, place.last != 0, before);
      if (stand == Stand::kUnknown) {
        const std::size_t first = place.first > kAround ? place.first - kAround : 0;
        if (path.ends_with(".py") || file->find_code(last, first, end + kAround, false)) return;
        stand = Stand::kNo;
      }
      if (stand == Stand::kYes) return;
      // "- `f` (`a.py:20`): …" may name the line on which f calls what the list is about.
      if (stand == Stand::kInside && (!is_beginning || sides_.facts().calls_on_line(name, path, place.first, before)))
        return;
      is_of_another = is_of_another || stand == Stand::kOfAnother;
      stands_after = stands_after || (!before && has_it);
      if (!nearest.empty()) continue;
      if (const std::size_t line = sides_.facts().definition_line(name, path, before); line > 0) {
        nearest = fmt::format("{}:{}", path, line);
      } else {
        // `C.f` as it is written, before an `f` of another class.
        auto elsewhere = file->find_code(name, 0, file->lines().size(), false);
        if (!elsewhere) elsewhere = file->find_code(last, 0, file->lines().size(), false);
        if (elsewhere) nearest = fmt::format("{}:{}", path, *elsewhere + 1);
      }
    }
  }
  // Where the file has no such name the sentence may be about another one.
  if (nearest.empty()) return;
  add("symbol", sentence.lines[at],
      fmt::format("{} at {}:{}{}", name, place.path, place.first,
                  place.last == 0 ? "" : fmt::format("-{}", place.last)),
      is_of_another ? "another class defines it there" : "the name does not stand there", std::move(nearest));
}

}  // namespace lockstep::writer
