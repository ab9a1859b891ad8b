// What a sentence says of two names, held against the call graph, the classes and the collectives: "`f` calls `g`",
// "`C` derives from `B`", "`f` issues `all_reduce`".
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/source/code.h"
#include "writer/author/claims.h"
#include "writer/author/claims_parts.h"

namespace lockstep::writer {

namespace {

using internal::ends_with_name;
using internal::has_any_word;
using internal::kDenials;
using internal::last_part;
using internal::name_in;
using internal::Relation;
using internal::Spans;
using internal::spans_of;
using program::FunctionId;
using program::Program;

constexpr int kMostNesting = 3;

// "C" of "C.m"; empty where there is no dot.
std::string_view owner_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
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

}  // namespace

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

}  // namespace lockstep::writer
