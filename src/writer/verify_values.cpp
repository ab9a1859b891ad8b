// Values that a sentence ties to a name: "`x` defaults to 5", "`LIMIT` is 30", "`f` takes 3 parameters", "`f` is called
// from 3 places", "6 files (+241 −27)", "4 options, `a`, `b` and 2 more". That a number stands somewhere says nothing
// of it; here it is held against the thing itself, and only where the code says all that can be said of that.
#include <fmt/format.h>

#include <array>

#include "base/strings.h"
#include "report/source/defaults.h"
#include "writer/cited_facts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::count_in;
using internal::has_any_word;
using internal::last_part;
using internal::name_in;
using internal::owner_part;
using internal::Sentence;
using internal::Spans;

constexpr std::string_view kConditional[] = {"if",    "when",  "where",     "unless",   "with",    "while",   "would",
                                             "could", "might", "should",    "suppose",  "imagine", "example", "say",
                                             "until", "once",  "otherwise", "whenever", "given",   "for"};

// `"x"`, 'x' and x are one value.
std::string plain_value(std::string_view value) {
  value = trim(value);
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  return replace_all(replace_all(value, "'", "\""), " ", "");
}

// "4", "4.0" and "1_000" are numbers however they are written.
bool is_same_value(std::string_view a, std::string_view b) {
  const std::string x = replace_all(plain_value(a), "_", ""), y = replace_all(plain_value(b), "_", "");
  if (plain_value(a) == plain_value(b) || x == y) return true;
  // Whole numbers may be larger than what a comparison of numbers tells apart.
  const bool are_whole = (x + y).find_first_not_of("0123456789") == std::string::npos;
  return !are_whole && report::same_number(x, y).value_or(false);
}

bool is_text(std::string_view value) {
  return value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front() &&
         value.find(value.front(), 1) == value.size() - 1;
}

bool is_number(std::string_view value) {
  return !value.empty() && value.find_first_not_of("0123456789.eE+-_") == std::string_view::npos &&
         value.find_first_of("0123456789") != std::string_view::npos;
}

bool is_literal(std::string_view value) {
  return value == "None" || value == "True" || value == "False" || is_number(value) || is_text(value);
}

/// What a sentence gives as the default of a name.
struct ToldDefault {
  std::string value;     ///< Empty: none.
  bool is_code = false;  ///< Of a code span.
  std::size_t at = 0;    ///< Which span or name it stands behind.
};

// The value in "`x` defaults to V", "whose default is V", "(V by default)"; none where a sentence gives that of
// something else.
ToldDefault default_behind(const Spans& spans, std::size_t name) {
  std::string_view after = trim(spans.text[name + 1]);
  // "The default of `x` is `4`."
  const std::string lead_words = to_lower(trim(spans.text[name]));
  if (after == "is" && lead_words.ends_with("the default of") && name + 1 < spans.code.size())
    return {spans.code[name + 1], true, name + 1};
  static constexpr std::array<std::string_view, 21> kLeads = {
      "now defaults to",   "defaults to",      "which defaults to", ", which defaults to", "is by default",
      "with a default of", "has a default of", "has the default",   ", default",           ", whose default is",
      "whose default is",  "(default",         "(defaults to",      ", defaulting to",     "(by default",
      ": default",         "has default",      "with default",      "'s default is",       ", default is",
      "— default"};
  for (const std::string_view lead : kLeads) {
    if (!after.starts_with(lead)) continue;
    std::string_view rest = after.substr(lead.size());
    if (!rest.empty() && rest[0] != ' ' && rest[0] != ':' && rest[0] != '=') continue;
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == ':' || rest[0] == '=')) rest.remove_prefix(1);
    if (rest.empty())
      return name + 1 < spans.code.size() ? ToldDefault{spans.code[name + 1], true, name + 1} : ToldDefault();
    std::string_view value = rest.substr(0, rest.find_first_of(" ,;)"));
    while (value.ends_with('.')) value.remove_suffix(1);
    return {std::string(value), false, name};
  }
  // "`x` is 5 by default", "`x` is `5` by default", "`x` steps, 5 by default"
  if (after == "is" && name + 2 < spans.text.size() && trim(spans.text[name + 2]).starts_with("by default"))
    return {spans.code[name + 1], true, name + 1};
  const std::size_t by_default = after.find(" by default");
  if (by_default == std::string_view::npos) return {};
  const std::string_view before = after.substr(0, by_default);
  const std::size_t blank = before.rfind(' ');
  const std::string_view value = before.substr(blank == std::string_view::npos ? 0 : blank + 1);
  const std::string_view verb = blank == std::string_view::npos ? std::string_view() : trim(before.substr(0, blank));
  const bool is_verb = verb == "is" || verb == "is now" || verb.empty();
  if (is_verb && (value == "on" || value == "enabled")) return {"True", false, name};
  if (is_verb && (value == "off" || value == "disabled")) return {"False", false, name};
  return {std::string(value), false, name};
}

