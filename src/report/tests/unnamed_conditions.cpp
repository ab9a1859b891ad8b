#include "report/tests/unnamed_conditions.h"

#include <algorithm>
#include <iterator>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/given_arguments.h"
#include "report/source/held_settings.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::ModuleId;

namespace {

bool is_off(const Expr* value) { return rules::is_false(value) || rules::is_none(value); }

/// "x" of `x`, `x is not None` (negated: `x is None`): what must not be false, or None, for it to hold.
std::string_view name_asked(const Expr& condition, bool negated) {
  if (const auto* compare = as<Compare>(&condition)) {
    if (compare->ops.size() != 1 || !rules::is_none(compare->comparators.front())) return {};
    const bool asks_none = compare->ops.front() == CompareOperator::kIs;
    return asks_none == negated ? rules::name_of(compare->left) : std::string_view();
  }
  return negated ? std::string_view() : rules::name_of(&condition);
}

/// "x" of `self.x`, `self.x is not None` (negated: `self.x is None`): the attribute that must not be false, or None.
std::string_view attribute_asked(const Expr& condition, bool negated) {
  if (const auto* compare = as<Compare>(&condition)) {
    if (compare->ops.size() != 1 || !rules::is_none(compare->comparators.front())) return {};
    const bool asks_none = compare->ops.front() == CompareOperator::kIs;
    const bool asks_some = compare->ops.front() == CompareOperator::kIsNot;
    if (!asks_none && !asks_some) return {};
    return asks_none == negated ? rules::self_attribute(compare->left) : std::string_view();
  }
  return negated ? std::string_view() : rules::self_attribute(&condition);
}

/// Whether a condition asks for autograd to be on: `x and torch.is_grad_enabled()`.
bool asks_for_grad(const Expr& condition) {
  if (const auto* both = as<BoolOp>(&condition); both != nullptr && both->op == BoolOperator::kAnd)
    return std::any_of(both->values.begin(), both->values.end(), [](const Expr* one) { return asks_for_grad(*one); });
  const auto* call = as<Call>(&condition);
  return call != nullptr && callee_name(*call) == "is_grad_enabled";
}

bool asks_for_grad(const FunctionDef& def, const Step& step) {
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  if (branch != nullptr && branch->orelse.empty() && asks_for_grad(*branch->condition)) return true;
  const std::vector<Guard> guards = guards_of(def, step.span);
  return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) {
    return guard.condition != nullptr && !guard.negated && asks_for_grad(*guard.condition);
  });
}

bool is_without_grad(const Expr& expression) {
  const auto* call = as<Call>(&expression);
  const auto* attribute = as<Attribute>(&expression);
  const std::string_view name = call != nullptr        ? callee_name(*call)
                                : attribute != nullptr ? std::string_view(attribute->name.text)
                                                       : rules::name_of(&expression);
  return name == "no_grad" || name == "inference_mode";
}

/// Whether all that the test does is done without gradients: `@torch.no_grad()`, one `with torch.no_grad():`.
bool runs_without_grad(const FunctionDef& test) {
  if (std::any_of(test.decorators.begin(), test.decorators.end(),
                  [](const Expr* one) { return is_without_grad(*one); }))
    return true;
  const auto* with = test.body.empty() ? nullptr : as<With>(test.body.back());
  const bool is_all =
      with != nullptr && (test.body.size() == 1 || (test.body.size() == 2 && is<ExprStmt>(test.body[0])));
  return is_all && std::any_of(with->items.begin(), with->items.end(),
                               [](const WithItem* item) { return is_without_grad(*item->context); });
}

}  // namespace

bool UnnamedConditions::is_off_parameter(FunctionId function, std::string_view name) const {
  const FunctionDef* def = program_.functions()[function].def();
  const Parameter* parameter = def == nullptr ? nullptr : rules::parameter_named(def, name);
  if (parameter == nullptr || !is_off(parameter->default_value) || rules::binds_name(*def, name)) return false;
  for (const program::CallId id : program_.callers_of(function)) {
    const program::CallSite& site = program_.calls()[id];
    const rules::Given given = given_by(program_, site, function, name);
    if (given.how == rules::Given::How::kUnknown) return false;
    if (given.value != nullptr && !is_off(given.value) &&
        find_name(program_.module_of(site.caller).facts->source().slice(given.value->span), name) ==
            std::string_view::npos)
      return false;
  }
  return true;
}

