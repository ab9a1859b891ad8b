#include "report/documents/settings/default_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/steps/steps.h"
#include "report/story/wording/differing_calls.h"
#include "report/ways/conditions/stored_settings.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// As code writes it.
std::string shown(const Value& value) {
  if (value.kind == Value::Kind::kText) return fmt::format("\"{}\"", value.text);
  return value.text.empty() ? "None" : value.text;
}

class DefaultArguments {
 public:
  DefaultArguments(const DocumentInputs& inputs, std::vector<Risk>& risks)
      : inputs_(inputs), program_(*inputs.after), risks_(risks) {}

  void look_at(const Call& before, const Call& after) {
    const program::CallId id = program_.call_of(&after);
    if (!id.valid() || program_.calls()[id].targets.size() != 1 || rules::has_spread_arguments(before) ||
        rules::has_spread_arguments(after))
      return;
    const FunctionId callee = program_.calls()[id].targets.front().function;
    if (!callee.valid() || !program::surely_enters(program_.calls()[id], callee)) return;
    const FunctionDef* def = program_.functions()[callee].def();
    // What it was given by position before may be given by name now.
    if (def == nullptr || before.arguments.size() != after.arguments.size()) return;
    for (const Keyword* keyword : after.keywords) {
      if (keyword->name.text.empty() || rules::keyword_value(before, keyword->name.text) != nullptr) continue;
      const Parameter* parameter = rules::parameter_named(def, keyword->name.text);
      const std::string_view setting = config_attribute(*keyword->value);
      if (parameter != nullptr && parameter->default_value != nullptr && !setting.empty() &&
          !is_new_parameter(callee, keyword->name.text))
        compare(after, *keyword, *parameter, std::string(setting));
    }
  }

 private:
  /// Whether the change gives the function this parameter: nothing took its default before.
  [[nodiscard]] bool is_new_parameter(FunctionId function, std::string_view name) const {
    const auto& entities = inputs_.change->entities;
    const auto found = std::find_if(entities.begin(), entities.end(), [&](const change::EntityChange& one) {
      return one.after && one.after->function == function && one.kind != change::EntityKind::kModule;
    });
    if (found == entities.end()) return false;
    const auto* was = found->before ? as<FunctionDef>(found->before->node) : nullptr;
    return was == nullptr || rules::parameter_named(was, name) == nullptr;
  }

  void compare(const Call& call, const Keyword& keyword, const Parameter& parameter, const std::string& setting) {
    const Value taken = value_of(parameter.default_value);
    if (taken.kind == Value::Kind::kUnknown) return;
    if (!declared_) declared_.emplace(program_);
    const Value value = declared_->defaults.value_of_name(setting);
    if (!is_same_value(taken, value) || declared_->stored.contains(setting)) return;
    const std::string callee(callee_name(call));
    if (!told_.insert(callee + "." + setting).second) return;
    risks_.push_back({RiskKind::kCompatibility,
                      fmt::format("{} gets {} from {} now, which is {} by default.", code(callee),
                                  code(std::string(keyword.name.text)), code(setting), code(shown(taken))),
                      "That is what it took without it, so for runs that do not set it nothing changes there",
                      false,
                      {},
                      true});
  }

  const DocumentInputs& inputs_;
  const program::Program& program_;
  std::vector<Risk>& risks_;
  std::optional<DeclaredSettings> declared_;
  std::set<std::string> told_;
};

}  // namespace

void add_default_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  DefaultArguments arguments(inputs, risks);
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.is_added() || actor.is_removed()) continue;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
      const auto [was, now] =
          differing_calls(value_of_step(actor.steps.before[step.partner]), *actor.steps.before_source,
                          value_of_step(step), *actor.steps.after_source);
      if (was != nullptr && now != nullptr && callee_name(*was) == callee_name(*now)) arguments.look_at(*was, *now);
    }
  }
}

}  // namespace lockstep::report
