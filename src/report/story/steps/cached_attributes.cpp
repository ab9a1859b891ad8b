#include "report/story/steps/cached_attributes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/held_settings.h"
#include "report/source/replaced_parts.h"
#include "report/source/without_space.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Attributes that the constructor of a class comes to set at its top level, and that nothing else sets.
struct Cached {
  std::map<std::string_view, const Expr*> values;
  const FunctionDef* constructor = nullptr;
};

Cached cached_by(const program::Class& cls, const Actor& actor) {
  Cached out;
  out.constructor = as<FunctionDef>(actor.change->after->node);
  for (const Step& step : actor.steps.after) {
    const bool is_plain = step.status == StepStatus::kAdded && !step.is_moved && step.depth == 0;
    const auto* assign = is_plain ? as<Assign>(step.node) : nullptr;
    if (assign == nullptr || assign->targets.size() != 1) continue;
    const std::string_view name = rules::self_attribute(assign->targets.front());
    if (!name.empty() && times_set(cls, name) == 1) out.values.emplace(name, assign->value);
  }
  return out;
}

/// Whether the function keeps its parameter as `self.holder` and gives the name to nothing else.
bool keeps_parameter(const FunctionDef& constructor, std::string_view holder) {
  bool is_bound = false;
  bool is_kept = false;
  walk(constructor, Nested::kEnter, [&](const Node* node) {
    const auto* bound = as<Name>(node);
    is_bound = is_bound || (bound != nullptr && bound->id == holder && bound->context != ExprContext::kLoad);
    const auto* assign = as<Assign>(node);
    is_kept = is_kept ||
              (assign != nullptr && assign->targets.size() == 1 &&
               rules::self_attribute(assign->targets.front()) == holder && rules::name_of(assign->value) == holder);
  });
  return is_kept && !is_bound && rules::parameter_named(&constructor, holder) != nullptr;
}

/// Whether a value is `self.holder.name`, or `holder.name` of a parameter that is kept as `self.holder`;
/// `getattr(holder, "name", None)` and `… if holder is not None else None` are that, too.
bool reads(const Expr& value, std::string_view holder, std::string_view name, const FunctionDef& constructor) {
  const auto is_holder = [&](const Expr* one) {
    return rules::self_attribute(one) == holder ||
           (rules::name_of(one) == holder && keeps_parameter(constructor, holder));
  };
  const Expr* read = &value;
  if (const auto* choice = as<IfExp>(read)) {
    const auto* asked = as<Compare>(choice->condition);
    const bool asks_holder = asked != nullptr && is_holder(asked->left) && asked->comparators.size() == 1 &&
                             rules::is_none(asked->comparators[0]);
    if (!asks_holder || !rules::is_none(choice->orelse)) return false;
    read = choice->body;
  }
  if (const auto* attribute = as<Attribute>(read)) return attribute->name.text == name && is_holder(attribute->value);
  const auto* call = as<Call>(read);
  return call != nullptr && rules::name_of(call->callee) == "getattr" && call->arguments.size() >= 2 &&
         (call->arguments.size() == 2 || rules::is_none(call->arguments[2])) && is_holder(call->arguments[0]) &&
         rules::text_of(call->arguments[1]) == name;
}

/// The step's text with `self.x` for `self.holder.x` of what is cached; `used` gets the two.
std::string with_cached(const Step& step, const SourceText& source, const program::Class& cls, const Cached& cached,
                        std::vector<std::pair<std::string, std::string>>& used) {
  std::vector<std::pair<Span, std::string>> parts;
  walk_of<Attribute>(*step.node, Nested::kEnter, [&](const Attribute* attribute) {
    const std::string_view holder = rules::self_attribute(attribute->value);
    const auto known = cached.values.find(attribute->name.text);
    if (!step.span.contains(attribute->span) || attribute->context != ExprContext::kLoad || holder.empty() ||
        known == cached.values.end() || times_set(cls, holder) != 1 ||
        !reads(*known->second, holder, attribute->name.text, *cached.constructor))
      return;
    parts.emplace_back(attribute->span, "self." + std::string(attribute->name.text));
    used.emplace_back(one_line_whole(source, *attribute), parts.back().second);
  });
  return without_space(with_replaced(source, step.span, std::move(parts)));
}

}  // namespace

void mark_cached_attributes(const program::Program& after, std::vector<Actor>& actors) {
  std::map<std::uint32_t, Cached> by_class;
  for (const Actor& actor : actors) {
    const auto& side = actor.change->after;
    if (!side || !side->cls.valid() || !side->function.valid() || actor.steps.after_source == nullptr ||
        after.functions()[side->function].name != "__init__")
      continue;
    Cached cached = cached_by(after.classes()[side->cls], actor);
    if (!cached.values.empty() && cached.constructor != nullptr) by_class.emplace(side->cls.value, std::move(cached));
  }
  for (Actor& actor : actors) {
    const auto& side = actor.change->after;
    const auto cached = side && side->cls.valid() ? by_class.find(side->cls.value) : by_class.end();
    if (cached == by_class.end() || actor.steps.before_source == nullptr || actor.steps.after_source == nullptr)
      continue;
    for (Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || !step.renames.empty()) continue;
      Step& old = actor.steps.before[step.partner];
      if (step.node == nullptr || old.node == nullptr || step.kind != old.kind || is<AugAssign>(old.node)) continue;
      std::vector<std::pair<std::string, std::string>> used;
      const std::string was =
          with_cached(old, *actor.steps.before_source, after.classes()[side->cls], cached->second, used);
      if (used.empty() || was != without_space(actor.steps.after_source->slice(step.span))) continue;
      step.renames = used;
      old.renames = std::move(used);
    }
  }
}

}  // namespace lockstep::report