/// The parameter of the constructor, off by default, that alone ever fills the attribute of `function`'s class; empty
/// where that does not show.
std::string_view UnnamedConditions::off_parameter_held(FunctionId function, std::string_view attribute) const {
  const program::ClassId owner = program_.functions()[function].owner;
  if (attribute.empty() || !owner.valid()) return {};
  std::string_view parameter;
  std::size_t stores = 0;
  FunctionId constructor;
  for (const FunctionId method : program_.classes()[owner].methods) {
    walk(*program_.functions()[method].node, Nested::kEnter, [&](const Node* node) {
      const auto* member = as<Attribute>(node);
      if (member != nullptr && member->name.text == attribute && member->context != ExprContext::kLoad) ++stores;
      const auto* assign = as<Assign>(node);
      if (assign == nullptr || assign->targets.size() != 1 || rules::self_attribute(assign->targets[0]) != attribute ||
          program_.functions()[method].name != "__init__")
        return;
      parameter = rules::name_of(assign->value);
      constructor = method;
    });
  }
  const bool is_held = stores == 1 && constructor.valid() && !parameter.empty();
  return is_held && is_off_parameter(constructor, parameter) ? parameter : std::string_view();
}

std::vector<UnnamedConditions::AnyOf> UnnamedConditions::asked(FunctionId function, const Expr& condition,
                                                               bool negated) const {
  if (const auto* op = as<UnaryOp>(&condition); op != nullptr && op->op == UnaryOperator::kNot)
    return asked(function, *op->operand, !negated);
  if (const auto* op = as<BoolOp>(&condition)) {
    std::vector<AnyOf> all;
    AnyOf any;
    const bool needs_all = (op->op == BoolOperator::kAnd) != negated;
    for (const Expr* value : op->values) {
      std::vector<AnyOf> part = asked(function, *value, negated);
      if (!needs_all && part.empty()) return {};
      if (!needs_all) any.insert(any.end(), part.front().begin(), part.front().end());
      std::move(part.begin(), part.end(), std::back_inserter(all));
    }
    return needs_all ? all : std::vector<AnyOf>{any};
  }
  if (const std::string_view name = name_asked(condition, negated); !name.empty())
    return is_off_parameter(function, name) ? std::vector<AnyOf>{{std::string(name)}} : std::vector<AnyOf>();
  if (const std::string_view parameter = off_parameter_held(function, attribute_asked(condition, negated));
      !parameter.empty())
    return {{std::string(parameter)}};
  std::vector<std::string> settings = settings_.asked({nullptr, &condition, negated});
  // `self.enabled = config.enabled` in the constructor.
  const program::ClassId owner = program_.functions()[function].owner;
  if (settings.empty() && !negated && owner.valid() && !rules::self_attribute(&condition).empty()) {
    const HeldSetting held = setting_held_by(program_, owner, condition);
    if (held.stays && settings_.is_off(std::string(held.name))) settings.emplace_back(held.name);
  }
  const bool are_known = std::none_of(settings.begin(), settings.end(), [&](const std::string& setting) {
    return settings_.is_decided_elsewhere(setting);
  });
  return settings.empty() || !are_known ? std::vector<AnyOf>() : std::vector<AnyOf>{std::move(settings)};
}

std::vector<UnnamedConditions::AnyOf> UnnamedConditions::asked_by(FunctionId function, const Step& step) const {
  std::vector<AnyOf> out;
  const auto add = [&](const Expr& condition, bool negated) {
    std::vector<AnyOf> more = asked(function, condition, negated);
    std::move(more.begin(), more.end(), std::back_inserter(out));
  };
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  if (branch != nullptr && branch->orelse.empty()) add(*branch->condition, false);
  for (const Guard& guard : guards_of(*program_.functions()[function].node, step.span)) {
    if (guard.condition != nullptr) add(*guard.condition, guard.negated);
  }
  return out;
}

