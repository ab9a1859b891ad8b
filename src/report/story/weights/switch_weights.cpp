#include "report/story/weights/switch_weights.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_boolean(const Expr* value) { return rules::is_true(value) || rules::is_false(value); }

/// Whether nothing of the repository may be what is called.
bool is_of_library(const program::Program& program, const Call& call) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid()) return true;
  const auto& targets = program.calls()[id].targets;
  return std::none_of(targets.begin(), targets.end(), [](const auto& target) { return target.function.valid(); });
}

bool switches_library(const DocumentInputs& inputs, const Actor& actor) {
  static constexpr std::string_view kAside[] = {"check",   "exc_info", "exist_ok", "flush",    "parents",
                                                "pickles", "text",     "verbose",  "keepdims", "sort_keys"};
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
    const Step& old = actor.steps.before[step.partner];
    bool found = false;
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      const std::string callee = dotted_text(call->callee);
      if (found || callee.empty() || !step.span.contains(call->span) || rules::is_log_call(call) ||
          !is_of_library(*inputs.after, *call))
        return;
      const Call* was = nullptr;
      walk_of<Call>(*old.node, Nested::kSkip, [&](const Call* one) {
        if (old.span.contains(one->span) && dotted_text(one->callee) == callee) was = one;
      });
      if (was == nullptr || was->keywords.size() + 1 != call->keywords.size() ||
          was->arguments.size() != call->arguments.size())
        return;
      for (const Keyword* keyword : call->keywords) {
        const bool is_aside = std::find(std::begin(kAside), std::end(kAside), keyword->name.text) != std::end(kAside);
        found = found || (!is_aside && is_boolean(keyword->value) && !keyword->name.text.empty() &&
                          rules::keyword_value(*was, keyword->name.text) == nullptr);
      }
    });
    if (found) return true;
  }
  return false;
}

}  // namespace

void weigh_library_switches(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kTold = 0.4;  // Of the heaviest one's weight.
  constexpr std::size_t kMost = 2;
  double top = 0;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kSupporting) top = std::max(top, actor.weight);
  }
  std::size_t told = 0;
  for (Actor& actor : actors) {
    const bool is_edited = actor.is_function() && !actor.is_added() && !actor.is_removed() &&
                           (actor.role == Role::kSupporting || actor.role == Role::kFollowing) &&
                           actor.steps.before_source != nullptr && actor.steps.after_source != nullptr;
    if (!is_edited || told == kMost || !switches_library(inputs, actor)) continue;
    ++told;
    actor.role = Role::kSupporting;
    actor.weight = std::max(actor.weight, kTold * top);
  }
}

}  // namespace lockstep::report
