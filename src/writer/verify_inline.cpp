// Code that a sentence quotes beside a place ("`a.py:3` reads `x = 1`", "`x = 1` (`a.py:3`)"), and signatures. Only
// what claims to be there is held: sentences that propose something are not, nor are calls whose arguments a writer may
// have shortened.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

constexpr std::uint32_t kBefore = 5, kBehind = 30;  // lines around a place in which what is quoted there may stand

constexpr std::array<std::string_view, 8> kReads = {"stands",      "reads", "says",  "contains",
                                                    "which reads", "has",   "holds", "that reads"};
constexpr std::array<std::string_view, 6> kLeadsTo = {"", ")", "—", "-", "–", ","};
constexpr std::array<std::string_view, 11> kStandsAt = {"(",     "at", "in",  "is at", "stands at", "stands in",
                                                        "is in", "on", "(at", "(in",   "is on"};
constexpr std::array<std::string_view, 6> kStatements = {"return ", "assert ", "raise ", "del ", "yield ", "import "};

// Has a "=" of its own outside brackets, or begins as a statement does.
bool is_statement(std::string_view code) {
  if (std::any_of(kStatements.begin(), kStatements.end(),
                  [&](std::string_view word) { return code.starts_with(word); }))
    return true;
  if (code.ends_with(':') && (code.starts_with("if ") || code.starts_with("for ") || code.starts_with("while ") ||
                              code.starts_with("elif ") || code.starts_with("with ")))
    return true;
  int depth = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '(' || code[i] == '[' || code[i] == '{') ++depth;
    if (code[i] == ')' || code[i] == ']' || code[i] == '}') --depth;
    if (depth == 0 && code.substr(i).starts_with(" = ")) return true;
  }
  return false;
}

bool is_quotable(std::string_view code) {
  return code.size() >= 8 && code.find_first_of(" (") != std::string_view::npos && !place_of_text(code);
}

std::string joint(std::string_view text) {
  text = trim(text);
  while (text.ends_with(':') || text.ends_with(' ')) text.remove_suffix(1);
  return to_lower(text);
}

struct Argument {
  std::string name;
  std::string value;  // of `name=value`
  bool has_value = false;
};

// What stands between the brackets of "f(a, b=1)"; nullopt where it is no list of plain parameters.
std::optional<std::vector<Argument>> arguments_of(std::string_view inside) {
  std::vector<Argument> all;
  int depth = 0;
  std::size_t start = 0;
  const auto take = [&](std::string_view one) {
    one = trim(one);
    const std::size_t equals = one.find('=');
    std::string_view name = trim(one.substr(0, equals));
    if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) name = trim(name.substr(0, colon));
    if (one.empty() || name.starts_with('*') || name == "/") return true;
    const bool is_comparison = equals != std::string_view::npos && one.substr(equals + 1).starts_with('=');
    if (is_comparison || name.empty() || python::identifier_length(name) != name.size()) return false;
    const bool has_value = equals != std::string_view::npos;
    all.push_back({std::string(name), has_value ? std::string(trim(one.substr(equals + 1))) : "", has_value});
    return true;
  };
  for (std::size_t i = 0; i <= inside.size(); ++i) {
    const char c = i < inside.size() ? inside[i] : ',';
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth != 0 || c != ',') continue;
    if (!take(inside.substr(start, i - start))) return std::nullopt;
    start = i + 1;
  }
  return all;
}

std::string plain_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t') out += c == '\'' ? '"' : c;
  }
  return out;
}

