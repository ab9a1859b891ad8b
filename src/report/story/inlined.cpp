#include "report/story/inlined.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/change_steps.h"
#include "report/story/edits.h"

namespace lockstep::report {

using namespace python;

namespace {

/// What the function does: its steps without what it only insists on.
std::vector<std::uint64_t> work_of(const std::vector<Step>& steps) {
  std::vector<std::uint64_t> work;
  for (const Step& step : steps) {
    if (!is<Assert>(step.node) && !is<Pass>(step.node)) work.push_back(step.fingerprint);
  }
  return work;
}

/// Whether its code is enough to be known again: a call of another function with the same arguments is not.
bool says_enough(const Actor& gone) {
  constexpr std::size_t kFewBytes = 40;
  std::size_t bytes = 0;
  for (const Step& step : gone.steps.before) bytes += is<Assert>(step.node) ? 0 : step.span.size();
  return bytes >= kFewBytes;
}

bool only_calls(const Step& step, std::string_view name) {
  const Call* call = call_of_step(step);
  return call != nullptr && is<ExprStmt>(step.node) && callee_name(*call) == name;
}

/// Marks the removed calls of the function, and the branches that hold nothing else. How many calls there are.
std::size_t mark_calls(std::vector<Step>& steps, const change::EntityChange& gone) {
  const std::string_view name = change::last_part(gone.before->qualified_name);
  std::size_t calls = 0;
  for (Step& step : steps) {
    if (step.status != StepStatus::kRemoved || !only_calls(step, name)) continue;
    step.inlined = &gone;
    ++calls;
  }
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (steps[i].kind != StepKind::kIf || steps[i].status != StepStatus::kRemoved) continue;
    bool holds_only_calls = end_of(steps, i) > i + 1;
    for (std::size_t inside = i + 1; inside < end_of(steps, i); ++inside)
      holds_only_calls = holds_only_calls && steps[inside].inlined == &gone;
    if (holds_only_calls) steps[i].inlined = &gone;
  }
  return calls;
}

}  // namespace

void match_inlined(std::vector<Actor>& actors) {
  for (const Actor& gone : actors) {
    if (!gone.is_removed() || gone.role == Role::kTest || !gone.is_function() || !says_enough(gone)) continue;
    const std::vector<std::uint64_t> work = work_of(gone.steps.before);
    for (Actor& actor : actors) {
      if (!actor.change->before || !actor.change->after || actor.role == Role::kTest) continue;
      std::vector<Step>& after = actor.steps.after;
      const auto found =
          std::search(after.begin(), after.end(), work.begin(), work.end(), [](const Step& step, std::uint64_t one) {
            return step.status == StepStatus::kAdded && step.fingerprint == one;
          });
      if (work.empty() || found == after.end() || mark_calls(actor.steps.before, *gone.change) == 0) continue;
      for (std::size_t i = 0; i < work.size(); ++i) found[static_cast<std::ptrdiff_t>(i)].inlined = gone.change;
    }
  }
}

std::string inlined_words(const DocumentInputs& inputs, const Actor& actor) {
  const std::vector<Step>& steps = actor.steps.after;
  const auto first = std::find_if(steps.begin(), steps.end(), [](const Step& step) { return step.inlined != nullptr; });
  if (first == steps.end()) return {};
  const auto index = static_cast<std::size_t>(first - steps.begin());
  const auto calls = static_cast<std::size_t>(
      std::count_if(actor.steps.before.begin(), actor.steps.before.end(),
                    [&](const Step& step) { return step.inlined == first->inlined && step.kind == StepKind::kPlain; }));
  const std::string where = where_words(*actor.change->after->node, *first, *actor.steps.after_source);
  WordsContext context = context_after(inputs, actor);
  context.is_brief = true;
  std::string told;
  for (std::string& text : block_words(steps, index, end_of(steps, index), context, 1, 2)) told = std::move(text);
  while (told.ends_with('.')) told.pop_back();
  if (!told.empty() && told.front() >= 'A' && told.front() <= 'Z')
    told.front() = static_cast<char>(told.front() - 'A' + 'a');
  return fmt::format("has the code of the removed {} itself{}, in place of {} of it{}",
                     code(short_name(inputs, *first->inlined)), where.empty() ? "" : " where " + where,
                     calls == 1 ? std::string("the call") : count_of(calls, "call"), told.empty() ? "" : ": " + told);
}

}  // namespace lockstep::report