std::string option_name(std::string_view code) {
  std::string name(code.substr(0, code.find(':')));  // "`x: int`"
  if (name.starts_with("--")) return replace_all(name.substr(2), "-", "_");
  return is_dotted_name(name) && !name.ends_with(')') ? name : std::string();
}

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

}  // namespace

void Verifier::check_defaults(const Sentence& sentence, const Sentence& whole) {
  const Spans& spans = sentence.spans;
  if (!contains(internal::words_of(spans), "default")) return;
  const CitedFacts& facts = sides_.facts();
  for (std::size_t i = 0; i < spans.code.size(); ++i) {
    // "`field` (`a.py:3`), argument `--field`, default `4`": of an option made from a field, the field's.
    const bool is_of_field = i > 0 && spans.code[i].starts_with("--") && trim(spans.text[i]) == ", argument" &&
                             facts.is_made_elsewhere(spans.code[i]);
    const std::string& holder = spans.code[is_of_field ? i - 1 : i];
    const std::string written = option_name(holder);
    const std::string name(last_part(written));
    const ToldDefault told = default_behind(spans, i);
    if (name.empty() || told.value.empty() || !is_dotted_name(name) || is_document_word(name)) continue;
    if (!told.is_code && !is_literal(told.value)) continue;
    if (has_ellipsis(told.value)) continue;
    // Where the name's own place is told, what is declared there.
    std::vector<std::string> known;
    for (std::size_t at = 0; at + 1 < whole.spans.code.size(); ++at) {
      const auto place = whole.spans.code[at] == holder ? place_of_text(whole.spans.code[at + 1]) : std::nullopt;
      if (place && trim(whole.spans.text[at + 1]).starts_with('(') && known.empty())
        known = facts.defaults_at(name, place->path, place->first);
    }
    if (holder.starts_with("--") && facts.is_made_elsewhere(holder)) continue;
    if (known.empty()) known = facts.defaults_of(name, owner_part(written));
    if (known.empty()) continue;
    ++result_.relations;
    const auto is_told = [&](const std::string& one) { return is_same_value(one, told.value); };
    if (std::any_of(known.begin(), known.end(), is_told)) continue;
    // A default that is a call or a name may be anything; code works out something where None is declared.
    const bool is_open = std::any_of(known.begin(), known.end(), [&](const std::string& one) {
      return !is_literal(one) || (one == "None" && facts.is_worked_out(name));
    });
    const bool is_setting = is_literal(told.value) || is_dotted_name(told.value);
    if (is_open || !is_setting) continue;
    add("number", sentence.lines[i + 1], fmt::format("`{}` … default {}", holder, told.value),
        fmt::format("the default of '{}' is another one", name), join(known, ", "));
  }
}

