#include "report/story/steps/property_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/properties.h"
#include "report/source/replaced_parts.h"
#include "report/source/without_space.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

using Pair = std::pair<std::string, std::string>;

/// The properties of a class whose getter gives one of its attributes: attribute to property.
std::map<std::string_view, std::string_view> given_attributes(const program::Class& cls) {
  std::map<std::string_view, std::string_view> out;
  if (cls.node == nullptr) return out;
  for (const Stmt* statement : cls.node->body) {
    const auto* definition = as<FunctionDef>(statement);
    if (definition == nullptr || property_of(cls, definition->name.text).getter != definition) continue;
    if (const std::string_view given = attribute_given_by(*definition); !given.empty())
      out.emplace(given, definition->name.text);
  }
  return out;
}

/// The step's text with the property for each attribute of it that is read; `used` gets the two.
std::string with_properties(const Step& step, const SourceText& source,
                            const std::map<std::string_view, std::string_view>& given, std::vector<Pair>& used) {
  std::vector<std::pair<Span, std::string>> parts;
  walk_of<Attribute>(*step.node, Nested::kEnter, [&](const Attribute* attribute) {
    const auto known = given.find(rules::self_attribute(attribute));
    if (!step.span.contains(attribute->span) || attribute->context != ExprContext::kLoad || known == given.end())
      return;
    parts.emplace_back(attribute->span, "self." + std::string(known->second));
    used.emplace_back(one_line_whole(source, *attribute), parts.back().second);
  });
  return without_space(with_replaced(source, step.span, std::move(parts)));
}

/// `self.name = value` of one target: its name and the value's text.
std::optional<std::pair<std::string_view, std::string>> set_by(const Step& step, const SourceText& source) {
  const Expr* target = nullptr;
  const Expr* value = step.kind == StepKind::kPlain ? assigned_value(step.node, target) : nullptr;
  const std::string_view name = value == nullptr ? std::string_view() : rules::self_attribute(target);
  if (name.empty()) return std::nullopt;
  return std::pair(name, without_space(source.slice(value->span)));
}

/// Pairs what set an attribute with what sets it through the property, where either stands alone.
void pair_stores(Actor& actor, const std::map<std::string_view, std::string_view>& given) {
  const auto unpaired = [](const std::vector<Step>& steps, StepStatus status, const SourceText& source,
                           const auto& key_of) {
    std::map<std::pair<std::string_view, std::string>, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].status != status || steps[i].is_moved || steps[i].elsewhere != nullptr) continue;
      const auto set = set_by(steps[i], source);
      if (!set) continue;
      const std::string_view key = key_of(set->first);
      if (!key.empty()) out[{key, set->second}].push_back(i);
    }
    return out;
  };
  const auto gone =
      unpaired(actor.steps.before, StepStatus::kRemoved, *actor.steps.before_source, [&](std::string_view name) {
        const auto known = given.find(name);
        return known == given.end() ? std::string_view() : known->second;
      });
  if (gone.empty()) return;
  const auto fresh = unpaired(actor.steps.after, StepStatus::kAdded, *actor.steps.after_source,
                              [](std::string_view name) { return name; });
  for (const auto& [key, places] : gone) {
    const auto match = fresh.find(key);
    if (places.size() != 1 || match == fresh.end() || match->second.size() != 1) continue;
    Step& was = actor.steps.before[places.front()];
    Step& is = actor.steps.after[match->second.front()];
    was.status = is.status = StepStatus::kChanged;
    was.is_moved = is.is_moved = true;
    was.partner = match->second.front();
    is.partner = places.front();
  }
}

/// The name of a property that a changed step sets where it set the attribute behind it; empty for other steps.
std::string_view set_through(const Actor& actor, const Step& step, std::string_view& attribute) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return {};
  const auto is = set_by(step, *actor.steps.after_source);
  const auto was = set_by(actor.steps.before[step.partner], *actor.steps.before_source);
  if (!is || !was || is->first == was->first) return {};
  attribute = was->first;
  return is->first;
}

bool has_both_sides(const Actor& actor) {
  return actor.steps.before_source != nullptr && actor.steps.after_source != nullptr && actor.change->after &&
         actor.change->after->cls.valid();
}

