#include "report/documents/correctness/moved_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A comparison that refuses, and what is said then.
struct Refusal {
  CompareOperator op = CompareOperator::kEq;  ///< Refused where this holds.
  std::string against;                        ///< The call on its right side, without layout.
  std::set<std::string> words;                ///< Of the message, in small letters.
};

std::optional<CompareOperator> opposite(CompareOperator op) {
  if (op == CompareOperator::kEq) return CompareOperator::kNotEq;
  if (op == CompareOperator::kNotEq) return CompareOperator::kEq;
  return std::nullopt;
}

/// What refuses where `condition` holds, or, `negated`, does not; nullopt of what does not compare with a call.
std::optional<Refusal> refusal_of(const Expr& condition, bool negated, const Node& said, const SourceText& source) {
  constexpr std::size_t kShortestWord = 4;
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1 || !is<Call>(compare->comparators.front())) return std::nullopt;
  const std::optional<CompareOperator> other = opposite(compare->ops.front());
  if (!other) return std::nullopt;
  Refusal out{negated ? *other : compare->ops.front(), without_layout(source, compare->comparators.front()->span), {}};
  for_each_name(source.slice(said.span), [&](std::string_view word) {
    if (word.size() >= kShortestWord) out.words.insert(to_lower(word));
  });
  return out;
}

std::optional<Refusal> refusal_of(const Stmt& statement, const SourceText& source) {
  if (const auto* claim = as<Assert>(&statement))
    return claim->message == nullptr ? std::nullopt : refusal_of(*claim->test, true, *claim->message, source);
  const auto* branch = as<If>(&statement);
  const auto* raise = branch == nullptr || branch->body.size() != 1 ? nullptr : as<Raise>(branch->body.front());
  const auto* error = raise == nullptr ? nullptr : as<Call>(raise->exception);
  if (error == nullptr || error->arguments.empty()) return std::nullopt;
  return refusal_of(*branch->condition, false, *error->arguments.front(), source);
}

/// Whether two refusals ask alike and are said in much the same words.
bool are_alike(const Refusal& one, const Refusal& other) {
  constexpr std::size_t kFewestWords = 4;
  std::size_t common = 0;
  for (const std::string& word : one.words) common += other.words.contains(word) ? 1 : 0;
  return one.op == other.op && one.against == other.against && common >= kFewestWords &&
         common * 3 >= std::max(one.words.size(), other.words.size()) * 2;
}

}  // namespace

std::string refused_in_new_function(const DocumentInputs& inputs, const Actor& actor, const Step& gone) {
  const auto* statement = is<Assert>(gone.node) || is<If>(gone.node) ? static_cast<const Stmt*>(gone.node) : nullptr;
  const std::optional<Refusal> was =
      statement == nullptr ? std::nullopt : refusal_of(*statement, *actor.steps.before_source);
  if (!was) return {};
  std::string found;
  std::size_t count = 0;
  for (const change::EntityChange& entity : inputs.change->entities) {
    if (entity.status != change::Status::kAdded || !entity.after || !entity.after->function.valid() ||
        program::is_test_path(entity.after->path) || !is<FunctionDef>(entity.after->node))
      continue;
    const SourceText& source = source_of(*inputs.after, entity.after->function);
    walk_statements(*entity.after->node, Nested::kSkip, [&](const Stmt* one) {
      const std::optional<Refusal> is = refusal_of(*one, source);
      if (!is || !are_alike(*was, *is)) return;
      ++count;
      const auto* claim = as<Assert>(one);
      found = fmt::format("The new {} refuses it when {}", code(short_name(inputs, entity)),
                          claim != nullptr ? condition_words(*claim->test, source, true)
                                           : condition_words(*as<If>(one)->condition, source));
    });
  }
  return count == 1 ? found : std::string();
}

}  // namespace lockstep::report
