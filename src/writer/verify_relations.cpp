// What sentences say of two names or more, held against the call graph and the classes: "`f` calls `g`", "`C` derives
// from `B`", "`a` → `b` → `c`". A relation is false only where neither the graph nor the text of what calls bears it
// out, on either side.
#include <fmt/format.h>

#include "base/strings.h"
#include "writer/cited_facts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::has_any_word;
using internal::name_in;
using internal::owner_part;
using internal::RelatedNames;
using internal::Relation;
using internal::Sentence;

constexpr std::size_t kCallHops = 2;   // "calls", as people say it of what a helper does
constexpr std::size_t kArrowHops = 3;  // of one arrow

constexpr std::string_view kHypothetical[] = {"if",      "unless",  "would",   "could",   "might", "should",
                                              "suppose", "imagine", "ideally", "suggest", "may"};
// A sentence with one of these may deny a call in one case, or in one way, alone.
constexpr std::string_view kNarrowing[] = {
    "when",  "where",  "while", "with", "without", "until",     "once",  "then",  "during", "on",     "off",
    "for",   "before", "after", "here", "there",   "yet",       "in",    "under", "always", "itself", "directly",
    "again", "every",  "own",   "only", "else",    "otherwise", "twice", "as",    "from"};
// A chain in a sentence with one of these shows calls, not an order of steps.
constexpr std::string_view kCallWords[] = {"call",    "calls", "called",  "caller",
                                           "callers", "reach", "reaches", "reached"};

bool is_arrow(std::string_view text) {
  text = trim(text);
  return text == "→" || text == "->" || text == "⟶" || text == "-->" || text == "=>" || text == "⇒";
}

}  // namespace

void Verifier::check_relations(const Sentence& sentence, bool is_of_now) {
  if (has_any_word(sentence.spans.text.front(), kHypothetical)) return;
  const CitedFacts& facts = sides_.facts();
  const bool is_narrowed = has_any_word(internal::words_of(sentence.spans), kNarrowing);
  for (const RelatedNames& one : internal::related_names(sentence.spans)) {
    const auto hold = [&](std::string_view kind, bool is_true, std::string reason) {
      ++result_.relations;
      if (!is_true) add(kind, sentence.lines[one.at], one.written, std::move(reason));
    };
    switch (one.relation) {
      case Relation::kCalls:
        if (facts.is_known_function(one.first) && !is_document_word(one.second)) {
          const std::size_t hops = one.is_indirect ? kArrowHops : kCallHops;
          const bool is_gone = is_of_now && facts.calls_no_more(one.first, one.second, hops);
          hold("call", !is_gone && facts.reaches(one.first, one.second, hops),
               fmt::format("'{}' has no call of '{}'{}", one.first, one.second, is_gone ? " after the change" : ""));
        }
        break;
      case Relation::kCallsNot:
        if (facts.is_function(one.first))
          hold("call",
               !facts.calls_surely(one.first, one.second) && (is_narrowed || !facts.writes_call(one.first, one.second)),
               fmt::format("'{}' does call '{}' after the change", one.first, one.second));
        break;
      case Relation::kOverrides:
      case Relation::kDerives: {
        // "`C.m` overrides `B.m`" says that C derives from B.
        const bool is_method = one.relation == Relation::kOverrides;
        if (is_method && owner_part(one.first).empty() && facts.is_function(one.first)) {
          hold("base class", facts.is_method(one.first),
               fmt::format("'{}' is a function of a module: it overrides nothing", one.first));
          break;
        }
        const std::string_view cls = is_method ? owner_part(one.first) : std::string_view(one.first);
        const std::string_view base = is_method ? owner_part(one.second) : std::string_view(one.second);
        if (!cls.empty() && !base.empty() && facts.is_class(cls))
          hold("base class", facts.derives(cls, base), fmt::format("'{}' is not above '{}'", base, cls));
        break;
      }
      case Relation::kIssues:
      case Relation::kCalledBy:
      case Relation::kNone:
        break;
    }
  }
}

// "`train.py` → `a` (`x.py:3`) → `b`": each arrow leads from a function, or a file's code, to what it calls, perhaps
// over others, or to what its callers hand it to be called. Two names alone may be anything ("`old` → `new`") unless
// the sentence speaks of calls; so may three steps that one function calls in turn.
void Verifier::check_chains(const Sentence& sentence) {
  const auto& [code, text] = sentence.spans;
  const CitedFacts& facts = sides_.facts();
  const std::string words = internal::words_of(sentence.spans);
  if (has_any_word(sentence.spans.text.front(), kHypothetical)) return;
  const bool shows_calls = has_any_word(words, kCallWords);
  const auto caller_of = [&](std::size_t i) -> std::string {
    if (has_file_ending(code[i])) return sides_.files_named(code[i]).empty() ? "" : code[i];
    const std::string name = name_in(code[i]);
    return !name.empty() && facts.is_function(name) ? name : "";
  };
  for (std::size_t i = 0; i + 1 < code.size();) {
    std::size_t end = i + 1;
    while (end < code.size() && is_arrow(text[end])) ++end;
    const std::size_t steps = end - i;
    bool all_known = true;
    for (std::size_t at = i; at < end; ++at) all_known = all_known && !caller_of(at).empty();
    if (steps >= (shows_calls ? 2 : 3) && (all_known || shows_calls)) {
      for (std::size_t at = i; at + 1 < end; ++at) {
        const std::string first = caller_of(at), second = name_in(code[at + 1]);
        if (first.empty() || second.empty() || caller_of(at + 1) != second) continue;
        ++result_.relations;
        if (facts.reaches(first, second, kArrowHops)) continue;
        if (!shows_calls && facts.share_caller(first, second)) continue;
        if (facts.is_handed_to(second, first)) continue;
        add("call", sentence.lines[at + 1], fmt::format("`{}` → `{}`", code[at], code[at + 1]),
            fmt::format("'{}' does not reach '{}' in {} calls", first, second, kArrowHops));
      }
    }
    i = end;
  }
}

}  // namespace lockstep::writer