/// The one raise of a setter's top level, or of a branch there: "raises `E` when `x`"; empty for none or several.
std::string raise_words(const FunctionDef& setter, const SourceText& source) {
  std::vector<std::string> out;
  for (const Stmt* statement : setter.body) {
    const auto* branch = as<If>(statement);
    const auto* raised = branch == nullptr || branch->body.empty() ? nullptr : as<Raise>(branch->body.back());
    if (raised == nullptr || raised->exception == nullptr) continue;
    const auto* made = as<Call>(raised->exception);
    const std::string error = dotted_text(made != nullptr ? made->callee : raised->exception);
    if (!error.empty())
      out.push_back(fmt::format("raises {} when {}", code(error), condition_words(*branch->condition, source)));
  }
  return out.size() == 1 ? out.front() : std::string();
}

}  // namespace

void mark_property_use(const program::Program& after, std::vector<Actor>& actors) {
  for (Actor& actor : actors) {
    if (!has_both_sides(actor)) continue;
    const std::map<std::string_view, std::string_view> given =
        given_attributes(after.classes()[actor.change->after->cls]);
    if (given.empty()) continue;
    for (Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || !step.renames.empty()) continue;
      Step& old = actor.steps.before[step.partner];
      if (step.node == nullptr || old.node == nullptr || step.kind != old.kind || is<AugAssign>(old.node)) continue;
      std::vector<Pair> used;
      const std::string was = with_properties(old, *actor.steps.before_source, given, used);
      if (used.empty() || was != without_space(actor.steps.after_source->slice(step.span))) continue;
      step.renames = used;
      old.renames = std::move(used);
    }
    pair_stores(actor, given);
  }
}

std::string words_as_setter(const std::vector<Actor>& actors, const Actor& actor) {
  constexpr std::size_t kMost = 4;
  const auto& side = actor.change->after;
  const auto* definition = side ? as<FunctionDef>(side->node) : nullptr;
  if (!actor.is_added() || definition == nullptr || !side->cls.valid() || !is_setter(*definition)) return {};
  std::vector<std::string> takers;
  std::string_view behind;
  std::size_t count = 0;
  for (const Actor& other : actors) {
    if (!has_both_sides(other) || other.change->after->cls != side->cls || other.role == Role::kTest) continue;
    for (const Step& step : other.steps.after) {
      std::string_view attribute;
      if (set_through(other, step, attribute) != definition->name.text) continue;
      behind = attribute;
      if (++count <= kMost)
        takers.push_back(fmt::format("{} ({})", code(change::last_part(other.change->after->qualified_name)),
                                     place(other.change->after->path, step.first_line)));
      break;
    }
  }
  if (takers.empty()) return {};
  if (count > kMost) takers.push_back(fmt::format("{} more", count - kMost));
  return fmt::format(" {} is set through it now by {}, which set {} itself before.",
                     code("self." + std::string(definition->name.text)), join_words(takers),
                     code("self." + std::string(behind)));
}

std::string former_store_words(const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.after;
  if (steps[index].kind != StepKind::kIf || steps[index].status != StepStatus::kAdded ||
      end_of(steps, index) != index + 2 || !has_both_sides(actor))
    return {};
  std::string_view attribute;
  if (set_through(actor, steps[index + 1], attribute).empty()) return {};
  const std::string was = where_words(*actor.change->before->node, actor.steps.before[steps[index + 1].partner],
                                      *actor.steps.before_source);
  return was.empty() ? std::string(" (formerly always)") : fmt::format(" (formerly when {})", was);
}

std::string setter_refusal_words(const DocumentInputs& inputs, const Actor& actor) {
  if (!has_both_sides(actor)) return {};
  const program::Class& cls = inputs.after->classes()[actor.change->after->cls];
  const SourceText& source = inputs.after->modules()[cls.module].facts->source();
  for (const Step& step : actor.steps.after) {
    std::string_view attribute;
    const std::string_view name = set_through(actor, step, attribute);
    const FunctionDef* setter = name.empty() ? nullptr : property_of(cls, name).setter;
    const std::string raised = setter == nullptr ? std::string() : raise_words(*setter, source);
    if (!raised.empty())
      return fmt::format("The setter of {}, through which it goes now, {}", code("self." + std::string(name)), raised);
  }
  return {};
}

}  // namespace lockstep::report
