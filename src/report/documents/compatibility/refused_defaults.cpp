#include "report/documents/compatibility/refused_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/defaults.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMost = 3;

/// The settings of the object that an expression reads: "x" of `self.x`.
std::vector<std::string> own_settings(const Expr& expression) {
  std::vector<std::string> out;
  const auto look = [&](const Attribute* one) {
    const std::string name(rules::self_attribute(one));
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  if (const auto* own = as<Attribute>(&expression)) look(own);
  walk_of<Attribute>(expression, Nested::kSkip, look);
  return out;
}

class Refused {
 public:
  Refused(const DocumentInputs& inputs, std::vector<Risk>& risks)
      : inputs_(inputs), defaults_(*inputs.after), risks_(risks) {}

  void look_at(const Actor& actor) {
    const auto& side = actor.change->after;
    if (!side || !side->function.valid() || !side->cls.valid() || actor.steps.after_source == nullptr) return;
    cls_ = side->cls;
    if (!Defaults::declares(inputs_.after->classes()[cls_])) return;
    for (const Step& step : actor.steps.after) {
      const auto* check = as<Assert>(step.node);
      const bool is_new = step.status == StepStatus::kAdded || step.status == StepStatus::kChanged;
      if (check == nullptr || !is_new || step.is_moved || told_ == kMost) continue;
      if (step.partner != Step::kNone && was_refused(actor, step)) continue;
      tell(actor, step, *check);
    }
  }

 private:
  [[nodiscard]] Value value_at(const Expr& expression) const {
    const std::string name(rules::self_attribute(&expression));
    if (name.empty()) return {};
    const Value declared = defaults_.value_of_name(name);
    if (declared.kind != Value::Kind::kUnknown) return declared;
    const program::Field* field = inputs_.after->find_field(cls_, name);
    return field == nullptr ? Value() : value_of(field->default_value);
  }
  [[nodiscard]] std::optional<bool> holds(const Expr& condition) const {
    return holds_with(condition, [&](const Expr& part) { return value_at(part); });
  }

  /// Whether the assertion that stood there failed with the defaults, too.
  [[nodiscard]] bool was_refused(const Actor& actor, const Step& step) const {
    const auto* before = as<Assert>(actor.steps.before[step.partner].node);
    return before != nullptr && holds(*before->test) == false;
  }

  void tell(const Actor& actor, const Step& step, const Assert& check) {
    if (holds(*check.test) != false) return;
    const std::vector<std::string> settings = own_settings(*check.test);
    if (settings.size() != 1) return;
    const Value value = defaults_.value_of_name(settings.front());
    const program::Field* field = inputs_.after->find_field(cls_, settings.front());
    const std::string shown =
        value.kind == Value::Kind::kUnknown || value.text.empty()
            ? field == nullptr || field->default_value == nullptr
                  ? std::string()
                  : one_line(inputs_.after->module_of(cls_).facts->source(), *field->default_value)
            : value.text;
    // What a run meets with nothing set at all is no matter of one setting.
    std::vector<std::string> switches;
    for (const Guard& guard : guards_of(*actor.change->after->node, step.span)) {
      if (guard.condition == nullptr || guard.negated || holds(*guard.condition) != false) continue;
      for (std::string& name : own_settings(*guard.condition)) switches.push_back(code(name));
    }
    // Only who sets it is asked what to.
    const bool asks_itself = std::find(switches.begin(), switches.end(), code(settings.front())) != switches.end();
    if (switches.empty() || asks_itself || shown.empty()) return;
    ++told_;
    risks_.push_back(
        {RiskKind::kCompatibility,
         fmt::format("Where {} is set, the default of {} ({}) is refused now ({}).", join_words(switches),
                     code(settings.front()), code(shown), place(actor.change->after->path, step.first_line)),
         fmt::format("Whoever sets {} has to set {}, too", join_words(switches), code(settings.front())), false});
  }

  const DocumentInputs& inputs_;
  const Defaults defaults_;
  std::vector<Risk>& risks_;
  program::ClassId cls_;
  std::size_t told_ = 0;
};

}  // namespace

void add_refused_defaults(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  Refused refused(inputs, risks);
  for (const Actor& actor : story.actors) {
    if (actor.role != Role::kTest && actor.is_function() && !actor.is_removed()) refused.look_at(actor);
  }
}

}  // namespace lockstep::report