bool UnnamedConditions::may_set(FunctionId test, const AnyOf& any, const std::vector<ModuleId>& modules) const {
  return std::any_of(any.begin(), any.end(), [&](const std::string& name) {
    return std::any_of(modules.begin(), modules.end(), [&](ModuleId id) { return set_.may_set(test, name, id); });
  });
}

std::vector<ModuleId> UnnamedConditions::loaded_by(FunctionId test) const {
  std::vector<ModuleId> out;
  const std::vector<int>& closure = closure_.from(program_.functions()[test].module);
  for (std::size_t i = 0; i < closure.size(); ++i) {
    if (closure[i] >= 0 && program::is_test_path(program_.modules()[ModuleId(i)].path)) out.emplace_back(i);
  }
  return out;
}

std::vector<UnnamedConditions::Naming> UnnamedConditions::naming_of(const Actor& actor,
                                                                    const std::vector<TestReach>& tests) const {
  std::vector<Naming> out(tests.size(), Naming::kItself);
  const auto goes = [](const Step& step) { return step.status == StepStatus::kRemoved && !step.is_moved; };
  if (actor.steps.after_source == nullptr || !actor.change->after || !actor.change->after->function.valid() ||
      std::any_of(actor.steps.before.begin(), actor.steps.before.end(), goes))
    return out;
  std::vector<std::vector<AnyOf>> needed;  // By changed step: all of these have to be met.
  const FunctionDef* def = program_.functions()[actor.change->after->function].def();
  bool needs_grad = def != nullptr;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept && !step.is_moved) continue;
    needs_grad = needs_grad && asks_for_grad(*def, step);
    needed.push_back(asked_by(actor.change->after->function, step));
    if (needed.back().empty()) return out;
  }
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const std::vector<ModuleId> modules = loaded_by(tests[i].test);
    const auto may_meet = [&](const AnyOf& any) { return may_set(tests[i].test, any, modules); };
    const auto meets = [&](const AnyOf& any) {
      return std::any_of(any.begin(), any.end(),
                         [&](const std::string& name) { return set_.sets(tests[i].test, name); });
    };
    Naming& naming = out[i] = Naming::kNowhere;
    const FunctionDef* test = program_.functions()[tests[i].test].def();
    if (needs_grad && test != nullptr && runs_without_grad(*test)) continue;
    for (const std::vector<AnyOf>& all : needed) {
      if (std::all_of(all.begin(), all.end(), meets)) naming = Naming::kItself;
      if (naming == Naming::kNowhere && std::all_of(all.begin(), all.end(), may_meet)) naming = Naming::kInFiles;
    }
  }
  return out;
}

std::vector<std::string> UnnamedConditions::of(const Actor& actor, const std::vector<TestReach>& tests) const {
  const auto stays = [](const Step& step) { return step.status == StepStatus::kKept && !step.is_moved; };
  if (tests.empty() || actor.steps.after_source == nullptr || !actor.change->after ||
      !actor.change->after->function.valid() ||
      !std::all_of(actor.steps.before.begin(), actor.steps.before.end(), stays))
    return {};
  constexpr std::size_t kMostTests = 40;
  if (tests.size() > kMostTests) return {};
  std::vector<std::vector<ModuleId>> modules;
  for (const TestReach& reach : tests) modules.push_back(loaded_by(reach.test));
  std::vector<std::string> out;
  for (const Step& step : actor.steps.after) {
    if (stays(step)) continue;
    const std::vector<AnyOf> all = asked_by(actor.change->after->function, step);
    const auto missed = std::find_if(all.begin(), all.end(), [&](const AnyOf& any) {
      for (std::size_t i = 0; i < tests.size(); ++i) {
        if (may_set(tests[i].test, any, modules[i])) return false;
      }
      return true;
    });
    if (missed == all.end()) return {};
    for (const std::string& name : *missed) {
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

}  // namespace lockstep::report
