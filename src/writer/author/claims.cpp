#include "writer/author/claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::has_any_word;
using internal::kDenials;
using internal::last_part;
using internal::name_in;
using internal::Spans;
using internal::spans_of;

constexpr std::size_t kShortestQuote = 6;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// These speak of what was.
constexpr std::string_view kEarlier[] = {"instead",  "rather",   "before", "old",       "was",
                                         "were",     "used",     "gone",   "removed",   "drops",
                                         "replaces", "replaced", "former", "previously"};

// "1e-5 + 0.5 * 9e-5": a calculation, no code of the repository.
bool has_names(std::string_view span) {
  bool found = false;
  for_each_word(span, [&](std::string_view word, std::size_t) {
    found =
        found || (word.size() > 2 && !is_digit(word.front()) && word != "None" && word != "True" && word != "False");
  });
  return found;
}

bool looks_like_code(std::string_view span) {
  if (span.size() < kShortestQuote || span.front() == '[' || span.front() == '(' || has_ellipsis(span)) return false;
  if (place_of_text(span) || is_dotted_name(span) || span.starts_with("--") || !has_names(span)) return false;
  return span.find('(') != std::string_view::npos || span.find('=') != std::string_view::npos;
}

// "rows * heads // groups", "min(shard, rest - 1)": what is worked out from names of the code quotes no line of it.
bool is_calculation(std::string_view span) {
  static constexpr std::string_view kOperators[] = {" + ", " - ", " * ", " / ", " // ", " % ", " ** "};
  if (span.find_first_of("\"'{}[]:@;") != std::string_view::npos) return false;
  for (std::size_t at = span.find('='); at != std::string_view::npos; at = span.find('=', at + 1)) {
    const bool compares =
        (at > 0 && contains("<>!=", span.substr(at - 1, 1))) || (at + 1 < span.size() && span[at + 1] == '=');
    if (!compares) return false;
  }
  return std::any_of(std::begin(kOperators), std::end(kOperators),
                     [&](std::string_view one) { return contains(span, one); });
}

// "a.b" of "a.b=3", "a.b == None", "a.b = 'x'": it tells what something holds, and quotes nothing. Empty for others.
std::string_view named_in_setting(std::string_view span) {
  const std::size_t equals = span.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view name = trim(span.substr(0, equals));
  std::string_view value = span.substr(equals + 1);
  value = trim(value.starts_with('=') ? value.substr(1) : value);
  const bool is_text = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                       value.find(value.front(), 1) == value.size() - 1;
  const bool is_number = !value.empty() && (is_digit(value.front()) || value.front() == '-' || value.front() == '.') &&
                         value.find_first_not_of("0123456789.eE+-_") == std::string_view::npos;
  const bool is_word = value == "None" || value == "True" || value == "False";
  return is_dotted_name(name) && (is_text || is_number || is_word) ? name : std::string_view();
}

// "For example, 4 ranks …": its numbers are the writer's own.
bool speaks_of_example(std::string_view text) {
  const std::string lower = to_lower(text);
  return contains(lower, "for example") || contains(lower, "for instance") || contains(lower, "e.g.") ||
         contains(lower, "suppose") || contains(lower, "say, ");
}

// "   12| code", "+   12| code", "a.py:12", "a.py:12-14", "@@ -1,2 +3,4 @@": where something stands, not how much there
// is.
bool is_line_number(std::string_view text, std::size_t at, std::size_t end) {
  const std::size_t before = text.find_last_not_of(' ', at == 0 ? 0 : at - 1);
  const bool starts_line = before == std::string_view::npos || text[before] == '\n' ||
                           ((text[before] == '+' || text[before] == '-') && (before == 0 || text[before - 1] == '\n'));
  if (starts_line && end < text.size() && text[end] == '|') return true;
  const std::string_view lead = text.substr(0, at);
  if (lead.ends_with("line ") || lead.ends_with("lines ")) return true;
  std::size_t first = at;
  if (first > 1 && text[first - 1] == '-' && is_digit(text[first - 2])) {
    --first;
    while (first > 0 && is_digit(text[first - 1])) --first;
  }
  if (first > 1 && text[first - 1] == ':' && is_word(text[first - 2])) return true;
  const std::size_t line = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at) + 1;
  return text.substr(line).starts_with("@@ ");
}

