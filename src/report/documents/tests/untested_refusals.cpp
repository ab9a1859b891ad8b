#include "report/documents/tests/untested_refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/tests/expecting_tests.h"
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

/// The names by which tests come to the special methods of a class, and of those below it that have them from it: of
/// one that stands in another, such as `Config`, the name of that.
void add_class_names(const program::Program& program, program::ClassId cls, std::vector<std::string_view>& out) {
  for (program::ClassId one : program::with_descendants(program, cls)) {
    while (program.classes()[one].owner.valid()) one = program.classes()[one].owner;
    out.push_back(program.classes()[one].name);
  }
}

/// What calls a function, near by, and the names by which tests come to it: its own, those of what calls it, and of
/// their classes where these are made or used by Python itself. Tests and what runs before them have none.
ExpectedRaise leading_to(const program::Program& program, program::FunctionId function) {
  constexpr std::size_t kMostFunctions = 40;
  ExpectedRaise out;
  out.leading.push_back(function);
  for (std::size_t next = 0; next < out.leading.size(); ++next) {
    const program::Function& one = program.functions()[out.leading[next]];
    const std::string lower = to_lower(one.name);
    const bool is_test = program::is_test_path(program.module_of(out.leading[next]).path) &&
                         (lower.starts_with("test") || lower.starts_with("setup") || lower.starts_with("set_up"));
    if (one.owner.valid() && one.name.starts_with("__")) {
      add_class_names(program, one.owner, out.named);
    } else if (!is_test) {
      out.named.push_back(one.name);
    }
    for (const program::CallId id : program.callers_of(out.leading[next])) {
      const program::FunctionId caller = program.calls()[id].caller;
      if (out.leading.size() < kMostFunctions && program.functions()[caller].def() != nullptr &&
          std::find(out.leading.begin(), out.leading.end(), caller) == out.leading.end())
        out.leading.push_back(caller);
    }
  }
  return out;
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

/// The message of what is raised; null where its class may make another of it.
const Expr* message_of_raise(const Node* raise, std::string_view error) {
  static constexpr std::string_view kSaysAsGiven[] = {
      "ValueError",          "TypeError",      "RuntimeError", "AssertionError",
      "NotImplementedError", "AttributeError", "IndexError",   "Exception"};
  const auto* call = as<Call>(as<Raise>(raise)->exception);
  const bool is_given = call != nullptr && call->arguments.size() == 1 &&
                        std::find(std::begin(kSaysAsGiven), std::end(kSaysAsGiven), error) != std::end(kSaysAsGiven);
  return is_given ? call->arguments.front() : nullptr;
}

/// New errors of one kind in one function.
struct NewErrors {
  std::string_view error;
  std::vector<const Step*> steps;
};

/// By kind, in the order of the source.
std::vector<NewErrors> new_errors(const Actor& actor) {
  std::vector<NewErrors> out;
  for (const Step& step : actor.steps.after) {
    const std::string_view error = error_of(step);
    if (error.empty()) continue;
    auto at = std::find_if(out.begin(), out.end(), [&](const NewErrors& one) { return one.error == error; });
    if (at == out.end()) at = out.insert(out.end(), NewErrors{error, {}});
    at->steps.push_back(&step);
  }
  return out;
}

/// Marked: the errors with their functions and places. Of one kind and function the first.
std::vector<std::string> unexpected_errors(const DocumentInputs& inputs, const Story& story) {
  std::vector<std::string> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() ||
        actor.steps.after_source == nullptr || !actor.change->after->function.valid() ||
        program::is_helper_path(actor.change->after->path))
      continue;
    const Node* was = actor.change->before ? actor.change->before->node : nullptr;
    const program::FunctionId function = actor.change->after->function;
    std::optional<ExpectedRaise> raise;
    for (const NewErrors& all : new_errors(actor)) {
      const std::size_t now = raises_in(actor.change->after->node, all.error);
      const std::size_t before = raises_in(was, all.error);
      if (now <= before || only_moves(story, all.error)) continue;
      if (!raise) raise = leading_to(*inputs.after, function);
      raise->error = all.error;
      std::vector<const Step*> open;
      for (const Step* step : all.steps) {
        raise->message = message_of_raise(step->node, all.error);
        if (!is_expected(*inputs.after, *raise)) open.push_back(step);
      }
      // As many as there were before may only say it otherwise.
      const std::size_t reworded = all.steps.size() - std::min(all.steps.size(), now - before);
      if (open.size() <= reworded) continue;
      out.push_back(fmt::format("the {} of {} ({})", code(std::string(all.error)),
                                code(short_name(inputs, *actor.change)),
                                place(actor.change->after->path, open.front()->first_line)));
    }
  }
  return out;
}

}  // namespace

void add_untested_refusals(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> open = unexpected_errors(inputs, story);
  if (open.empty()) return;
  const std::size_t all = open.size();
  if (all > kMostNamed + 1) open.resize(kMostNamed);
  if (open.size() < all) open.push_back(fmt::format("{} more", all - open.size()));
  risks.push_back({RiskKind::kTests, fmt::format("Does a test expect {}, which the change brings?", join_words(open)),
                   fmt::format("No test that names the code was found to expect {}.", all == 1 ? "it" : "one of these"),
                   false});
}

}  // namespace lockstep::report
