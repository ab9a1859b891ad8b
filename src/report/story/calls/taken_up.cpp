#include "report/story/calls/taken_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/change_steps.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `self.x` of `self.x = value`; null for other statements.
const Attribute* attribute_set_by(const Node* statement) {
  const auto* assign = as<Assign>(statement);
  const auto* member =
      assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Attribute>(assign->targets.front());
  return member != nullptr && rules::name_of(member->value) == "self" ? member : nullptr;
}

/// Whether a statement directly in the body of the function, behind no way out, reads like `text`.
bool does_in_any_case(const Node& function, const SourceText& source, std::string_view text) {
  const auto body = body_of(&function);
  for (const Stmt* one : body) {
    // Behind a way out not every run comes to it.
    bool may_leave = false;
    if (without_layout(source, one->span) == text) return true;
    walk_of<Return>(*one, Nested::kSkip, [&](const Return*) { may_leave = true; });
    if (may_leave || is<Return>(one)) return false;
  }
  return false;
}

bool sets(const Node& function, std::string_view name) {
  bool found = false;
  walk_of<Attribute>(function, Nested::kEnter, [&](const Attribute* one) {
    found = found || (one->context == ExprContext::kStore && one->name.text == name);
  });
  return found;
}

/// A method that the actor calls on `self`, before the change and after it, and that is edited.
struct Callee {
  const change::EntityChange* change = nullptr;
  std::size_t at = 0;  ///< The step of the after side that calls it.
};

bool calls_it(const program::Program& program, program::FunctionId caller, program::FunctionId callee) {
  const auto& calls = program.functions()[caller].calls;
  return std::any_of(calls.begin(), calls.end(),
                     [&](program::CallId id) { return program::surely_enters(program.calls()[id], callee); });
}

std::vector<Callee> edited_callees(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Callee> out;
  const program::FunctionId self = actor.change->after->function;
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    const Call* call = actor.steps.after[i].kind == StepKind::kPlain ? call_of_step(actor.steps.after[i]) : nullptr;
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    const program::CallId id = method == nullptr ? program::CallId() : inputs.after->call_of(call);
    if (!id.valid() || rules::name_of(method->value) != "self") continue;
    for (const change::EntityChange& one : inputs.change->entities) {
      if (!one.before || !one.after || !one.after->function.valid() || !one.before->function.valid() ||
          one.after->function == self || !program::surely_enters(inputs.after->calls()[id], one.after->function) ||
          !calls_it(*inputs.before, actor.change->before->function, one.before->function))
        continue;
      out.push_back({&one, i});
    }
  }
  return out;
}

/// "; `clear` no longer does, which `f` (`path:line`) calls, too".
std::string others_words(const DocumentInputs& inputs, const Actor& actor, const change::EntityChange& callee) {
  const program::Program& program = *inputs.after;
  std::vector<program::FunctionId> callers;
  std::string first;
  for (const program::CallId id : program.callers_of(callee.after->function)) {
    const program::CallSite& site = program.calls()[id];
    if (site.caller == actor.change->after->function || site.node == nullptr ||
        program::is_test_path(program.module_of(site.caller).path) ||
        std::find(callers.begin(), callers.end(), site.caller) != callers.end())
      continue;
    if (first.empty()) {
      const program::ModuleId module = program.functions()[site.caller].module;
      first =
          fmt::format("{} ({})", code(short_name(program, site.caller)), place_of(program, module, site.node->span));
    }
    callers.push_back(site.caller);
  }
  const std::string name = code(program.functions()[callee.after->function].name);
  if (callers.empty()) return fmt::format("; {} no longer does", name);
  const std::string more = callers.size() == 1 ? std::string() : fmt::format(" and {} more", callers.size() - 1);
  return fmt::format("; {} no longer does, which {}{} {}, too", name, first, more,
                     callers.size() == 1 ? "calls" : "call");
}

}  // namespace

TakenUp taken_up(const DocumentInputs& inputs, const Actor& actor) {
  TakenUp out;
  const auto& change = *actor.change;
  if (!actor.is_function() || !change.before || !change.after || !change.before->function.valid() ||
      !change.after->function.valid() || actor.steps.after_source == nullptr)
    return out;
  for (const Callee& callee : edited_callees(inputs, actor)) {
    const Node& was = *inputs.before->functions()[callee.change->before->function].node;
    const Node& is = *inputs.after->functions()[callee.change->after->function].node;
    const SourceText& was_source = source_of(*inputs.before, callee.change->before->function);
    const std::vector<std::string> around = blocks_around(actor.steps.after, callee.at, *actor.steps.after_source);
    std::vector<std::pair<std::string, std::vector<std::string>>> values;  // And what gets them.
    for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
      const Step& step = actor.steps.after[i];
      const Attribute* member = step.kind == StepKind::kPlain && step.status == StepStatus::kAdded && !step.is_moved
                                    ? attribute_set_by(step.node)
                                    : nullptr;
      if (member == nullptr || out.steps.contains(i) || sets(is, member->name.text) ||
          !does_in_any_case(was, was_source, without_layout(*actor.steps.after_source, step.span)) ||
          blocks_around(actor.steps.after, i, *actor.steps.after_source) != around)
        continue;
      out.steps.insert(i);
      const std::string value = code(one_line(*actor.steps.after_source, *as<Assign>(step.node)->value, 60));
      const auto known =
          std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.first == value; });
      auto& names =
          known != values.end() ? known->second : values.emplace_back(value, std::vector<std::string>()).second;
      names.push_back(code("self." + std::string(member->name.text)));
    }
    if (values.empty()) continue;
    std::vector<std::string> parts;
    for (const auto& [value, names] : values) parts.push_back(fmt::format("{} to {}", join_words(names), value));
    out.told.push_back(
        {fmt::format("sets {} itself now{}", join_words(parts), others_words(inputs, actor, *callee.change)),
         where_parts(*change.after->node, actor.steps.after[callee.at], *actor.steps.after_source)});
  }
  return out;
}

}  // namespace lockstep::report
