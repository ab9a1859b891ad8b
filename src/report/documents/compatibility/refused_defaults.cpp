#include "report/documents/compatibility/refused_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/attribute_stores.h"
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

/// The settings of `self.a` and `self.a and self.b`; none where a condition asks for anything else.
std::optional<std::vector<std::string>> plain_settings(const Expr& condition) {
  const auto* both = as<BoolOp>(&condition);
  if (both != nullptr && both->op != BoolOperator::kAnd) return std::nullopt;
  std::vector<std::string> out;
  const auto take = [&](const Expr* one) { out.emplace_back(rules::self_attribute(one)); };
  if (both == nullptr) take(&condition);
  if (both != nullptr) std::for_each(both->values.begin(), both->values.end(), take);
  const bool are_all = std::none_of(out.begin(), out.end(), [](const std::string& name) { return name.empty(); });
  return are_all ? std::optional(out) : std::nullopt;
}

/// Whether the function refuses something of the setting, by an assertion or by a branch that raises.
bool refuses_some(const Node& function, std::string_view setting) {
  bool found = false;
  const auto names = [&](const Expr& test) {
    return rules::self_attribute(&test) == setting || rules::mentions_attribute(test, setting);
  };
  walk_statements(function, Nested::kSkip, [&](const Stmt* one) {
    if (const auto* check = as<Assert>(one)) found = found || names(*check->test);
    const auto* branch = as<If>(one);
    const bool raises = branch != nullptr && !branch->body.empty() && is<Raise>(branch->body.back());
    found = found || (raises && names(*branch->condition));
  });
  return found;
}

class Refused {
 public:
  Refused(const DocumentInputs& inputs, std::vector<Risk>& risks) : inputs_(inputs), risks_(risks) {}

  void look_at(const Actor& actor) {
    const auto& side = actor.change->after;
    if (!side || !side->function.valid() || !side->cls.valid() || actor.steps.after_source == nullptr) return;
    cls_ = side->cls;
    if (!Defaults::declares(inputs_.after->classes()[cls_])) return;
    for (const Step& step : actor.steps.after) {
      const auto* check = as<Assert>(step.node);
      const bool is_new = step.status == StepStatus::kAdded || step.status == StepStatus::kChanged;
      if (check != nullptr && is_new && !step.is_moved && told_ < kMost) tell(actor, step, *check);
    }
  }

 private:
  [[nodiscard]] Value default_of(std::string_view setting) const {
    const program::Field* field = inputs_.after->find_field(cls_, setting);
    return field == nullptr || !field->in_class_body ? Value() : value_of(field->default_value);
  }
  [[nodiscard]] std::optional<bool> holds(const Expr& condition) const {
    return holds_with(condition, [&](const Expr& part) {
      const std::string_view name = rules::self_attribute(&part);
      return name.empty() ? Value() : default_of(name);
    });
  }

  /// Whether a command line of the product gives another value than the class declares, or code sets the attribute:
  /// then who sets nothing may have another value.
  [[nodiscard]] bool may_get_another(std::string_view setting) const {
    const program::Program& program = *inputs_.after;
    const Value declared = default_of(setting);
    for (const program::CallSite& site : program.calls()) {
      const auto* call = as<Call>(site.node);
      if (call == nullptr || callee_name(*call) != "add_argument" || rules::argparse_destination(*call) != setting ||
          program::is_test_path(program.module_of(site.caller).path))
        continue;
      if (!is_same_value(declared, argument_default(*call))) return true;
    }
    return !stores_of(program, setting).empty();
  }

  /// The settings that have to be set, and are not by default, for a run to come to the step; none where that takes
  /// anything else.
  [[nodiscard]] std::vector<std::string> switches_before(const Node& function, const Step& step) const {
    for (const Node* around : chain_to(function, step.span)) {
      if (!is<If>(around)) return {};
    }
    std::vector<std::string> out;
    for (const Guard& guard : guards_of(function, step.span)) {
      const auto settings =
          guard.negated || guard.condition == nullptr ? std::nullopt : plain_settings(*guard.condition);
      if (!settings) return {};
      for (const std::string& one : *settings) {
        const Value value = default_of(one);
        if (value.kind == Value::Kind::kUnknown) return {};
        if (!value.truth && std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
      }
    }
    return out;
  }

  void tell(const Actor& actor, const Step& step, const Assert& check) {
    if (holds(*check.test) != false) return;
    const std::vector<std::string> settings = own_settings(*check.test);
    if (settings.size() != 1) return;
    const std::string& setting = settings.front();
    const auto& before = actor.change->before;
    if (before && before->node != nullptr && refuses_some(*before->node, setting)) return;
    // What a run meets with nothing set at all is no matter of one setting; only who sets it is asked what to.
    const std::vector<std::string> switches = switches_before(*actor.change->after->node, step);
    if (switches.empty() || std::find(switches.begin(), switches.end(), setting) != switches.end() ||
        may_get_another(setting))
      return;
    ++told_;
    std::vector<std::string> names;
    for (const std::string& one : switches) names.push_back(code(one));
    const Value value = default_of(setting);
    const std::string shown = value.kind == Value::Kind::kText ? fmt::format("\"{}\"", value.text) : value.text;
    risks_.push_back({RiskKind::kCompatibility,
                      fmt::format("Where {} {} set, the default of {} ({}) is refused now ({}).", join_words(names),
                                  names.size() == 1 ? "is" : "are", code(setting), code(shown),
                                  place(actor.change->after->path, step.first_line)),
                      fmt::format("Whoever sets {} has to set {}, too", join_words(names), code(setting)), false});
  }

  const DocumentInputs& inputs_;
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