// The short name of a commit: seven or more of "0-9a-f", letters among them.
bool is_in_hash(std::string_view text, std::size_t at) {
  std::size_t first = at, end = at;
  while (first > 0 && is_word(text[first - 1])) --first;
  while (end < text.size() && is_word(text[end])) ++end;
  const std::string_view word = text.substr(first, end - first);
  return word.size() >= 7 && word.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         word.find_first_of("abcdef") != std::string_view::npos;
}

}  // namespace

void Material::add(std::string_view text) {
  text_ += text;
  text_ += '\n';
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (!is_in_hash(text, at)) (is_line_number(text, at, end) ? lines_ : numbers_).emplace(text.substr(at, end - at));
    at = end;
  }
}

ClaimChecker::ClaimChecker(const report::DocumentInputs& inputs, const CitedSides& sides)
    : inputs_(inputs), sides_(sides) {}

// "`f` reads `args.x` now": what the change took away is read no more.
void ClaimChecker::check_now(std::string_view sentence, SentenceCheck& result) const {
  const Spans spans = spans_of(sentence);
  const std::string words = join(spans.text, " ");
  constexpr std::string_view kNow[] = {"now"};
  if (!has_any_word(words, kNow) || has_any_word(words, kDenials) || has_any_word(words, kEarlier)) return;
  for (const std::string& span : spans.code) {
    const std::string name = name_in(span);
    const std::string_view word = last_part(name);
    if (word.size() < 3 || !is_gone(word)) continue;
    ++result.claims;
    result.faults.push_back({"symbol",
                             fmt::format("`{}` now", span),
                             fmt::format("'{}' stands only in the code before the change", word),
                             {}});
  }
}

bool ClaimChecker::is_gone(std::string_view word) const {
  const bool was_there =
      std::any_of(inputs_.change->files.begin(), inputs_.change->files.end(), [&](const change::FileSummary& file) {
        const CitedFile* before = sides_.file(CitedSide::kBefore, file.file->old_path);
        return before != nullptr && before->has_word(word);
      });
  if (!was_there) return false;
  for (const program::Module& module : inputs_.after->modules()) {
    const std::string_view bytes = module.facts->source().bytes();
    for (std::size_t at = bytes.find(word); at != std::string_view::npos; at = bytes.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !is_word(bytes[at - 1])) && (end == bytes.size() || !is_word(bytes[end]))) return false;
    }
  }
  return std::none_of(inputs_.change->files.begin(), inputs_.change->files.end(), [&](const change::FileSummary& file) {
    const CitedFile* after = sides_.file(CitedSide::kAfter, file.file->new_path);
    return after != nullptr && after->has_word(word);
  });
}

// `Shard(1)`: an object of a class, given constants alone, which the code may give by names.
bool ClaimChecker::is_value_of_class(std::string_view span) {
  const std::size_t open = span.find('(');
  if (open == std::string_view::npos || !span.ends_with(')')) return false;
  const std::string_view name = last_part(span.substr(0, open));
  const std::string_view given = span.substr(open + 1, span.size() - open - 2);
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' &&
         given.find_first_not_of("0123456789.,- ") == std::string_view::npos;
}

// What is said of a library that is not shown can be held against no code of the repository.
bool ClaimChecker::is_known_elsewhere(std::string_view sentence) { return contains(sentence, "(known of "); }

