#include "writer/author/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "report/story_code.h"
#include "writer/verify.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

using internal::Relation;
using internal::Spans;
using internal::spans_of;
using program::FunctionId;
using program::Program;

constexpr std::size_t kShortestQuote = 6;
constexpr int kMostNesting = 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// "f", "C.f", "f()", "f(x)" -> "f", "C.f"; empty where it is no name.
std::string name_in(std::string_view span) {
  span = span.substr(0, span.find('('));
  return is_dotted_name(span) ? std::string(span) : std::string();
}

// "C" of "C.m"; empty where there is no dot.
std::string_view owner_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

bool ends_with_name(std::string_view qualified, std::string_view name) {
  return qualified == name || (qualified.ends_with(name) && qualified[qualified.size() - name.size() - 1] == '.');
}

// What the words between two names say of them; only where nothing else stands between.
Relation relation_in(std::string_view between) {
  static constexpr std::array<std::string_view, 24> kFillers = {
      "then",   "also",     "now", "directly", "only", "still", "first", "which",  "that",  "the",  "a",   "an",
      "method", "function", "it",  "in",       "turn", "and",   "once",  "always", "again", "just", "its", "helper"};
  std::vector<std::string> words;
  for (const std::string_view word : split(between, ' ')) {
    const std::string lower = to_lower(trim(word));
    if (lower.empty() || std::find(kFillers.begin(), kFillers.end(), lower) != kFillers.end()) continue;
    words.push_back(lower);
  }
  const std::string text = join(words, " ");
  if (text == "calls" || text == "invokes" || text == "call" || text == "calls into") return Relation::kCalls;
  if (text == "is called by" || text == "called by" || text == "is called from" || text == "called from" ||
      text == "is invoked by" || text == "invoked by" || text == "is called inside")
    return Relation::kCalledBy;
  if (text == "no longer calls" || text == "does not call" || text == "never calls" || text == "doesn't call")
    return Relation::kCallsNot;
  if (text == "inherits from" || text == "derives from" || text == "extends" || text == "is subclass of" ||
      text == "subclasses")
    return Relation::kDerives;
  if (text == "overrides") return Relation::kOverrides;
  if (text == "issues" || text == "performs" || text == "launches" || text == "runs") return Relation::kIssues;
  return Relation::kNone;
}

