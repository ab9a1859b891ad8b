#include "report/story/weights/own_flags.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "change/names.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::EntityKind;

namespace {

using NameSet = std::set<std::string_view>;

/// Parameters and attributes that the function has, or sets, and its old version does not.
void add_names(const Actor& actor, NameSet& out) {
  const auto* now = as<FunctionDef>(actor.change->after->node);
  const auto* was = actor.change->before ? as<FunctionDef>(actor.change->before->node) : nullptr;
  if (now == nullptr) return;
  if (was != nullptr) {
    for (const Parameter* parameter : now->parameters->all) {
      const bool is_old = std::any_of(was->parameters->all.begin(), was->parameters->all.end(),
                                      [&](const Parameter* one) { return one->name.text == parameter->name.text; });
      if (!is_old) out.insert(parameter->name.text);
    }
  }
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || step.kind != StepKind::kPlain) continue;
    const Expr* target = nullptr;
    assigned_value(step.node, target);
    const auto* attribute = as<Attribute>(target);
    if (attribute != nullptr && is<Name>(attribute->value)) out.insert(attribute->name.text);
  }
}

/// What the change brings: no file of the old version has these words.
NameSet own_names(const DocumentInputs& inputs, const std::vector<Actor>& actors) {
  NameSet out;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kTest || !actor.change->after) continue;
    const std::string& name = actor.change->after->qualified_name;
    if (actor.change->kind == EntityKind::kField && actor.is_added())
      out.insert(std::string_view(name).substr(name.rfind('.') + 1));
    if (actor.is_function()) add_names(actor, out);
  }
  const auto& modules = inputs.before->modules();
  for (std::size_t i = 0; i < modules.size() && !out.empty(); ++i) {
    const python::FileFacts& facts = *modules[program::ModuleId(i)].facts;
    std::erase_if(out, [&](std::string_view name) { return facts.has_name(name); });
  }
  return out;
}

bool names_one(const Node& node, const NameSet& names) {
  bool found = false;
  const auto look = [&](const Node* one) {
    const auto* name = as<Name>(one);
    const auto* attribute = as<Attribute>(one);
    found = found || (name != nullptr && names.contains(name->id)) ||
            (attribute != nullptr && names.contains(attribute->name.text));
  };
  look(&node);
  walk(node, Nested::kEnter, look);
  return found;
}

/// Whether a condition asks for the value that has one of the names; not whether there is such an object, nor for what
/// that object holds (`self.bias.dtype`).
bool asks_for(const Expr& condition, const NameSet& names) {
  if (const auto* all = as<BoolOp>(&condition))
    return std::any_of(all->values.begin(), all->values.end(), [&](const Expr* one) { return asks_for(*one, names); });
  const auto* call = as<Call>(&condition);
  if (rules::none_test(condition) || (call != nullptr && callee_name(*call) == "hasattr")) return false;
  std::set<const Node*> holders;  // `x` of `x.y`.
  walk_of<Attribute>(condition, Nested::kEnter, [&](const Attribute* one) { holders.insert(one->value); });
  if (const auto* whole = as<Attribute>(&condition)) holders.insert(whole->value);
  bool found = false;
  const auto look = [&](const Node* one) {
    const auto* name = as<Name>(one);
    const auto* attribute = as<Attribute>(one);
    const bool is_one =
        (name != nullptr && names.contains(name->id)) || (attribute != nullptr && names.contains(attribute->name.text));
    found = found || (is_one && !holders.contains(one));
  };
  look(&condition);
  walk(condition, Nested::kEnter, look);
  return found;
}

const Expr* condition_of(const Step& step) {
  if (step.kind == StepKind::kIf) return as<If>(step.node)->condition;
  return step.kind == StepKind::kWhile ? as<While>(step.node)->condition : nullptr;
}

/// `if args.flag: args.flag = False`: what only gives the name another value decides nothing yet.
bool only_sets_it(const Step& step, const Expr& condition) {
  const Expr* target = nullptr;
  assigned_value(step.node, target);
  const auto* attribute = as<Attribute>(target);
  return attribute != nullptr && names_one(condition, {attribute->name.text});
}

