#include "report/story/weights/check_weights.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "change/names.h"
#include "report/source/check_messages.h"
#include "report/source/code.h"
#include "report/source/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using change::EntityKind;

namespace {

/// A step that refuses, warns, or gives a field of `self` another value.
bool checks_or_derives(const Step& step) {
  if (step.kind != StepKind::kPlain || is_check(step)) return true;
  const python::Expr* target = nullptr;
  if (assigned_value(step.node, target) == nullptr) return false;
  const auto* field = python::as<python::Attribute>(target);
  const bool is_local = python::is<python::Name>(target);
  return is_local || (field != nullptr && dotted_text(field->value) == "self");
}

/// Whether a step gives a local its value that nothing but checks reads: what they loop over, a part of a message.
bool serves_checks(const std::vector<Step>& steps, std::size_t index) {
  const python::Expr* target = nullptr;
  if (steps[index].kind != StepKind::kPlain || assigned_value(steps[index].node, target) == nullptr) return false;
  const std::string_view name = rules::name_of(target);
  if (name.empty()) return false;
  std::size_t readers = 0;
  for (std::size_t i = index + 1; i < steps.size(); ++i) {
    if (steps[i].node == nullptr || !rules::mentions_name(*steps[i].node, name)) continue;
    // A block stands for all that it holds.
    for (std::size_t inner = i; inner < end_of(steps, i); ++inner) {
      if (!is_check(steps[inner])) return false;
    }
    ++readers;
    i = end_of(steps, i) - 1;
  }
  return readers > 0;
}

/// Whether the title says that the change is about what is refused.
bool is_about_checks(std::string_view title) {
  static constexpr auto kWords =
      std::to_array<std::string_view>({"assert", "assertion", "disallow", "enforce", "forbid", "prevent", "prohibit",
                                       "refuse", "reject", "require", "validate", "validation"});
  const std::set<std::string> words = name_words(title);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return words.contains(std::string(word)); });
}

/// Whether the function refuses something that it did not, with a message that is a sentence.
bool refuses_anew(const Actor& actor) {
  return actor.steps.after_source != nullptr &&
         std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
           return step.status == StepStatus::kAdded && !step.is_moved &&
                  says_a_sentence(step.node, *actor.steps.after_source);
         });
}

}  // namespace

bool is_check(const Step& step) {
  if (step.kind != StepKind::kPlain || step.node == nullptr) return true;  // Decided by what stands inside.
  if (python::is<python::Raise>(step.node) || python::is<python::Assert>(step.node)) return true;
  const auto* statement = python::as<python::ExprStmt>(step.node);
  const auto* call = statement == nullptr ? nullptr : python::as<python::Call>(statement->value);
  if (call == nullptr) return false;
  return rules::is_log_call(call) || callee_name(*call) == "add_argument";
}

bool only_checks_settings(const DocumentInputs& inputs, const Actor& actor) {
  const auto& after = actor.change->after;
  if (actor.change->kind != EntityKind::kMethod || actor.is_added() || !after || !after->function.valid() ||
      change::last_part(after->qualified_name) != "__post_init__")
    return false;
  const program::ClassId owner = inputs.after->functions()[after->function].owner;
  if (!owner.valid() || !inputs.after->classes()[owner].is_dataclass) return false;
  const auto is_little = [](const Step& step) { return step.status == StepStatus::kKept || checks_or_derives(step); };
  return std::all_of(actor.steps.after.begin(), actor.steps.after.end(), is_little) &&
         std::all_of(actor.steps.before.begin(), actor.steps.before.end(), is_little);
}

void weigh_checks(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kAsked = 2.5;
  constexpr double kFollows = 0.3;
  const bool is_asked = is_about_checks(inputs.title);
  for (Actor& actor : actors) {
    if (!actor.is_function() || actor.is_added() || actor.is_removed()) continue;
    if (is_asked && refuses_anew(actor)) {
      actor.weight *= kAsked;
      continue;
    }
    const auto touched = [](const Step& step) { return step.status != StepStatus::kKept; };
    const auto only_checks = [&](const std::vector<Step>& steps) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (touched(steps[i]) && !is_check(steps[i]) && !serves_checks(steps, i)) return false;
      }
      return true;
    };
    const bool any = std::any_of(actor.steps.after.begin(), actor.steps.after.end(), touched) ||
                     std::any_of(actor.steps.before.begin(), actor.steps.before.end(), touched);
    if (any && only_checks(actor.steps.after) && only_checks(actor.steps.before)) actor.weight *= kFollows;
  }
}

}  // namespace lockstep::report
