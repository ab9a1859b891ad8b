// Numbers that a sentence ties to a name or a list: "`f` takes 3 parameters", "`f` is called from 3 places", "6 files
// (+241 −27)", "4 options, `a`, `b` and 2 more".
#include <fmt/format.h>

#include <array>

#include "base/strings.h"
#include "writer/cited_facts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::count_in;
using internal::has_any_word;
using internal::name_in;
using internal::Sentence;
using internal::Spans;

// "3 parameters" at the start of "3 new parameters, …": the number, and whether it counts what is new; nullopt for
// others.
struct ToldCount {
  std::size_t count = 0;
  bool is_new = false;
  std::string unit;
};
std::optional<ToldCount> count_at(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kNew = {"new",      "more",         "additional", "further",
                                                            "extra",    "other",        "added",      "keyword",
                                                            "optional", "keyword-only", "positional", "required"};
  std::optional<ToldCount> told;
  for (std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!told) {
      const auto count = count_in(word);
      if (!count) return std::nullopt;
      told = ToldCount{*count, false, {}};
      continue;
    }
    if (is_any_of(word, kNew)) {
      // Kinds of parameters are not counted each.
      if (std::find(kNew.begin() + 6, kNew.end(), word) != kNew.end() && word != "added") return std::nullopt;
      if (word == "other" || word == "further") return std::nullopt;
      told->is_new = true;
      continue;
    }
    while (!word.empty() && std::string_view(",.;:()").find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    told->unit = word;
    return told;
  }
  return std::nullopt;
}

std::size_t number_at(std::string_view text, std::size_t& at) {
  std::size_t number = 0;
  for (std::size_t digits = 0; at < text.size() && text[at] >= '0' && text[at] <= '9' && digits < 9; ++at, ++digits)
    number = number * 10 + static_cast<std::size_t>(text[at] - '0');
  return number;
}

// "+241 −27" with whichever sign; reads from `at`, which stands on "+".
std::optional<std::pair<std::size_t, std::size_t>> counts_at(std::string_view text, std::size_t at) {
  const auto is_digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  if (!is_digit(++at)) return std::nullopt;
  const std::size_t added = number_at(text, at);
  while (at < text.size() && std::string_view(" ,/").find(text[at]) != std::string_view::npos) ++at;
  for (const std::string_view minus : {"−", "-", "–"}) {
    if (!text.substr(at).starts_with(minus)) continue;
    at += minus.size();
    if (!is_digit(at)) return std::nullopt;
    return std::pair{added, number_at(text, at)};
  }
  return std::nullopt;
}

/// Which calls a sentence counts.
enum class CountedCalls : std::uint8_t { kEither, kOutsideTests, kAll, kInTests, kUnknown };

// From what stands behind "is called from 3 places".
CountedCalls counted_calls(std::string_view behind) {
  const std::string text = to_lower(trim(behind));
  constexpr std::string_view kOutside[] = {"outside", "aside", "excluding", "apart", "besides", "beside", "production"};
  constexpr std::array<std::string_view, 6> kWith = {"with tests",     "with those in tests",  "including",
                                                     "tests included", "counting those in te", "together with"};
  // "in `a.py`", "of `C`", "when …": not all calls.
  static constexpr std::string_view kNarrowing[] = {"in",   "of",    "inside", "within", "under",  "by",  "on",
                                                    "per",  "that",  "where",  "when",   "which",  "for", "at",
                                                    "from", "whose", "during", "with",   "without"};
  const bool speaks_of_tests = contains(text, "test");
  if ((speaks_of_tests || contains(text, "production")) && has_any_word(text, kOutside))
    return CountedCalls::kOutsideTests;
  if (speaks_of_tests) {
    if (std::any_of(kWith.begin(), kWith.end(), [&](std::string_view one) { return contains(text, one); }))
      return CountedCalls::kAll;
    const bool is_of_tests = text.starts_with("in tests") || text.starts_with("in the tests") ||
                             text.starts_with(", all in tests") || text.starts_with(", all of them in tests");
    return is_of_tests ? CountedCalls::kInTests : CountedCalls::kUnknown;
  }
  const std::string_view first = std::string_view(text).substr(0, text.find_first_of(" ,.;:)("));
  return has_any_word(first, kNarrowing) ? CountedCalls::kUnknown : CountedCalls::kEither;
}

std::string shown_counts(const std::pair<std::size_t, std::size_t>& shown) {
  return shown.first == shown.second ? fmt::format("{}", shown.first)
                                     : fmt::format("{} outside tests, {} with tests", shown.first, shown.second);
}

}  // namespace