/// Without those of `names` that the function itself sets to `True`.
NameSet set_by_others(const Actor& actor, NameSet names) {
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || step.kind != StepKind::kPlain) continue;
    const Expr* target = nullptr;
    const auto* value = as<Constant>(assigned_value(step.node, target));
    const auto* attribute = as<Attribute>(target);
    if (attribute != nullptr && value != nullptr && value->constant_kind == ConstantKind::kTrue)
      names.erase(attribute->name.text);
  }
  return names;
}

/// Whether all that a branch does is to leave the function with nothing.
bool only_leaves(const std::vector<Step>& steps, std::size_t branch) {
  const auto* first = branch + 1 < steps.size() ? as<Return>(steps[branch + 1].node) : nullptr;
  return end_of(steps, branch) == branch + 2 && first != nullptr && first->value == nullptr;
}

/// A branch that comes, asks for such a name, and holds steps that come. Whether there is an object at all is no flag:
/// what that object does is told by its class. Nor is what only keeps a function from doing twice what it did:
/// `if self.is_done: return`, where it sets that itself.
bool decides(const Actor& actor, const NameSet& all_names) {
  const std::vector<Step>& steps = actor.steps.after;
  const NameSet of_others = set_by_others(actor, all_names);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Expr* condition = steps[i].status == StepStatus::kKept ? nullptr : condition_of(steps[i]);
    const NameSet& names = only_leaves(steps, i) ? of_others : all_names;
    if (condition == nullptr || !asks_for(*condition, names) || only_refuses(steps, i)) continue;
    for (std::size_t k = i + 1; k < end_of(steps, i); ++k) {
      const Node* node = steps[k].node;
      if (steps[k].status != StepStatus::kKept && !steps[k].is_moved && steps[k].kind == StepKind::kPlain &&
          !is<Raise>(node) && !is<Assert>(node) && !only_sets_it(steps[k], *condition))
        return true;
    }
  }
  return false;
}

/// Only hands such names on in calls, or asks for one where it asked for something else and refused what was not so.
bool only_hands_on(const Actor& actor, const NameSet& names) {
  if (actor.is_added() || actor.is_removed()) return false;
  bool any = false;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || step.is_moved) continue;
    const Expr* condition = condition_of(step);
    const bool hands = step.kind == StepKind::kPlain && step.status == StepStatus::kChanged && value_of_step(step) &&
                       is<Call>(value_of_step(step)) && names_one(*step.node, names);
    if (!hands && (condition == nullptr || !names_one(*condition, names))) return false;
    any = true;
  }
  const std::vector<Step>& before = actor.steps.before;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].status != StepStatus::kRemoved || before[i].is_moved) continue;
    if (before[i].kind == StepKind::kPlain ? !is<Raise>(before[i].node) : before[i].kind != StepKind::kIf) return false;
  }
  return any;
}

/// Of `names` those that a default, or the value of a field, is now: runs that set nothing come to what asks for them.
NameSet new_defaults(const std::vector<Actor>& actors, const NameSet& names) {
  NameSet out;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kTest || actor.is_added() || actor.is_removed()) continue;
    for (const change::Difference& one : actor.change->differences) {
      const bool is_default = one.kind == change::DifferenceKind::kDefaultChanged ||
                              (one.kind == change::DifferenceKind::kValueChanged && !actor.is_function());
      if (!is_default || one.before.empty()) continue;
      const std::string_view last = change::last_part(one.after);
      if (const auto found = names.find(last); found != names.end()) out.insert(*found);
    }
  }
  return out;
}

}  // namespace

void weigh_own_flags(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kDecides = 1.6;
  constexpr double kHandsOn = 0.5;
  const NameSet names = own_names(inputs, actors);
  if (names.empty()) return;
  const NameSet defaults = new_defaults(actors, names);
  double top = 0;
  for (const Actor& actor : actors) top = std::max(top, actor.role == Role::kSupporting ? actor.weight : 0);
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_function() || actor.is_removed() || actor.is_module_code) continue;
    // A constructor makes ready what others do.
    const std::string_view name = change::last_part(actor.change->after->qualified_name);
    const bool is_constructor = name == "__init__" || name == "__post_init__" || name == "__new__";
    if (!is_constructor && decides(actor, names)) {
      actor.weight *= kDecides;
      if (!defaults.empty() && decides(actor, defaults)) actor.weight = std::max(actor.weight, kDecides * top);
    } else if (only_hands_on(actor, names)) {
      actor.weight *= kHandsOn;
    }
  }
}

}  // namespace lockstep::report
