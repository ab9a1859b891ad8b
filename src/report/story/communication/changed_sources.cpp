#include "report/story/communication/changed_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// One side of a compared step.
struct Side {
  const program::Program& program;
  program::FunctionId function;
  const SourceText& source;
  Span span;  ///< Of the step: of a branch its head alone.
};

/// The path of the file whose function a call asks for a value of its module: it is handed nothing but literals. Empty
/// for others, methods among them.
std::string_view getter_file(const Side& side, const Expr& expression) {
  const auto* call = as<Call>(&expression);
  if (call == nullptr) return {};
  const auto is_literal = [](const Expr* one) { return is<Constant>(one); };
  if (!std::all_of(call->arguments.begin(), call->arguments.end(), is_literal) ||
      !std::all_of(call->keywords.begin(), call->keywords.end(),
                   [&](const Keyword* one) { return !one->name.text.empty() && is_literal(one->value); }))
    return {};
  const program::CallId id = side.program.call_of(call);
  if (!id.valid() || side.program.calls()[id].targets.size() != 1) return {};
  const program::CallTarget& target = side.program.calls()[id].targets.front();
  if (!target.function.valid() || target.certainty != program::Certainty::kExact) return {};
  const program::Function& function = side.program.functions()[target.function];
  const bool is_of_module = !function.owner.valid() && !function.enclosing.valid();
  return is_of_module ? std::string_view(side.program.module_of(target.function).path) : std::string_view();
}

/// The object that a chain of attributes, calls without arguments and subscripts starts from: "pg" of `pg.tp.size()`,
/// "self.groups" of `self.groups.tp.rank()`. Empty for others.
std::string object_of(const Side& side, const Expr& expression) {
  const Expr* at = &expression;
  std::vector<std::string_view> names;
  while (true) {
    if (const auto* member = as<Attribute>(at)) {
      names.push_back(member->name.text);
      at = member->value;
    } else if (const auto* call = as<Call>(at)) {
      if (!call->arguments.empty() || !call->keywords.empty()) return {};
      at = call->callee;
    } else {
      break;
    }
  }
  const auto* root = as<Name>(at);
  if (root == nullptr || names.empty()) return {};
  const FunctionDef* def = side.program.functions()[side.function].def();
  if (def == nullptr) return {};
  if (root->id == "self") return names.size() < 2 ? std::string() : fmt::format("self.{}", names.back());
  const bool is_local = rules::parameter_named(def, root->id) != nullptr || rules::binds_name(*def, root->id);
  return is_local ? std::string(root->id) : std::string();
}

/// A value that comes from another source.
struct Moved {
  std::string getters, object, before, after;
  bool to_object;
};

std::optional<Moved> moved_value(const Side& was, const Expr& old_value, const Side& is, const Expr& new_value) {
  const std::string_view old_getters = getter_file(was, old_value), new_getters = getter_file(is, new_value);
  if (old_getters.empty() == new_getters.empty()) return std::nullopt;
  const bool to_object = !old_getters.empty();
  std::string object = to_object ? object_of(is, new_value) : object_of(was, old_value);
  if (object.empty()) return std::nullopt;
  return Moved{std::string(to_object ? old_getters : new_getters), std::move(object),
               one_line_whole(was.source, old_value), one_line_whole(is.source, new_value), to_object};
}

/// Compares two trees from above and keeps the values that come from another source; what has another form is not
/// looked into.
void compare(const Side& was, const Node& before, const Side& is, const Node& after, std::vector<Moved>& out) {
  if (without_layout(was.source, before.span) == without_layout(is.source, after.span)) return;
  if (is_expression(&before) && is_expression(&after)) {
    const auto& old_value = static_cast<const Expr&>(before);
    const auto& new_value = static_cast<const Expr&>(after);
    if (auto moved = moved_value(was, old_value, is, new_value)) {
      out.push_back(*std::move(moved));
      return;
    }
  }
  const auto children = [](const Side& side, const Node& node) {
    std::vector<const Node*> all;
    for_each_child(node, [&](const Node* child) {
      if (side.span.contains(child->span)) all.push_back(child);
    });
    return all;
  };
  const std::vector<const Node*> old_parts = children(was, before), new_parts = children(is, after);
  if (before.kind != after.kind || old_parts.size() != new_parts.size()) return;
  for (std::size_t i = 0; i < old_parts.size(); ++i) compare(was, *old_parts[i], is, *new_parts[i], out);
}

