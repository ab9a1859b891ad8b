#include "report/documents/costs/skipping_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/costs/reached_collectives.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "report/story/wording/words.h"
#include "report/ways/conditions/condition_kinds.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `parts` of `if parts:` and `if len(parts) > 0:`; empty for others.
std::string_view asked_list(const Guard& guard) {
  if (guard.negated || guard.condition == nullptr || !is<If>(guard.statement)) return {};
  if (const std::string_view name = rules::name_of(guard.condition); !name.empty()) return name;
  const auto* compare = as<Compare>(guard.condition);
  const auto* length = compare == nullptr || compare->ops.size() != 1 ? nullptr : as<Call>(compare->left);
  const auto* zero = length == nullptr ? nullptr : as<Constant>(compare->comparators[0]);
  const bool asks = zero != nullptr && zero->text == "0" && compare->ops[0] == CompareOperator::kGt &&
                    rules::name_of(length->callee) == "len" && length->arguments.size() == 1;
  return asks ? rules::name_of(length->arguments[0]) : std::string_view();
}

bool stands_under(const FunctionDef& def, const Node& place, std::string_view list) {
  const std::vector<Guard> guards = taken_apart(guards_of(def, place.span));
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    return guard.condition != nullptr && rules::mentions_name(*guard.condition, list);
  });
}

/// What is used where the list is empty: the function says so itself, `x = f(parts) if parts else []`.
bool tells_of_empty(const FunctionDef& def, std::string_view list, Span before) {
  bool found = false;
  walk(def, Nested::kSkip, [&](const Node* node) {
    const auto* branch = as<If>(node);
    const auto* choice = as<IfExp>(node);
    const Expr* condition = branch != nullptr ? branch->condition : choice != nullptr ? choice->condition : nullptr;
    const bool has_other = choice != nullptr || (branch != nullptr && !branch->orelse.empty());
    found = found ||
            (has_other && condition != nullptr && node->span.end <= before.begin && rules::name_of(condition) == list);
    return true;
  });
  return found;
}

class SkippingRanks {
 public:
  SkippingRanks(const DocumentInputs& inputs, const Actor& actor, const FunctionDef& def)
      : inputs_(inputs), actor_(actor), def_(def) {}

  /// The question on a call that was not there before; empty where there is nothing to ask.
  [[nodiscard]] std::string of(const Call& call) const {
    const auto reached = communicates(call);
    if (!reached) return {};
    for (const Guard& guard : taken_apart(guards_of(def_, call.span))) {
      const std::string_view list = asked_list(guard);
      // What a function hands in may be anything; what it works out itself is a list of this rank.
      const Expr* value = list.empty() ? nullptr : only_value_of(def_, list);
      if (!is<Call>(value)) continue;
      const Call* other = issued_in_any_case(list, call);
      if (other == nullptr || !tells_of_empty(def_, list, other->span)) continue;
      return fmt::format(
          "In {} a rank whose {} is empty takes part in what {} ({}) comes to, but not in {} below the new {} ({}).",
          code(short_name(inputs_, *actor_.change)), code(list), words(*other), place_words(*other),
          code(reached->operation), words(call), place_words(call));
    }
    return {};
  }

 private:
  [[nodiscard]] std::optional<ReachedCollective> communicates(const Call& call) const {
    const program::CallId id = inputs_.after->call_of(&call);
    return id.valid() ? collective_reached_by_any(*inputs_.after, *inputs_.after_mesh, id) : std::nullopt;
  }

  /// A call before this one that comes to a collective and does not ask for the list; null where there is none.
  [[nodiscard]] const Call* issued_in_any_case(std::string_view list, const Call& before) const {
    for (const program::CallId id : inputs_.after->functions()[actor_.change->after->function].calls) {
      const auto* call = as<Call>(inputs_.after->calls()[id].node);
      if (call != nullptr && call->span.end <= before.span.begin && !stands_under(def_, *call, list) &&
          is_made_wherever(*call, before) && communicates(*call))
        return call;
    }
    return nullptr;
  }

  /// Whether a run that comes to the second call has made the first: it stands under no condition of its own.
  [[nodiscard]] bool is_made_wherever(const Call& first, const Call& second) const {
    const std::vector<Guard> around = taken_apart(guards_of(def_, second.span));
    const std::vector<Guard> own = taken_apart(guards_of(def_, first.span));
    return std::all_of(own.begin(), own.end(), [&](const Guard& guard) {
      return std::any_of(around.begin(), around.end(), [&](const Guard& other) {
        return other.statement == guard.statement && other.condition == guard.condition &&
               other.negated == guard.negated;
      });
    });
  }

  [[nodiscard]] std::string words(const Call& call) const { return code(dotted_text(call.callee) + "(\u2026)"); }
  [[nodiscard]] std::string place_words(const Call& call) const {
    return place(actor_.change->after->path, actor_.steps.after_source->line_of(call.span.begin));
  }

  const DocumentInputs& inputs_;
  const Actor& actor_;
  const FunctionDef& def_;
};

}  // namespace

void add_skipping_ranks(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  if (inputs.after_mesh == nullptr) return;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || !actor.change->after ||
        !actor.change->after->function.valid() || actor.steps.after_source == nullptr)
      continue;
    const FunctionDef* def = inputs.after->functions()[actor.change->after->function].def();
    if (def == nullptr) continue;
    const SkippingRanks ranks(inputs, actor, *def);
    for (const Step& step : actor.steps.after) {
      const auto* statement = step.status == StepStatus::kAdded && !step.is_moved ? as<ExprStmt>(step.node) : nullptr;
      const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
      const std::string concern = call == nullptr ? std::string() : ranks.of(*call);
      if (concern.empty()) continue;
      const std::string asked = "Can it be empty on some ranks of the group alone? The others would wait.";
      risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
      return;
    }
  }
}

}  // namespace lockstep::report
