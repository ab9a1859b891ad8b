#include "report/documents/correctness/softened_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/calls/new_callees.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// "ImportError" of `raise ImportError(…) from e`; empty where it raises something else than a class by its name.
std::string raised_class(const Step& step) {
  const auto* raised = as<Raise>(step.node);
  if (raised == nullptr || raised->exception == nullptr) return {};
  const auto* made = as<Call>(raised->exception);
  return dotted_text(made != nullptr ? made->callee : raised->exception);
}

/// Whether the block at `index` may still end in an error.
bool raises_inside(const std::vector<Step>& steps, std::size_t index) {
  for (std::size_t i = index + 1; i < end_of(steps, index); ++i) {
    if (is<Raise>(steps[i].node)) return true;
  }
  return false;
}

/// Whether new code raises the class anywhere.
bool raises_anew(const std::vector<Step>& steps, std::string_view error) {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const Step& step) { return step.status != StepStatus::kKept && raised_class(step) == error; });
}

}  // namespace

void add_softened_errors(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kMostSteps = 3;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed()) continue;
    const std::vector<Step>& before = actor.steps.before;
    const std::vector<Step>& after = actor.steps.after;
    for (const Step& step : before) {
      const std::string error = raised_class(step);
      const bool is_gone =
          step.status == StepStatus::kRemoved ||
          (step.status == StepStatus::kChanged && step.partner != Step::kNone && !is<Raise>(after[step.partner].node));
      if (told == kMost || !is_gone || step.is_moved || error.empty() || step.parent == Step::kNone ||
          before[step.parent].partner == Step::kNone)
        continue;
      const bool is_branch = before[step.parent].kind == StepKind::kIf;
      if (before[step.parent].kind != StepKind::kExcept &&
          (!is_branch || before[step.parent].status != StepStatus::kKept || step.elsewhere != nullptr ||
           raises_anew(after, error)))
        continue;
      const std::size_t handler = before[step.parent].partner;
      // What it newly calls may raise it in its stead.
      if (raises_inside(after, handler) ||
          newly_called_raises(*inputs.after, *actor.change, std::string_view(error).substr(error.rfind('.') + 1)))
        continue;
      const WordsContext context = context_after(inputs, actor);
      std::vector<std::string> instead;
      for (std::size_t i = handler + 1; i < end_of(after, handler) && instead.size() < kMostSteps; ++i) {
        if (after[i].status != StepStatus::kKept && after[i].parent == handler)
          instead.push_back(as_clause(step_words(after[i], context)));
      }
      std::erase(instead, std::string());
      if (instead.empty()) continue;
      ++told;
      const auto* branch = is_branch ? as<If>(after[handler].node) : nullptr;
      const std::string when =
          branch == nullptr ? std::string()
                            : fmt::format(", when {}", condition_words(*branch->condition, *actor.steps.after_source));
      risks.push_back(
          {RiskKind::kCompatibility,
           fmt::format("{} no longer raises {} at {}{}: it {}.", code(short_name(inputs, *actor.change)), code(error),
                       place(actor.change->after->path, after[handler].first_line), when, join_words(instead)),
           branch == nullptr ? "Who relied on the error gets something else now"
                             : "What ended in the error before goes on now",
           false});
    }
  }
}

}  // namespace lockstep::report