bool is_collective(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kNames = {"all_reduce",
                                                              "all_gather",
                                                              "all_gather_into_tensor",
                                                              "reduce_scatter",
                                                              "reduce_scatter_tensor",
                                                              "broadcast",
                                                              "all_to_all",
                                                              "all_to_all_single",
                                                              "barrier",
                                                              "reduce",
                                                              "gather",
                                                              "scatter",
                                                              "send",
                                                              "recv"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// A sentence with one of these says that something is not so, or only might be.
constexpr std::string_view kDenials[] = {"no",      "not", "never",  "nothing", "none",  "without",
                                         "neither", "nor", "cannot", "would",   "could", "might",
                                         "unless",  "if",  "stops",  "longer"};
/// These speak of what was.
constexpr std::string_view kEarlier[] = {"instead",  "rather",   "before", "old",       "was",
                                         "were",     "used",     "gone",   "removed",   "drops",
                                         "replaces", "replaced", "former", "previously"};

template <std::size_t kCount>
bool has_any_word(std::string_view text, const std::string_view (&words)[kCount]) {
  bool found = false;
  for_each_word(text, [&](std::string_view word, std::size_t) {
    const std::string lower = to_lower(word);
    found = found || std::find(std::begin(words), std::end(words), lower) != std::end(words);
  });
  return found;
}

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

internal::Spans internal::spans_of(std::string_view sentence) {
  Spans spans;
  spans.text.emplace_back();
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t end = sentence[at] == '`' ? std::min(sentence.find_first_not_of('`', at), sentence.size()) : at;
    const std::string_view run = sentence.substr(at, end - at);
    const std::size_t close = run.empty() ? std::string_view::npos : sentence.find(run, end);
    if (close == std::string_view::npos) {
      spans.text.back() += sentence[at++];
      continue;
    }
    spans.code.emplace_back(trim(sentence.substr(end, close - end)));
    spans.text.emplace_back();
    at = close + run.size();
  }
  return spans;
}

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

ClaimChecker::Side ClaimChecker::side_of(const Program* program, const mesh::MeshAnalysis* mesh) {
  Side side{program, mesh, {}, {}};
  for (std::size_t i = 0; i < program->functions().size(); ++i) {
    const FunctionId id(i);
    if (program->functions()[id].kind == program::FunctionKind::kFunction)
      side.functions[program->functions()[id].name].push_back(id);
  }
  for (std::size_t i = 0; i < program->classes().size(); ++i)
    side.classes[program->classes()[program::ClassId(i)].name].push_back(program::ClassId(i));
  return side;
}

ClaimChecker::ClaimChecker(const report::DocumentInputs& inputs, const CitedSides& sides)
    : inputs_(inputs),
      sides_(sides),
      after_(side_of(inputs.after, inputs.after_mesh)),
      before_(side_of(inputs.before, inputs.before_mesh)) {}

// A class means all its methods: "`MoELayer` calls `f`".
std::vector<FunctionId> ClaimChecker::functions_of(const Side& side, std::string_view name) {
  std::vector<FunctionId> found;
  if (const auto at = side.functions.find(last_part(name)); at != side.functions.end()) {
    for (const FunctionId id : at->second) {
      if (ends_with_name(side.program->functions()[id].qualified_name, name)) found.push_back(id);
    }
  }
  if (const auto at = side.classes.find(last_part(name)); at != side.classes.end()) {
    for (const program::ClassId id : at->second) {
      const program::Class& cls = side.program->classes()[id];
      if (ends_with_name(cls.qualified_name, name)) found.insert(found.end(), cls.methods.begin(), cls.methods.end());
    }
  }
  return found;
}

bool ClaimChecker::is_known_function(std::string_view name) const {
  return !functions_of(after_, name).empty() || !functions_of(before_, name).empty();
}

bool ClaimChecker::has_call(const Side& side, std::string_view caller, std::string_view callee) {
  const Program& program = *side.program;
  const std::string_view last = last_part(callee);
  const std::vector<FunctionId> targets = functions_of(side, callee);
  std::vector<std::pair<FunctionId, int>> pending;
  for (const FunctionId id : functions_of(side, caller)) pending.emplace_back(id, 0);
  const std::size_t own = pending.size();
  for (std::size_t next = 0; next < pending.size() && next < own + 200; ++next) {
    const auto [id, depth] = pending[next];
    for (const program::CallId call : program.functions()[id].calls) {
      const program::CallSite& site = program.calls()[call];
      if (const auto* node = python::as<python::Call>(site.node); node != nullptr && report::callee_name(*node) == last)
        return true;
      for (const program::CallTarget& target : site.targets) {
        if (!target.function.valid()) {
          if (ends_with_name(target.external, last)) return true;
          continue;
        }
        if (std::find(targets.begin(), targets.end(), target.function) != targets.end()) return true;
        // What is defined inside a function is part of it.
        if (depth < kMostNesting && program.functions()[target.function].enclosing == id)
          pending.emplace_back(target.function, depth + 1);
      }
    }
  }
  return false;
}

bool ClaimChecker::has_collective(const Side& side, std::string_view function, std::string_view operation) {
  if (side.mesh == nullptr) return false;
  for (const FunctionId id : functions_of(side, function)) {
    if (contains(side.mesh->trace_text(id), operation)) return true;
    const auto sites = side.mesh->collectives_of(id);
    if (std::any_of(sites.begin(), sites.end(), [&](const auto& site) { return site.operation == operation; }))
      return true;
    // Reached below what a trace tells.
    if (side.mesh->may_communicate(id)) return true;
  }
  return false;
}

bool ClaimChecker::has_method(const Side& side, std::string_view name) {
  const std::vector<FunctionId> functions = functions_of(side, name);
  return std::any_of(functions.begin(), functions.end(),
                     [&](FunctionId id) { return side.program->functions()[id].owner.valid(); });
}

bool ClaimChecker::derives(const Side& side, std::string_view cls, std::string_view base) {
  const auto at = side.classes.find(last_part(cls));
  if (at == side.classes.end()) return false;
  return std::any_of(at->second.begin(), at->second.end(), [&](program::ClassId id) {
    const program::Class& one = side.program->classes()[id];
    const auto is_base = [&](std::string_view name) { return ends_with_name(name, last_part(base)); };
    return std::any_of(
               one.linearized.begin(), one.linearized.end(),
               [&](program::ClassId above) { return is_base(side.program->classes()[above].qualified_name); }) ||
           std::any_of(one.external_ancestors.begin(), one.external_ancestors.end(), is_base);
  });
}

void ClaimChecker::check_relation(Relation relation, const std::string& first, const std::string& second,
                                  const std::string& written, SentenceCheck& result) const {
  const auto either = [&](auto holds) { return holds(after_) || holds(before_); };
  const auto hold = [&](std::string_view kind, bool is_true, std::string reason) {
    ++result.claims;
    if (!is_true) result.faults.push_back({kind, written, std::move(reason), {}});
  };
  switch (relation) {
    case Relation::kCalls:
      if (is_known_function(first))
        hold("call", either([&](const Side& side) { return has_call(side, first, second); }),
             fmt::format("the call graph has no call of '{}' in '{}'", second, first));
      return;
    case Relation::kCallsNot:
      if (is_known_function(first))
        hold("call", !has_call(after_, first, second),
             fmt::format("'{}' does call '{}' after the change", first, second));
      return;
    case Relation::kOverrides:
    case Relation::kDerives: {
      // "`C.m` overrides `B.m`" says that C derives from B.
      const bool is_method = relation == Relation::kOverrides;
      if (is_method && owner_part(first).empty() && is_known_function(first)) {
        hold("base class", either([&](const Side& side) { return has_method(side, first); }),
             fmt::format("'{}' is a function of a module: it overrides nothing", first));
        return;
      }
      const std::string_view cls = is_method ? owner_part(first) : std::string_view(first);
      const std::string_view base = is_method ? owner_part(second) : std::string_view(second);
      if (!cls.empty() && !base.empty() && after_.classes.contains(last_part(cls)))
        hold("base class", either([&](const Side& side) { return derives(side, cls, base); }),
             fmt::format("'{}' is not above '{}'", base, cls));
      return;
    }
    case Relation::kIssues:
      if (is_collective(last_part(second)) && is_known_function(first))
        hold("collective", either([&](const Side& side) { return has_collective(side, first, last_part(second)); }),
             fmt::format("'{}' is not known to issue '{}'", first, second));
      return;
    case Relation::kCalledBy:
    case Relation::kNone:
      return;
  }
}

void ClaimChecker::check_relations(std::string_view sentence, SentenceCheck& result) const {
  const Spans spans = spans_of(sentence);
  // "`f` calls `a`, `b` and `c`": what goes on with commas says the same of `f`.
  std::string subject;
  Relation going_on = Relation::kNone;
  for (std::size_t i = 0; i + 1 < spans.code.size(); ++i) {
    const std::string& between = spans.text[i + 1];
    std::string first = name_in(spans.code[i]), second = name_in(spans.code[i + 1]);
    Relation relation = relation_in(between);
    const std::string_view joint = trim(between);
    if (joint == "," || joint == "and" || joint == ", and" || joint == "or") {
      relation = going_on;
      first = subject;
    } else {
      going_on = relation == Relation::kCalls || relation == Relation::kIssues ? relation : Relation::kNone;
      subject = first;
    }
    if (first.empty() || second.empty()) continue;
    if (relation == Relation::kCalledBy) {
      std::swap(first, second);
      relation = Relation::kCalls;
    }
    check_relation(relation, first, second, fmt::format("`{}`{}`{}`", spans.code[i], between, spans.code[i + 1]),
                   result);
  }
}

// "It issues an `all_reduce` in `f`": some function that the sentence is about must.
void ClaimChecker::check_collectives(std::string_view sentence, SentenceCheck& result) const {
  const Spans spans = spans_of(sentence);
  if (has_any_word(join(spans.text, " "), kDenials)) return;
  for (const std::string& span : spans.code) {
    const std::string operation(last_part(name_in(span)));
    if (!is_collective(operation) || is_known_function(operation)) continue;
    for (std::size_t i = 0; i < spans.code.size(); ++i) {
      const std::string name = name_in(spans.code[i]);
      const std::string_view lead = trim(spans.text[i]);
      const bool is_place =
          lead == "in" || lead.ends_with(" in") || lead.ends_with("inside") || lead.ends_with("within");
      if (!is_place || name.empty() || !is_known_function(name)) continue;
      ++result.claims;
      if (has_collective(after_, name, operation) || has_collective(before_, name, operation)) continue;
      result.faults.push_back({"collective",
                               fmt::format("`{}` in `{}`", span, spans.code[i]),
                               fmt::format("'{}' is not known to issue '{}'", name, operation),
                               {}});
    }
  }
}

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
  result.claims = verification.places + verification.names + verification.lines;
  for (const CitationProblem& problem : verification.problems)
    result.faults.push_back({problem.kind, problem.text, problem.reason, problem.nearest});
  check_relations(sentence, result);
  check_collectives(sentence, result);
  check_now(sentence, result);
  check_quotes(sentence, material, result);
  check_numbers(sentence, material, result);
  check_defaults(sentence, result);
  check_counts(sentence, result);
  return result;
}

std::string ClaimChecker::fault_text(const Fault& fault) {
  std::string text = fmt::format("'{}': {}", fault.text, fault.reason);
  if (!fault.nearest.empty()) text += fmt::format("; nearest: '{}'", fault.nearest);
  return text;
}

}  // namespace lockstep::writer
