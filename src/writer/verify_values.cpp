// Values that a sentence ties to a name: "`x` defaults to 5", "`LIMIT` is 30". That a number stands somewhere says
// nothing of it; here it is held against the thing itself, and only where the code says all that can be said of that.
#include <fmt/format.h>

#include <array>

#include "base/strings.h"
#include "report/source/defaults.h"
#include "writer/cited_facts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

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

// A list, a tuple or a dictionary: no number, text or truth value.
bool is_display(std::string_view value) {
  if (value.starts_with('(')) return value == "()" || (value.ends_with(')') && contains(value, ","));
  return (value.starts_with('[') && value.ends_with(']')) || (value.starts_with('{') && value.ends_with('}'));
}

/// What a sentence gives as the default of a name.
struct ToldDefault {
  std::string value;       ///< Empty: none.
  bool is_code = false;    ///< Of a code span.
  std::size_t at = 0;      ///< Which span or name it stands behind.
  bool is_switch = false;  ///< "on" and "off", which may mean more than True and False.
};

// The value in "`x` defaults to V", "whose default is V", "(V by default)"; none where a sentence gives that of
// something else.
ToldDefault default_behind(const Spans& spans, std::size_t name) {
  std::string_view after = trim(spans.text[name + 1]);
  // "The default of `x` is `4`."
  const std::string lead_words = to_lower(trim(spans.text[name]));
  const bool is_of = lead_words.ends_with("the default of") || lead_words.ends_with("the default value of");
  if (after == "is" && is_of && name + 1 < spans.code.size()) return {spans.code[name + 1], true, name + 1};
  if (after.starts_with("is ") && is_of) {
    std::string_view value = after.substr(3, after.find_first_of(" ,;)", 3) - 3);
    while (value.ends_with('.')) value.remove_suffix(1);
    return {std::string(value), false, name};
  }
  static constexpr std::array<std::string_view, 27> kLeads = {"now defaults to",
                                                              "defaults to",
                                                              "which defaults to",
                                                              ", which defaults to",
                                                              "is by default",
                                                              "with a default of",
                                                              "has a default of",
                                                              "has the default",
                                                              ", default",
                                                              ", whose default is",
                                                              "whose default is",
                                                              "(default",
                                                              "(defaults to",
                                                              ", defaulting to",
                                                              "(by default",
                                                              ": default",
                                                              "has default",
                                                              "with default",
                                                              "'s default is",
                                                              ", default is",
                                                              "— default",
                                                              "has a default value of",
                                                              "with a default value of",
                                                              "has the default value",
                                                              "(default value",
                                                              "whose default value is",
                                                              ", whose default value is"};
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
  if (is_verb && (value == "on" || value == "enabled")) return {"True", false, name, true};
  if (is_verb && (value == "off" || value == "disabled")) return {"False", false, name, true};
  return {std::string(value), false, name};
}

std::string option_name(std::string_view code) {
  std::string name(code.substr(0, code.find(':')));  // "`x: int`"
  if (name.starts_with("--")) return replace_all(name.substr(2), "-", "_");
  return is_dotted_name(name) && !name.ends_with(')') ? name : std::string();
}

// Of "off by default": None, zero and the like are off, too.
bool is_off(std::string_view value) {
  static constexpr std::array<std::string_view, 7> kOff = {"False", "None", "0", "", "none", "off", "disabled"};
  return is_any_of(plain_value(value), kOff) || is_same_value(value, "0");
}

// Whether a name with these declared defaults may be said to have the told one. Of several definitions any counts.
bool may_default_to(const CitedFacts& facts, std::string_view name, const std::vector<std::string>& known,
                    const ToldDefault& told) {
  const auto is_told = [&](const std::string& one) {
    if (told.is_switch && is_literal(one)) return is_off(one) == (told.value == "False");
    return is_same_value(one, told.value);
  };
  // A constant's own value; what is a call, or a name of which that is not known, may be anything.
  const auto may_be = [&](const std::string& one) {
    if (is_told(one)) return true;
    if (is_literal(one) || is_display(one)) return false;
    const std::vector<std::string> values =
        is_dotted_name(one) ? facts.constants_of(last_part(one)) : std::vector<std::string>();
    return values.empty() || std::any_of(values.begin(), values.end(), [&](const std::string& value) {
             return is_told(value) || !is_literal(value);
           });
  };
  if (std::any_of(known.begin(), known.end(), may_be)) return true;
  if (!is_any_of("None", known)) return false;
  // Where None is declared code may put something in its place.
  if (!is_literal(told.value)) return true;
  const CitedFacts::Fallbacks fallbacks = facts.fallbacks_of(name);
  return fallbacks.is_open || std::any_of(fallbacks.values.begin(), fallbacks.values.end(), is_told) ||
         facts.documents_default(name, told.value);
}

/// What a sentence says to have the setting that stands at `at`, and behind which span the default is told: "`x` of `f`
/// defaults to 5", "`f` takes `x`, which defaults to 5"; the owner is empty where it says nothing of it.
struct ToldOwner {
  std::string name;
  std::size_t behind = 0;
};
ToldOwner told_owner(const Spans& spans, std::size_t at, const CitedFacts& facts) {
  static constexpr std::array<std::string_view, 5> kHas = {"takes", "accepts", "now takes", "has", "'s"};
  const auto known = [&](std::size_t i) {
    std::string name = name_in(spans.code[i]);
    return facts.is_function(name) || facts.is_class(name) ? name : std::string();
  };
  if (at + 1 < spans.code.size() && trim(spans.text[at + 1]) == "of") {
    if (std::string owner = known(at + 1); !owner.empty()) return {std::move(owner), at + 1};
  }
  if (at > 0 && is_any_of(trim(spans.text[at]), kHas)) return {known(at - 1), at};
  return {{}, at};
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
    const ToldOwner owner = told_owner(spans, i, facts);
    const ToldDefault told = default_behind(spans, owner.behind);
    // The owner of what stood before it.
    if (i > 0 && told_owner(spans, i - 1, facts).behind == i) continue;
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
    if (known.empty()) known = facts.defaults_of(name, owner.name.empty() ? owner_part(written) : owner.name);
    if (known.empty()) continue;
    ++result_.relations;
    const bool is_setting = is_literal(told.value) || is_dotted_name(told.value);
    if (!is_setting || may_default_to(facts, name, known, told)) continue;
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

}  // namespace lockstep::writer
