#include "report/documents/correctness/unread_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

using Block = Seq<Stmt>;

/// The two branches of `if x is not None: … else: …`, by whether the parameter is given.
struct Choice {
  const If* branch = nullptr;
  bool is_negated = false;  ///< `if x is None`.
  Block with;
  Block without;
};

std::optional<Choice> choice_by(const Stmt& statement, std::string_view name) {
  const auto* branch = as<If>(&statement);
  const auto* compare = branch == nullptr || branch->orelse.empty() ? nullptr : as<Compare>(branch->condition);
  if (compare == nullptr || compare->ops.size() != 1 || rules::name_of(compare->left) != name ||
      !rules::is_none(compare->comparators.front()))
    return std::nullopt;
  if (compare->ops.front() == CompareOperator::kIsNot) return Choice{branch, false, branch->body, branch->orelse};
  if (compare->ops.front() == CompareOperator::kIs) return Choice{branch, true, branch->orelse, branch->body};
  return std::nullopt;
}

bool holds(const Block& block, Span place) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt* one) { return one->span.contains(place); });
}

/// Whether the block sets the name anew, whatever happens in it.
bool sets(const Block& block, std::string_view name) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt* one) {
    const auto* assign = as<Assign>(one);
    return assign != nullptr && std::any_of(assign->targets.begin(), assign->targets.end(),
                                            [&](const Expr* target) { return rules::name_of(target) == name; });
  });
}

bool leaves(const Block& block) {
  return is<Return>(block.back()) || is<Raise>(block.back()) || is<Continue>(block.back()) || is<Break>(block.back());
}

/// Whether the value that the parameter is given is read in the branch without the other alone.
bool is_read_without_alone(const FunctionDef& def, const Choice& choice, std::string_view name) {
  const bool is_set = sets(choice.with, name);
  bool reads = false;
  bool is_other = false;
  walk_of<Name>(def, Nested::kEnter, [&](const Name* one) {
    if (one->id != name || one->context == ExprContext::kStore) return;
    if (holds(choice.without, one->span)) {
      reads = true;
    } else if (!is_set || holds(choice.with, one->span) || one->span.begin < choice.branch->span.end) {
      is_other = true;
    }
  });
  return reads && !is_other;
}

}  // namespace

void add_unread_parameters(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  for (const std::size_t index : story.central) {
    const Actor& actor = story.actors[index];
    const auto* now = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
    const auto* was = actor.change->before ? as<FunctionDef>(actor.change->before->node) : nullptr;
    if (now == nullptr || was == nullptr || !actor.change->after->function.valid()) continue;
    const SourceText& source = source_of(*inputs.after, actor.change->after->function);
    for (const Parameter* given : now->parameters->all) {
      const std::string_view name = given->name.text;
      if (rules::parameter_named(was, name) != nullptr || !rules::is_none(given->default_value)) continue;
      for (const Stmt* statement : now->body) {
        const auto choice = choice_by(*statement, name);
        if (!choice || choice->with.empty() || leaves(choice->with)) continue;
        std::vector<std::string> unread;
        for (const Parameter* other : now->parameters->all) {
          if (rules::parameter_named(was, other->name.text) != nullptr &&
              is_read_without_alone(*now, *choice, other->name.text))
            unread.push_back(code(other->name.text));
        }
        if (unread.empty() || told == kMost) continue;
        ++told;
        risks.push_back(
            {RiskKind::kCompatibility,
             fmt::format("{} does not read what it is given for {} where {}.", code(short_name(inputs, *actor.change)),
                         join_words(unread), condition_words(*choice->branch->condition, source, choice->is_negated)),
             fmt::format("Callers that give both {} and {} give the latter in vain", code(name),
                         join_words(unread, "or")),
             false});
      }
    }
  }
}

}  // namespace lockstep::report
