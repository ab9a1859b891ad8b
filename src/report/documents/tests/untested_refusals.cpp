#include "report/documents/tests/untested_refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/tests/expected_errors.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;

namespace {

struct Refusal {
  std::string_view error;               ///< "ValueError"
  std::vector<std::string_view> named;  ///< One of these a test of it has in its text.
  std::string text;                     ///< Marked: the error, the function and the place.
};

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

/// The names by which tests come to a function: its own, those of what calls it, near by, and of their classes where
/// these are made or used by Python itself.
std::vector<std::string_view> names_leading_to(const program::Program& program, program::FunctionId function) {
  constexpr std::size_t kMostFunctions = 40;
  std::vector<program::FunctionId> open{function};
  std::vector<std::string_view> out;
  for (std::size_t next = 0; next < open.size(); ++next) {
    const program::Function& one = program.functions()[open[next]];
    const bool is_special = one.owner.valid() && one.name.starts_with("__");
    out.push_back(is_special ? std::string_view(program.classes()[one.owner].name) : std::string_view(one.name));
    for (const program::CallId id : program.callers_of(open[next])) {
      const program::FunctionId caller = program.calls()[id].caller;
      if (open.size() < kMostFunctions && program.functions()[caller].def() != nullptr &&
          std::find(open.begin(), open.end(), caller) == open.end())
        open.push_back(caller);
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

std::vector<Refusal> new_refusals(const DocumentInputs& inputs, const Story& story) {
  std::vector<Refusal> out;
  std::set<std::pair<std::string_view, std::string>> known;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() ||
        actor.steps.after_source == nullptr || !actor.change->after->function.valid() ||
        program::is_helper_path(actor.change->after->path))
      continue;
    const std::string name = code(short_name(inputs, *actor.change));
    for (const Step& step : actor.steps.after) {
      const std::string_view error = error_of(step);
      if (error.empty() || !known.emplace(error, name).second) continue;
      // One that only says it otherwise is none.
      const Node* was = actor.change->before ? actor.change->before->node : nullptr;
      if (raises_in(actor.change->after->node, error) <= raises_in(was, error) || only_moves(story, error)) continue;
      out.push_back({error, names_leading_to(*inputs.after, actor.change->after->function),
                     fmt::format("the {} of {} ({})", code(std::string(error)), name,
                                 place(actor.change->after->path, step.first_line))});
    }
  }
  return out;
}

/// Whether the class, or one of several in a tuple or a list, is the error, or one that stands above every error.
bool takes_error(const Expr* expected, std::string_view error) {
  const auto is_taken = [&](const Expr* one) { return takes_error(one, error); };
  if (const auto* all = as<python::Tuple>(expected))
    return std::any_of(all->elements.begin(), all->elements.end(), is_taken);
  if (const auto* all = as<python::List>(expected))
    return std::any_of(all->elements.begin(), all->elements.end(), is_taken);
  const std::string_view name = rules::last_part_of(expected);
  return name == error || name == "Exception" || name == "BaseException";
}

/// Whether the code expects the error: `pytest.raises(error)`, `self.assertRaises(error)`, `xfail(raises=error)`.
bool expects(const Node& code, std::string_view error) {
  bool found = false;
  walk_of<Call>(code, Nested::kEnter, [&](const Call* call) {
    const bool is_expecting = expects_error(callee_name(*call));
    if (is_expecting && !call->arguments.empty()) found = found || takes_error(call->arguments.front(), error);
    for (const Keyword* keyword : call->keywords) {
      const std::string_view name = keyword->name.text;
      const bool names_error = name == "raises" || (is_expecting && name == "expected_exception");
      found = found || (names_error && takes_error(keyword->value, error));
    }
  });
  return found;
}

/// Whether a test file that has the name expects the error.
bool is_expected(const program::Program& program, const Refusal& refusal) {
  return std::any_of(program.modules().begin(), program.modules().end(), [&](const program::Module& module) {
    const auto has = [&](std::string_view name) { return module.facts->has_name(name); };
    return program::is_test_path(module.path) && std::any_of(refusal.named.begin(), refusal.named.end(), has) &&
           (has(refusal.error) || has("Exception") || has("BaseException")) &&
           expects(module.facts->tree(), refusal.error);
  });
}

}  // namespace

void add_untested_refusals(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> open;
  for (const Refusal& one : new_refusals(inputs, story)) {
    if (!is_expected(*inputs.after, one)) open.push_back(one.text);
  }
  if (open.empty()) return;
  const std::size_t all = open.size();
  if (all > kMostNamed + 1) open.resize(kMostNamed);
  if (open.size() < all) open.push_back(fmt::format("{} more", all - open.size()));
  risks.push_back(
      {RiskKind::kTests, fmt::format("Does a test expect {}, which the change brings?", join_words(open)),
       fmt::format("No test file that names the code was found to expect {}.", all == 1 ? "it" : "one of these"),
       false});
}

}  // namespace lockstep::report
