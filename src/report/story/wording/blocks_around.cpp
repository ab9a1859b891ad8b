#include "report/story/wording/blocks_around.h"

#include <fmt/format.h>

#include <algorithm>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

std::string quoted(const Expr& expression, const SourceText& source) { return code(one_line(source, expression, 60)); }

/// "`kind` is `"ring"`" of what the pattern of a case asks of the subject.
std::string pattern_words(const Match& match, const MatchCase& one, const SourceText& source) {
  const std::string asked = quoted(*match.subject, source);
  const auto* name = as<MatchAs>(one.pattern);
  std::string words;
  if (const auto* value = as<MatchValue>(one.pattern)) {
    words = fmt::format("{} is {}", asked, quoted(*value->value, source));
  } else if (const auto* either = as<MatchOr>(one.pattern);
             either != nullptr && std::all_of(either->patterns.begin(), either->patterns.end(),
                                              [](const Pattern* each) { return is<MatchValue>(each); })) {
    std::vector<std::string> values;
    for (const Pattern* each : either->patterns) values.push_back(code(one_line(source, each->span, 60)));
    words = fmt::format("{} is {}", asked, join_words(values, "or"));
  } else if (name != nullptr && name->pattern == nullptr) {
    // What a case leaves to the next ones by its own condition is one of the other cases.
    const bool leaves_some = std::any_of(match.cases.begin(), match.cases.end(),
                                         [](const MatchCase* each) { return each->guard != nullptr; });
    words = leaves_some ? fmt::format("no case before takes {}", asked)
                        : fmt::format("{} is none of the other cases", asked);
  } else {
    words = fmt::format("{} matches {}", asked, code(one_line(source, one.pattern->span, 60)));
  }
  return one.guard == nullptr ? words : fmt::format("{} and {}", words, condition_words(*one.guard, source, false));
}

/// What a comprehension, a loop or a part of one goes over where it comes to the place item by item; null where the
/// place stands outside, or in what is worked out once.
const Expr* iterated_around(const Node& node, Span place) {
  if (const auto* loop = as<For>(&node)) {
    const bool is_inside =
        std::any_of(loop->body.begin(), loop->body.end(), [&](const Stmt* one) { return one->span.contains(place); });
    return is_inside ? loop->iterable : nullptr;
  }
  const Seq<Comprehension> generators = rules::comprehension_generators(node);
  if (generators.empty()) return nullptr;
  const Expr* first = generators[0]->iterable;
  return node.span.contains(place) && !first->span.contains(place) ? first : nullptr;
}

}  // namespace

std::vector<std::string> catches_around(const Node& function, const Node* own, Span place, const SourceText& source) {
  std::vector<std::string> out;
  walk_of<ExceptHandler>(function, Nested::kSkip, [&](const ExceptHandler* handler) {
    if (handler == own || !handler->span.contains(place)) return;
    out.push_back(handler->type == nullptr ? std::string("an exception is caught")
                                           : quoted(*handler->type, source) + " is caught");
  });
  return out;
}

std::vector<std::string> cases_around(const Node& function, const Node* own, Span place, const SourceText& source,
                                      std::set<std::string>& said) {
  std::vector<std::string> out;
  walk_of<Match>(function, Nested::kSkip, [&](const Match* match) {
    if (match == own || !match->span.contains(place)) return;
    for (const MatchCase* one : match->cases) {
      if (one == own || !one->span.contains(place)) continue;
      out.push_back(pattern_words(*match, *one, source));
      const auto* value = as<MatchValue>(one->pattern);
      if (value != nullptr && !rules::text_of(value->value).empty())
        said.insert(quoted(*match->subject, source) + " is set");
    }
  });
  return out;
}

std::vector<std::string> loops_around(const Node& function, Span place, const SourceText& source) {
  std::vector<std::string> out;
  for (const Node* node : chain_to(function, place)) {
    if (is<FunctionDef>(node) || is<Lambda>(node)) out.clear();
    if (const Expr* iterated = iterated_around(*node, place))
      out.push_back(fmt::format("in a loop over {}", quoted(*iterated, source)));
    const auto* loop = as<While>(node);
    if (loop == nullptr) continue;
    const auto holds_place = [&](const Stmt* one) { return one->span.contains(place); };
    if (std::any_of(loop->body.begin(), loop->body.end(), holds_place))
      out.push_back(fmt::format("in a {} loop", code("while")));
  }
  return out;
}

}  // namespace lockstep::report