// "`f` is called from 3 places": with those in tests or without, as the sentence says, or either.
void Verifier::check_call_counts(const Sentence& sentence, std::size_t at, const std::string& name) {
  static constexpr std::array<std::string_view, 7> kLeads = {
      "is called from ",   "is called in ",     "is called at ", "is now called from ",
      "is now called in ", "is now called at ", "has "};
  const std::string_view after = trim(sentence.spans.text[at + 1]);
  for (const std::string_view lead : kLeads) {
    if (!after.starts_with(lead)) continue;
    std::string_view rest = after.substr(lead.size());
    for (const std::string_view only : {"only ", "just ", "exactly "}) {
      if (rest.starts_with(only)) rest.remove_prefix(only.size());
    }
    const auto told = count_at(rest);
    if (!told || told->is_new) continue;
    const bool is_caller = told->unit == "caller" || told->unit == "functions" || told->unit == "function";
    const bool is_place = told->unit == "place" || told->unit == "places" || told->unit == "call";
    if ((!is_place && !is_caller) || (lead == "has " && told->unit != "call" && told->unit != "caller")) continue;
    std::string_view behind = rest.substr(rest.find(told->unit) + told->unit.size());
    if (told->unit == "call" && trim(behind).starts_with("site")) {
      behind = trim(behind);
      behind.remove_prefix(std::min(behind.find_first_of(" ,.;:)("), behind.size()));
    }
    const auto counts =
        sides_.facts().call_counts(name, is_caller ? CitedFacts::CallUnit::kCaller : CitedFacts::CallUnit::kPlace);
    if (counts.all.empty()) continue;
    const CountedCalls counted = counted_calls(behind);
    if (counted == CountedCalls::kUnknown) continue;
    ++result_.relations;
    const bool is_outside = counts.outside_tests.contains(told->count), is_all = counts.all.contains(told->count);
    const bool holds = counted == CountedCalls::kOutsideTests ? is_outside
                       : counted == CountedCalls::kAll        ? is_all
                       : counted == CountedCalls::kInTests    ? counts.in_tests.contains(told->count)
                                                              : is_outside || is_all;
    if (!holds)
      add("number", sentence.lines[at + 1], fmt::format("`{}` {}{}", sentence.spans.code[at], lead, told->count),
          fmt::format("the call graph has another number of such {}", is_caller ? "functions" : "places"),
          shown_counts(counts.shown));
    return;
  }
}

// "`f` takes 3 parameters", "`f` gains two parameters".
void Verifier::check_counts(const Sentence& sentence) {
  const Spans& spans = sentence.spans;
  const CitedFacts& facts = sides_.facts();
  for (std::size_t i = 0; i < spans.code.size(); ++i) {
    const std::string name = name_in(spans.code[i]);
    const std::string_view after = trim(spans.text[i + 1]);
    if (name.empty()) continue;
    check_call_counts(sentence, i, name);
    for (const std::string_view lead : {"takes ", "accepts ", "now takes ", "gains ", "gets ", "also takes "}) {
      const auto told = after.starts_with(lead) ? count_at(after.substr(lead.size())) : std::nullopt;
      if (!told || !(told->unit.starts_with("parameter") || told->unit.starts_with("argument"))) continue;
      if (!facts.is_function(name)) continue;
      const bool is_new = told->is_new || lead == "gains " || lead == "gets " || lead == "also takes ";
      const std::set<std::size_t> counts = is_new ? facts.added_parameter_counts(name) : facts.parameter_counts(name);
      if (counts.empty()) continue;
      ++result_.relations;
      if (!counts.contains(told->count))
        add("number", sentence.lines[i + 1], fmt::format("`{}` {}{}", spans.code[i], lead, told->count),
            is_new ? "the change adds another number of parameters" : "it has another number of parameters",
            fmt::format("{}", *counts.rbegin()));
    }
  }
}

// A row "| `a.py` | +12 −3 | …": two cells of it, of which `counts` is the second.
void Verifier::check_row_counts(const Sentence& file, const Sentence& counts) {
  if (!file.starts_cell || file.spans.code.size() != 1 || !trim(internal::words_of(file.spans)).empty()) return;
  const std::string_view text = trim(counts.raw);
  const auto told = counts.spans.code.empty() && text.starts_with('+') ? counts_at(text, 0) : std::nullopt;
  if (!told || text.find_first_not_of("0123456789+-−– ,/") != std::string_view::npos) return;
  std::vector<std::pair<std::size_t, std::size_t>> expected;
  for (const std::string& path : sides_.files_named(file.spans.code[0])) {
    const auto one = sides_.counts_of(path);
    expected.insert(expected.end(), one.begin(), one.end());
  }
  if (expected.empty()) return;
  ++result_.relations;
  if (std::find(expected.begin(), expected.end(), *told) == expected.end())
    add("counts", counts.lines[0], fmt::format("+{} -{}", told->first, told->second),
        fmt::format("Git counts +{} -{}", expected[0].first, expected[0].second));
}