std::vector<Moved> moved_values(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Moved> out;
  const bool is_edited = actor.role != Role::kTest && actor.change->before && actor.change->after &&
                         actor.change->before->function.valid() && actor.change->after->function.valid() &&
                         actor.steps.before_source != nullptr && actor.steps.after_source != nullptr;
  if (!is_edited) return out;
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
    const Step& old_step = actor.steps.before[step.partner];
    compare({*inputs.before, actor.change->before->function, *actor.steps.before_source, old_step.span}, *old_step.node,
            {*inputs.after, actor.change->after->function, *actor.steps.after_source, step.span}, *step.node, out);
  }
  return out;
}

/// Whether a condition asks for `None`: what stands under it fills in for what was not given.
bool asks_for_none(const Guard& guard) {
  if (guard.condition == nullptr) return false;
  bool found = rules::none_test(*guard.condition).has_value();
  walk_of<Compare>(*guard.condition, Nested::kSkip,
                   [&](const Compare* one) { found = found || rules::none_test(*one).has_value(); });
  return found;
}

/// Calls of getters of that file in the new version, those of process groups alone: what else a module keeps is another
/// matter.
std::vector<Span> left_getters(const DocumentInputs& inputs, const Actor& actor, std::string_view file) {
  std::vector<Span> out;
  const program::FunctionId function = actor.change->after->function;
  const Side side{*inputs.after, function, *actor.steps.after_source, actor.change->after->node->span};
  walk_of<Call>(*actor.change->after->node, Nested::kSkip, [&](const Call* call) {
    const std::string_view name = callee_name(*call);
    const bool is_of_group = contains(name, "group") || contains(name, "rank") || contains(name, "world_size");
    if (!is_of_group || getter_file(side, *call) != file) return;
    const std::vector<Guard> guards = guards_of(*actor.change->after->node, call->span);
    if (std::none_of(guards.begin(), guards.end(), asks_for_none)) out.push_back(call->span);
  });
  return out;
}

/// Whether step `index` stands in the block of step `other`, or in one inside that block.
bool is_in_block_of(const std::vector<Step>& steps, std::size_t index, std::size_t other) {
  for (; index != Step::kNone; index = steps[index].parent) {
    if (steps[index].parent == steps[other].parent) return true;
  }
  return false;
}

/// Whether the change has the function make the object right where the values are taken: then nobody handed it in. One
/// that only stands in where none was handed in, in a branch before, is no such.
bool is_newly_made(const Actor& actor, std::string_view object) {
  const std::vector<Step>& steps = actor.steps.after;
  const auto is_new = [](const Step& step) {
    return step.status == StepStatus::kAdded || step.status == StepStatus::kChanged;
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const python::Expr* target = nullptr;
    if (!is_new(steps[i]) || assigned_value(steps[i].node, target) == nullptr || rules::name_of(target) != object)
      continue;
    for (std::size_t k = i + 1; k < steps.size(); ++k) {
      if (is_new(steps[k]) && is_in_block_of(steps, k, i) &&
          find_name(actor.steps.after_source->slice(steps[k].span), object) != std::string_view::npos)
        return true;
    }
  }
  return false;
}

}  // namespace

std::vector<ChangedSource> changed_sources(const DocumentInputs& inputs, const Story& story) {
  std::vector<ChangedSource> out;
  for (const Actor& actor : story.actors) {
    std::map<std::tuple<std::string, std::string, bool>, ChangedSource> found;
    for (Moved& moved : moved_values(inputs, actor)) {
      ChangedSource& one = found[{moved.getters, moved.object, moved.to_object}];
      one.actor = &actor;
      one.getters = moved.getters;
      one.object = moved.object;
      one.to_object = moved.to_object;
      std::pair<std::string, std::string> value{std::move(moved.before), std::move(moved.after)};
      if (std::find(one.values.begin(), one.values.end(), value) == one.values.end())
        one.values.push_back(std::move(value));
    }
    for (auto& [unused, one] : found) {
      if (one.values.size() < 2 || (one.to_object && is_newly_made(actor, one.object))) continue;
      const change::EntitySide& side = one.to_object ? *actor.change->after : *actor.change->before;
      const program::Program& program = one.to_object ? *inputs.after : *inputs.before;
      one.is_parameter = rules::parameter_named(program.functions()[side.function].def(), one.object) != nullptr;
      if (one.to_object) one.left = left_getters(inputs, actor, one.getters);
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace lockstep::report
