#include "report/tests/unnamed_conditions.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/given_arguments.h"
#include "report/source/held_settings.h"
#include "rules/bindings.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

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

/// Whether what stands behind a name gives it a value that is off: `: None`, `= False`.
bool is_given_off(std::string_view behind) {
  const auto skip = [&](std::string_view any) {
    while (!behind.empty() && contains(any, behind.substr(0, 1))) behind.remove_prefix(1);
  };
  skip("\"'");
  skip(" \t");
  if (!behind.starts_with(':') && (!behind.starts_with('=') || behind.starts_with("=="))) return false;
  behind.remove_prefix(1);
  skip(" \t\n");
  for (const std::string_view off : {"None", "False"}) {
    if (behind.starts_with(off) && (behind.size() == off.size() || !is_name_char(behind[off.size()]))) return true;
  }
  return false;
}

/// Whether the text has the name, also within `ddp_x` and as `--some-x`, which may set x, too, and not only to be off.
bool has_name(std::string_view text, const std::string& name) {
  std::string option = name;
  std::replace(option.begin(), option.end(), '_', '-');
  for (const std::string& spelling : {name, option}) {
    for (std::size_t at = find_text(text, spelling); at != std::string_view::npos;
         at = find_text(text, spelling, at + 1)) {
      if (!is_given_off(text.substr(at + spelling.size()))) return true;
    }
    if (name == option) break;
  }
  return false;
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

bool UnnamedConditions::is_named(const std::string& name, const std::vector<ModuleId>& modules) const {
  return std::any_of(modules.begin(), modules.end(),
                     [&](ModuleId id) { return has_name(program_.modules()[id].facts->source().bytes(), name); });
}

std::vector<ModuleId> UnnamedConditions::loaded_by(FunctionId test) const {
  std::vector<ModuleId> out;
  const std::vector<int>& closure = closure_.from(program_.functions()[test].module);
  for (std::size_t i = 0; i < closure.size(); ++i) {
    if (closure[i] >= 0 && program::is_test_path(program_.modules()[ModuleId(i)].path)) out.emplace_back(i);
  }
  return out;
}

std::vector<std::string_view> UnnamedConditions::own_texts(FunctionId test) const {
  const program::Function& function = program_.functions()[test];
  const SourceText& source = program_.module_of(test).facts->source();
  std::vector<std::string_view> out;
  const auto add = [&](const FunctionDef* def) {
    if (def == nullptr) return;
    Span span = def->span;
    for (const Expr* decorator : def->decorators) span.begin = std::min(span.begin, decorator->span.begin);
    out.push_back(source.slice(span));
  };
  add(function.def());
  if (!function.owner.valid()) return out;
  for (const FunctionId method : program_.classes()[function.owner].methods) {
    if (to_lower(program_.functions()[method].name).starts_with("setup")) add(program_.functions()[method].def());
  }
  return out;
}

std::vector<UnnamedConditions::Naming> UnnamedConditions::naming_of(const Actor& actor,
                                                                    const std::vector<TestReach>& tests) const {
  std::vector<Naming> out(tests.size(), Naming::kItself);
  const auto goes = [](const Step& step) { return step.status == StepStatus::kRemoved && !step.is_moved; };
  if (actor.is_added() || actor.steps.after_source == nullptr || !actor.change->after ||
      !actor.change->after->function.valid() || std::any_of(actor.steps.before.begin(), actor.steps.before.end(), goes))
    return out;
  std::vector<std::vector<AnyOf>> needed;  // By changed step: all of these have to be met.
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept && !step.is_moved) continue;
    needed.push_back(asked_by(actor.change->after->function, step));
    if (needed.back().empty()) return out;
  }
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const std::vector<ModuleId> modules = loaded_by(tests[i].test);
    const std::vector<std::string_view> texts = own_texts(tests[i].test);
    const auto may_meet = [&](const AnyOf& any) {
      return std::any_of(any.begin(), any.end(), [&](const std::string& name) { return is_named(name, modules); });
    };
    const auto meets = [&](const AnyOf& any) {
      return std::any_of(any.begin(), any.end(), [&](const std::string& name) {
        return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) { return has_name(text, name); });
      });
    };
    Naming& naming = out[i] = Naming::kNowhere;
    for (const std::vector<AnyOf>& all : needed) {
      if (std::all_of(all.begin(), all.end(), meets)) naming = Naming::kItself;
      if (naming == Naming::kNowhere && std::all_of(all.begin(), all.end(), may_meet)) naming = Naming::kInFiles;
    }
  }
  return out;
}

std::vector<std::string> UnnamedConditions::of(const Actor& actor, const std::vector<TestReach>& tests) const {
  const auto stays = [](const Step& step) { return step.status == StepStatus::kKept && !step.is_moved; };
  if (tests.empty() || actor.is_added() || actor.steps.after_source == nullptr || !actor.change->after ||
      !actor.change->after->function.valid() ||
      !std::all_of(actor.steps.before.begin(), actor.steps.before.end(), stays))
    return {};
  std::set<std::uint32_t> loaded;
  for (const TestReach& reach : tests) {
    const std::vector<int>& closure = closure_.from(program_.functions()[reach.test].module);
    for (std::size_t i = 0; i < closure.size(); ++i) {
      if (closure[i] >= 0 && program::is_test_path(program_.modules()[ModuleId(i)].path))
        loaded.insert(ModuleId(i).value);
    }
  }
  std::vector<ModuleId> modules;
  for (const std::uint32_t id : loaded) modules.emplace_back(id);
  std::vector<std::string> out;
  for (const Step& step : actor.steps.after) {
    if (stays(step)) continue;
    const std::vector<AnyOf> all = asked_by(actor.change->after->function, step);
    const auto missed = std::find_if(all.begin(), all.end(), [&](const AnyOf& any) {
      return std::none_of(any.begin(), any.end(), [&](const std::string& name) { return is_named(name, modules); });
    });
    if (missed == all.end()) return {};
    for (const std::string& name : *missed) {
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

}  // namespace lockstep::report
