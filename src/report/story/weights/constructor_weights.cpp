#include "report/story/weights/constructor_weights.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/find_text.h"
#include "change/names.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::EntityKind;
using change::EntitySide;

namespace {

bool is_constructor(const Actor& actor) {
  return actor.change->kind == EntityKind::kMethod &&
         change::last_part(actor.change->latest().qualified_name) == "__init__";
}

bool counts(const Actor& actor) {
  return actor.role == Role::kSupporting && actor.is_function() && !actor.is_removed() && actor.change->after;
}

/// Attributes and buffers that changed steps of a constructor set, of itself or of others (`groups[i].previous = …`),
/// and that the old code of its class does not name.
std::set<std::string> made_ready(const DocumentInputs& inputs, const Actor& actor) {
  std::set<std::string> out;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || step.kind != StepKind::kPlain) continue;
    const Expr* target = nullptr;
    assigned_value(step.node, target);
    const std::string name = dotted_text(target);
    const auto* member = as<Attribute>(target);
    if (name.starts_with("self.")) {
      out.insert(name.substr(5));
    } else if (member != nullptr) {
      out.emplace(member->name.text);
    }
    const auto* statement = as<ExprStmt>(step.node);
    const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
    if (call != nullptr && callee_name(*call) == "register_buffer" && !call->arguments.empty())
      out.insert(std::string(rules::text_of(call->arguments[0])));
  }
  const program::ClassId cls = !actor.change->before || !actor.change->before->function.valid()
                                   ? program::ClassId()
                                   : inputs.before->functions()[actor.change->before->function].owner;
  if (!cls.valid()) return {};
  const std::string_view old_text =
      source_of(*inputs.before, actor.change->before->function).slice(inputs.before->classes()[cls].node->span);
  std::erase_if(out, [&](const std::string& name) {
    return name.empty() || find_name(old_text, name) != std::string_view::npos;
  });
  return out;
}

/// Whether the constructor sets an attribute of `self` no more, and the new one sets others: what is made of it now is
/// the change, which those that read it follow.
bool replaces_attribute(const Actor& actor) {
  const auto set = [](const std::vector<Step>& steps) {
    std::set<std::string> out;
    for (const Step& step : steps) {
      const Expr* target = nullptr;
      if (step.kind == StepKind::kPlain) assigned_value(step.node, target);
      if (const std::string name = dotted_text(target); name.starts_with("self.")) out.insert(name);
    }
    return out;
  };
  const std::set<std::string> now = set(actor.steps.after);
  const std::set<std::string> was = set(actor.steps.before);
  return std::any_of(was.begin(), was.end(), [&](const std::string& name) { return !now.contains(name); });
}

/// The weight of the heaviest changed function that is no constructor and has one of the names in its changed code.
double heaviest_user(const std::vector<Actor>& actors, const std::set<std::string>& names) {
  double out = 0;
  for (const Actor& actor : actors) {
    if (!counts(actor) || is_constructor(actor) || actor.steps.after_source == nullptr || actor.weight <= out) continue;
    const bool uses = std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
      if (step.status == StepStatus::kKept) return false;
      const std::string_view text = actor.steps.after_source->slice(step.span);
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string& name) { return find_name(text, name) != std::string_view::npos; });
    });
    if (uses) out = actor.weight;
  }
  return out;
}

}  // namespace

void weigh_constructors(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr std::uint32_t kLong = 15;  // Lines.
  constexpr double kLittle = 0.2;      // Of its own weight: such a user is not what the change is about.
  constexpr double kBehind = 0.95;
  for (Actor& actor : actors) {
    if (!counts(actor) || actor.is_added() || !is_constructor(actor)) continue;
    const std::set<std::string> names = replaces_attribute(actor) ? std::set<std::string>() : made_ready(inputs, actor);
    const double user = names.empty() ? 0 : heaviest_user(actors, names);
    if (user > kLittle * actor.weight) actor.weight = std::min(actor.weight, kBehind * user);
  }
  const Actor* lead = nullptr;
  for (const Actor& actor : actors) {
    if (counts(actor) && !actor.is_added() && !is_constructor(actor) &&
        (lead == nullptr || actor.weight > lead->weight))
      lead = &actor;
  }
  if (lead == nullptr || !lead->change->after->function.valid()) return;
  std::set<std::uint32_t> called;
  for (const program::CallId call : inputs.after->functions()[lead->change->after->function].calls) {
    for (const program::CallTarget& target : inputs.after->calls()[call].targets) {
      if (target.function.valid()) called.insert(target.function.value);
    }
  }
  double best = 0;
  for (const Actor& actor : actors) {
    if (!counts(actor) || !actor.is_added() || actor.is_unnamed || actor.extracted_from != nullptr) continue;
    const EntitySide& side = *actor.change->after;
    if (side.last_line - side.first_line >= kLong && called.contains(side.function.value))
      best = std::max(best, actor.weight);
  }
  for (Actor& actor : actors) {
    if (best > 0 && counts(actor) && !actor.is_added() && is_constructor(actor) && actor.weight < lead->weight)
      actor.weight = std::min(actor.weight, kBehind * best);
  }
}

}  // namespace lockstep::report