// Whether all names in it, but those of one or two letters, stand in what the writer was given or in the code.
bool ClaimChecker::are_known(std::string_view span, const Material& material) const {
  static constexpr std::string_view kFunctions[] = {"min", "max",  "abs", "ceil", "floor", "round",
                                                    "sum", "sqrt", "len", "log",  "exp",   "pow"};
  bool all = true;
  for_each_word(span, [&](std::string_view word, std::size_t) {
    const bool is_function = std::find(std::begin(kFunctions), std::end(kFunctions), word) != std::end(kFunctions);
    if (!is_function && word.size() > 2 && !is_digit(word.front()))
      all = all && (material.has_text(word) || sides_.has_text(word));
  });
  return all;
}

void ClaimChecker::check_quotes(std::string_view sentence, const Material& material, SentenceCheck& result) const {
  for (const std::string& span : spans_of(sentence).code) {
    if (!looks_like_code(span)) continue;
    ++result.claims;
    if (const std::string_view name = named_in_setting(span); !name.empty()) {
      if (!material.has_text(last_part(name)) && !sides_.has_text(last_part(name)))
        result.faults.push_back(
            {"symbol", fmt::format("`{}`", span), fmt::format("there is no '{}' anywhere", name), {}});
      continue;
    }
    // A call cut before further arguments is still that call.
    std::string shown = span;
    if (shown.ends_with(')')) shown.pop_back();
    if (shown.ends_with('(') || material.has_text(shown) || sides_.has_text(shown)) continue;
    if (sides_.is_own_word(span)) continue;
    if (is_calculation(span) && are_known(span, material)) continue;
    if (is_value_of_class(span) && are_known(span, material)) continue;
    if (sides_.is_message(span)) continue;
    result.faults.push_back({"quoted code", fmt::format("`{}`", span),
                             "this code stands nowhere: copy it exactly, or say it in words",
                             sides_.place_of_line(span)});
  }
}

void ClaimChecker::check_numbers(std::string_view sentence, const Material& material, SentenceCheck& result) {
  if (speaks_of_example(sentence)) return;
  for (const std::string& text : spans_of(sentence).text) {
    for (std::size_t at = 0; at < text.size();) {
      if (!is_digit(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_digit(text[end])) ++end;
      // "FP8", "v0.3.0", "16x" are words, versions and the like; one and two are words in digits. "#123" is a claim.
      const bool is_part = (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == ':')) ||
                           (end < text.size() && is_word(text[end]));
      const std::string digits = text.substr(at, end - at);
      const std::string_view lead = std::string_view(text).substr(0, at);
      const bool is_line = lead.ends_with("line ") || lead.ends_with("lines ");
      at = end;
      if (is_part || digits.size() > 9 || digits == "0" || digits == "1" || digits == "2") continue;
      ++result.claims;
      if (is_line ? !material.has_line(digits) : !material.has_number(digits))
        result.faults.push_back({"number", digits, "nothing that you were given holds this number", {}});
    }
  }
}

SentenceCheck ClaimChecker::check(std::string_view sentence, const Material& material) const {
  SentenceCheck result;
  const Verification verification = verify_document(sentence, sides_);
  result.claims = verification.places + verification.names + verification.lines + verification.relations;
  for (const CitationProblem& problem : verification.problems)
    result.faults.push_back({problem.kind, problem.text, problem.reason, problem.nearest});
  check_issues(sentence, result);
  check_collectives(sentence, result);
  check_now(sentence, result);
  check_quotes(sentence, material, result);
  check_numbers(sentence, material, result);
  if (is_known_elsewhere(sentence))
    std::erase_if(result.faults, [](const Fault& fault) {
      return fault.kind == "symbol" || fault.kind == "code" || fault.kind == "quoted code";
    });
  return result;
}

std::string ClaimChecker::fault_text(const Fault& fault) {
  std::string text = fmt::format("'{}': {}", fault.text, fault.reason);
  if (!fault.nearest.empty()) text += fmt::format("; nearest: '{}'", fault.nearest);
  return text;
}

}  // namespace lockstep::writer