// "`LIMIT` is 30", "`LIMIT = 30`".
void Verifier::check_constants(const Sentence& sentence) {
  const Spans& spans = sentence.spans;
  const CitedFacts& facts = sides_.facts();
  for (std::size_t i = 0; i < spans.code.size(); ++i) {
    std::string name(last_part(name_in(spans.code[i]))), value;
    if (const std::size_t equals = spans.code[i].find(" = "); equals != std::string::npos) {
      name = trim(std::string_view(spans.code[i]).substr(0, equals));
      value = trim(std::string_view(spans.code[i]).substr(equals + 3));
    } else if (!name.empty()) {
      std::string_view after = trim(spans.text[i + 1]);
      for (const std::string_view lead : {"is set to", "is now", "is", "=", "equals"}) {
        if (after != lead && !after.starts_with(std::string(lead) + " ")) continue;
        after = trim(after.substr(lead.size()));
        value = after.empty() && i + 1 < spans.code.size() ? spans.code[i + 1]
                                                           : after.substr(0, after.find_first_of(" ,;)"));
        while (value.ends_with('.')) value.pop_back();
        break;
      }
    }
    if (name.empty() || !is_number(value)) continue;
    if (has_any_word(spans.text[i], kConditional) || has_any_word(spans.text[i + 1], kConditional) ||
        speaks_of_proposal(internal::words_of(spans)))
      continue;
    const std::vector<std::string> known = facts.constants_of(name);
    if (known.empty()) continue;
    ++result_.relations;
    const bool holds =
        std::any_of(known.begin(), known.end(), [&](const std::string& one) { return is_same_value(one, value); });
    const bool is_open =
        std::any_of(known.begin(), known.end(), [](const std::string& one) { return !is_number(one); });
    if (!holds && !is_open)
      add("number", sentence.lines[i + 1], fmt::format("`{}` is {}", name, value),
          fmt::format("'{}' is another number", name), join(known, ", "));
  }
}

// "`f` is called from 3 places", with or without those in tests; "`f` takes 3 parameters", "`f` gains two parameters".
void Verifier::check_counts(const Sentence& sentence) {
  const Spans& spans = sentence.spans;
  const CitedFacts& facts = sides_.facts();
  for (std::size_t i = 0; i < spans.code.size(); ++i) {
    const std::string name = name_in(spans.code[i]);
    const std::string_view after = trim(spans.text[i + 1]);
    if (name.empty()) continue;
    const auto hold = [&](std::size_t said, const std::set<std::size_t>& counts, std::string_view what,
                          std::string reason) {
      if (counts.empty()) return;
      ++result_.relations;
      if (!counts.contains(said))
        add("number", sentence.lines[i + 1], fmt::format("`{}` {}{}", spans.code[i], what, said), std::move(reason),
            fmt::format("{}", *counts.rbegin()));
    };
    for (const std::string_view lead : {"is called from ", "is called in ", "has "}) {
      const auto told = after.starts_with(lead) ? count_at(after.substr(lead.size())) : std::nullopt;
      if (!told || told->is_new) continue;
      const bool is_place = told->unit.starts_with("place") || told->unit == "call" || told->unit.starts_with("caller");
      const bool ends_well = lead != "has " || told->unit == "call" || told->unit.starts_with("caller");
      if (is_place && ends_well && told->unit != "callers")
        hold(told->count, facts.call_counts(name), lead, "the call graph has another number of such places");
    }
    for (const std::string_view lead : {"takes ", "accepts ", "now takes ", "gains ", "gets ", "also takes "}) {
      const auto told = after.starts_with(lead) ? count_at(after.substr(lead.size())) : std::nullopt;
      if (!told || !(told->unit.starts_with("parameter") || told->unit.starts_with("argument"))) continue;
      if (!facts.is_function(name)) continue;
      const bool is_new = told->is_new || lead == "gains " || lead == "gets " || lead == "also takes ";
      hold(told->count, is_new ? facts.added_parameter_counts(name) : facts.parameter_counts(name), lead,
           is_new ? "the change adds another number of parameters" : "it has another number of parameters");
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