const CitedParameter* parameter_of(const CitedSignature& signature, std::string_view name) {
  for (const CitedParameter& parameter : signature.parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

bool is_parameter(const std::vector<CitedSignature>& signatures, std::string_view name) {
  return std::any_of(signatures.begin(), signatures.end(),
                     [&](const CitedSignature& one) { return parameter_of(one, name) != nullptr; });
}

// The parameter that the name is a misspelling of; empty where none is near.
std::string nearest_parameter(const std::vector<CitedSignature>& signatures, std::string_view name) {
  const std::size_t limit = name.size() >= 6 ? 2 : name.size() >= 4 ? 1 : 0;
  for (const CitedSignature& signature : signatures) {
    for (const CitedParameter& parameter : signature.parameters) {
      if (parameter.name != name && edit_distance(parameter.name, name, limit) <= limit) return parameter.name;
    }
  }
  return {};
}

bool tells_signature(std::string_view text) {
  bool found = false;
  const std::string lower = to_lower(text);
  for_each_word(lower,
                [&](std::string_view word, std::size_t) { found = found || word == "signature" || word == "def"; });
  return found;
}

}  // namespace

void Verifier::check_inline_quote(std::uint32_t line, std::string_view code, const CitedPlace& place) {
  const std::vector<const CitedFile*> files = files_of({place});
  if (files.empty() || sides_.is_own_word(single_spaced(code))) return;
  ++result_.lines;
  const std::size_t first = place.first > kBefore ? place.first - kBefore - 1 : 0;
  const std::size_t last = std::max(place.first, place.last) + kBehind;
  std::optional<std::size_t> elsewhere;
  for (const CitedFile* file : files) {
    if (file->find_code(code, first, last, false)) return;
    if (!elsewhere) elsewhere = file->find_code(code, 0, file->lines().size(), false);
  }
  const std::string written = fmt::format("{}:{}", place.path, place.first);
  if (elsewhere)
    return add("quoted code", line, std::string(code), fmt::format("it does not stand at {}", written),
               fmt::format("{}:{}", place.path, *elsewhere + 1));
  std::string nearest;
  if (const auto like = files[0]->most_like(code, first, last))
    nearest = fmt::format("line {}: {}", *like + 1, trim(files[0]->lines()[*like]));
  add("quoted code", line, std::string(code), fmt::format("no such code in {}", place.path), std::move(nearest));
}

void Verifier::check_inline_quotes(const TextLine& line) {
  const std::vector<LinePart> parts = parts_of_line(line.text);
  std::string words;
  for (const LinePart& part : parts) words += part.is_code ? " " : part.text;
  if (parts.size() < 4 || speaks_of_proposal(words) || trim(line.text).starts_with('|')) return;
  for (std::size_t i = 1; i < parts.size(); i += 2) {  // code stands at odd places
    const std::string_view text = trim(parts[i].text);
    const auto place = place_of_text(text);
    if (place && has_file_ending(place->path)) {
      if (i + 2 < parts.size()) {
        const std::string_view code = trim(parts[i + 2].text);
        const std::string between = joint(parts[i + 1].text);
        const bool is_lead = is_any_of(between, kLeadsTo) && contains(parts[i + 1].text, ":");
        if (is_quotable(code) && (is_any_of(between, kReads) || (is_lead && is_statement(code))))
          check_inline_quote(line.line, code, *place);
      }
      if (i >= 3 && is_any_of(joint(parts[i - 1].text), kStandsAt)) {
        const std::string_view code = trim(parts[i - 2].text);
        if (is_quotable(code) && is_statement(code)) check_inline_quote(line.line, code, *place);
      }
    } else if (i >= 3 && has_file_ending(text)) {  // "`x = 1` is at line 3 of `a.py`"
      const auto worded = worded_places(fmt::format("{}`{}`", parts[i - 1].text, parts[i].text));
      const std::string between = joint(parts[i - 1].text.substr(0, to_lower(parts[i - 1].text).find("line")));
      const std::string_view code = trim(parts[i - 2].text);
      if (worded.size() == 1 && is_any_of(between, kStandsAt) && is_quotable(code) && is_statement(code))
        check_inline_quote(line.line, code, worded[0]);
    }
  }
}

// "f(a, b=1)" or "def f(a, b=1):" where the repository defines f: parameters that no definition has. A call may leave
// any out and give any value, so that defaults and plain arguments are held only where a signature is told.
void Verifier::check_signature(const CodeSpan& span, std::string_view text) {
  const bool is_definition = text.starts_with("def ");
  if (is_definition) text = trim(text.substr(4));
  const std::size_t open = text.find('(');
  std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
  if (!is_definition && close + 1 != text.size()) return;
  const std::string_view name = text.substr(0, open);
  if (!is_dotted_name(name) || has_ellipsis(text) || speaks_of_proposal(span.context)) return;
  const auto arguments = arguments_of(text.substr(open + 1, close - open - 1));
  if (!arguments) return;
  const std::vector<std::string_view> parts = split(name, '.');
  std::string_view owner;
  if (parts.size() > 1) {
    owner = parts[parts.size() - 2];
    if (!sides_.has_class(owner)) return;
  }
  const std::vector<CitedSignature> signatures = sides_.signatures_of(parts.back(), owner);
  if (signatures.empty() || arguments->empty()) return;
  if (std::any_of(signatures.begin(), signatures.end(), [](const CitedSignature& one) { return one.takes_any; }))
    return;
  // Beside the word "signature", what has nothing but its parameters is one.
  const bool is_told = is_definition || (tells_signature(span.context) &&
                                         std::all_of(arguments->begin(), arguments->end(), [&](const Argument& one) {
                                           return one.has_value || is_parameter(signatures, one.name);
                                         }));
  // A call that stands in the code.
  if (sides_.has_text(span.text)) return;
  for (const Argument& argument : *arguments) {
    bool is_known = false, has_default = false;
    std::string_view other;
    for (const CitedSignature& signature : signatures) {
      const CitedParameter* parameter = parameter_of(signature, argument.name);
      if (parameter == nullptr) continue;
      is_known = true;
      has_default = has_default || plain_value(parameter->default_value) == plain_value(argument.value);
      if (!parameter->default_value.empty()) other = parameter->default_value;
    }
    if (is_known) {
      if (!is_told || !argument.has_value || has_default || other.empty()) continue;
      return add("signature", span.line, std::string(span.text),
                 fmt::format("the default of '{}' is another at {}", argument.name, signatures[0].place),
                 fmt::format("{}={}", argument.name, other));
    }
    if (!argument.has_value && !is_definition) continue;
    std::string nearest = nearest_parameter(signatures, argument.name);
    if (nearest.empty() && !is_told) continue;
    return add("signature", span.line, std::string(span.text),
               fmt::format("{} at {} has no parameter '{}'", parts.back(), signatures[0].place, argument.name),
               std::move(nearest));
  }
}

}  // namespace lockstep::writer
