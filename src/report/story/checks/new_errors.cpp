#include "report/story/checks/new_errors.h"

#include <algorithm>
#include <utility>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The error of a step that the change brings; empty for others, and for what only passes one on.
std::string_view error_of(const Step& step) {
  if (step.status != StepStatus::kAdded || step.is_moved || step.elsewhere != nullptr) return {};
  const auto* raise = as<Raise>(step.node);
  if (raise == nullptr || raise->exception == nullptr) return {};
  const auto* call = as<Call>(raise->exception);
  const std::string_view name = rules::last_part_of(call == nullptr ? raise->exception : call->callee);
  if (name == "ImportError" || name == "ModuleNotFoundError") return {};  // Of what is not installed here.
  return name.ends_with("Error") || name.ends_with("Exception") ? name : std::string_view();
}

/// How many `raise` statements of the function raise the error.
std::size_t raises_in(const Node* function, std::string_view error) {
  std::size_t count = 0;
  if (function == nullptr) return count;
  walk_of<Raise>(*function, Nested::kEnter, [&](const Raise* raise) {
    const auto* call = as<Call>(raise->exception);
    count += rules::last_part_of(call == nullptr ? raise->exception : call->callee) == error ? 1 : 0;
  });
  return count;
}

/// Whether the change only moves what raises the error: all functions together raise it as often as before.
bool only_moves(const Story& story, std::string_view error) {
  std::size_t before = 0;
  std::size_t after = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function()) continue;
    if (actor.change->before) before += raises_in(actor.change->before->node, error);
    if (actor.change->after) after += raises_in(actor.change->after->node, error);
  }
  return after <= before;
}

/// By kind, in the order of the source.
std::vector<NewErrors> errors_of(const Actor& actor) {
  std::vector<NewErrors> out;
  for (const Step& step : actor.steps.after) {
    const std::string_view error = error_of(step);
    if (error.empty()) continue;
    auto at = std::find_if(out.begin(), out.end(), [&](const NewErrors& one) { return one.error == error; });
    if (at == out.end()) at = out.insert(out.end(), NewErrors{&actor, error, {}});
    at->steps.push_back(&step);
  }
  return out;
}

}  // namespace

std::vector<NewErrors> new_errors(const Story& story) {
  std::vector<NewErrors> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() ||
        actor.steps.after_source == nullptr || !actor.change->after->function.valid() ||
        program::is_helper_path(actor.change->after->path))
      continue;
    const Node* was = actor.change->before ? actor.change->before->node : nullptr;
    for (NewErrors& all : errors_of(actor)) {
      const std::size_t now = raises_in(actor.change->after->node, all.error);
      const std::size_t before = raises_in(was, all.error);
      if (now <= before || only_moves(story, all.error)) continue;
      all.more = std::min(all.steps.size(), now - before);
      out.push_back(std::move(all));
    }
  }
  return out;
}

}  // namespace lockstep::report