// "6 files (+241 −27)" of the change, "`a.py` (+12 −3)" of a file or folder.
void Verifier::check_line_counts(const Sentence& sentence) {
  const Spans& spans = sentence.spans;
  for (std::size_t i = 0; i < spans.text.size(); ++i) {
    const std::string_view text = spans.text[i];
    for (std::size_t at = text.find("(+"); at != std::string_view::npos; at = text.find("(+", at + 1)) {
      const auto told = counts_at(text, at + 1);
      if (!told) continue;
      const std::string_view lead = trim(text.substr(0, at));
      const std::string written = fmt::format("+{} -{}", told->first, told->second);
      std::vector<std::pair<std::size_t, std::size_t>> expected;
      if (lead.empty() && i > 0) {
        for (const std::string& path : sides_.files_named(spans.code[i - 1])) {
          const auto counts = sides_.counts_of(path);
          expected.insert(expected.end(), counts.begin(), counts.end());
        }
      } else if (lead.ends_with("file") || lead.ends_with("files") || lead.ends_with("file changed") ||
                 lead.ends_with("files changed")) {
        const std::string_view words = lead.substr(0, lead.rfind(" file"));
        const auto files =
            count_in(words.substr(words.rfind(' ') == std::string_view::npos ? 0 : words.rfind(' ') + 1));
        const auto all = sides_.counts_of_all();
        if (all) expected.push_back(all->lines);
        if (all && files) {
          ++result_.relations;
          if (*files != all->files)
            add("counts", sentence.lines[i], fmt::format("{} files", *files),
                fmt::format("Git counts {}", count_of(all->files, "file")));
        }
      }
      if (expected.empty()) continue;
      ++result_.relations;
      if (std::find(expected.begin(), expected.end(), *told) == expected.end())
        add("counts", sentence.lines[i], written,
            fmt::format("Git counts +{} -{}", expected[0].first, expected[0].second));
    }
  }
}

// "3 options (`a`, `b` and `c`)", "10 entries, `a`, `b` and 8 more": as many as are listed.
void Verifier::check_lists(const Sentence& sentence) {
  static constexpr std::array<std::string_view, 32> kUnits = {
      "options", "flags",      "arguments",   "parameters", "fields",    "methods",     "functions", "classes",
      "tests",   "entries",    "files",       "keys",       "names",     "definitions", "settings",  "modules",
      "imports", "attributes", "helpers",     "constants",  "callers",   "subclasses",  "knobs",     "converters",
      "configs", "properties", "collectives", "algorithms", "variables", "calls",       "modes",     "choices"};
  const Spans& spans = sentence.spans;
  for (std::size_t i = 0; i + 1 < spans.code.size(); ++i) {
    // "… 3 new options: " right before the first of the list.
    std::string_view lead = trim(spans.text[i]);
    if (lead.empty() || std::string_view(",:(").find(lead.back()) == std::string_view::npos) continue;
    const bool in_brackets = lead.back() == '(';
    lead = trim(lead.substr(0, lead.size() - 1));
    const std::vector<std::string_view> words = split(lead, ' ');
    if (words.size() < 2 || !is_any_of(words.back(), kUnits)) continue;
    std::optional<std::size_t> said;
    for (std::size_t back = 2; back <= 3 && back <= words.size() && !said; ++back)
      said = count_in(words[words.size() - back]);
    if (!said || *said < 2) continue;
    std::size_t listed = 1, at = i + 1;
    bool has_end = false, is_list = true;
    for (; at < spans.text.size(); ++at) {
      const std::string_view joint = trim(spans.text[at]);
      const bool is_joint = joint == "," || joint == "and" || joint == ", and";
      if (is_joint && at < spans.code.size()) {
        ++listed;
        has_end = has_end || joint != ",";
        continue;
      }
      std::string_view rest = joint;
      if (rest.starts_with(", and ")) rest.remove_prefix(1);
      rest = trim(rest);
      if (rest.starts_with("and ")) {
        const std::vector<std::string_view> tail = split(rest, ' ');
        const auto more = count_in(tail[1]);
        const std::string_view word = tail.size() > 2 ? tail[2].substr(0, tail[2].find_first_of(".,;)")) : "";
        is_list = more && word == "more";
        if (is_list) listed += *more, has_end = true;
      } else {
        is_list =
            in_brackets ? rest.starts_with(')') : rest.empty() || rest[0] == '.' || rest[0] == ';' || rest[0] == ',';
        // Without an "and" more may follow, or the list may be an aside.
        if (!has_end && !(in_brackets && is_list)) is_list = false;
      }
      break;
    }
    if (!is_list || listed < 2) continue;
    ++result_.relations;
    if (listed != *said)
      add("number", sentence.lines[i], fmt::format("{} {}", *said, words.back()), fmt::format("it lists {}", listed));
  }
}

}  // namespace lockstep::writer
