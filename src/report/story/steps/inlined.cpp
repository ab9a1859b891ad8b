#include "report/story/steps/inlined.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/calls/calls.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/edits.h"

namespace lockstep::report {

using namespace python;
using program::Program;

namespace {

/// What the function does: its steps without what it only insists on.
std::vector<const Step*> work_of(const std::vector<Step>& steps) {
  std::vector<const Step*> work;
  for (const Step& step : steps) {
    if (!is<Assert>(step.node) && !is<Pass>(step.node)) work.push_back(&step);
  }
  return work;
}

/// Where added steps are, one after the other, this work, each in the block where it stood; Step::kNone for nowhere.
std::size_t find_work(const std::vector<Step>& after, const std::vector<const Step*>& work) {
  const auto is_here = [&](std::size_t at) {
    for (std::size_t i = 0; i < work.size(); ++i) {
      const Step& step = after[at + i];
      if (step.status != StepStatus::kAdded || step.inlined != nullptr || step.fingerprint != work[i]->fingerprint ||
          step.depth - after[at].depth != work[i]->depth - work.front()->depth)
        return false;
    }
    return true;
  };
  for (std::size_t at = 0; !work.empty() && at + work.size() <= after.size(); ++at) {
    if (is_here(at)) return at;
  }
  return Step::kNone;
}

/// Whether its code is enough to be known again: a call of another function with the same arguments is not.
bool says_enough(const Actor& gone) {
  constexpr std::size_t kFewBytes = 40;
  std::size_t bytes = 0;
  for (const Step& step : gone.steps.before) bytes += is<Assert>(step.node) ? 0 : step.span.size();
  return bytes >= kFewBytes;
}

/// The calls of the function that this one made, and that give it what its code reads under the names that it has
/// there.
std::set<const Node*> calls_of(const Program& before, const change::EntityChange& caller, program::FunctionId gone) {
  std::set<const Node*> out;
  for (const program::CallId id : before.callers_of(gone)) {
    const program::CallSite& site = before.calls()[id];
    const auto* call = as<Call>(site.node);
    if (call == nullptr || site.caller != caller.before->function) continue;
    const auto is_surely_it = [&](const program::CallTarget& target) {
      return target.function == gone && target.certainty != program::Certainty::kByName;
    };
    if (std::any_of(site.targets.begin(), site.targets.end(), is_surely_it) &&
        passes_all_names(*call, before.functions()[gone]))
      out.insert(call);
  }
  return out;
}

/// Marks the removed steps that are one of the calls, and the branches that hold nothing else. How many calls there
/// are.
std::size_t mark_calls(std::vector<Step>& steps, const std::set<const Node*>& calls, const change::EntityChange& gone) {
  std::size_t count = 0;
  for (Step& step : steps) {
    const bool is_call = is<ExprStmt>(step.node) && calls.contains(call_of_step(step));
    if (step.status != StepStatus::kRemoved || !is_call) continue;
    step.inlined = &gone;
    ++count;
  }
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (steps[i].kind != StepKind::kIf || steps[i].status != StepStatus::kRemoved) continue;
    const std::size_t end = end_of(steps, i);
    bool holds_only_calls = end > i + 1;
    for (std::size_t inside = i + 1; inside < end; ++inside)
      holds_only_calls = holds_only_calls && steps[inside].inlined == &gone;
    if (holds_only_calls) steps[i].inlined = &gone;
  }
  return count;
}

}  // namespace

void match_inlined(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  for (const Actor& gone : actors) {
    if (!gone.is_removed() || gone.role == Role::kTest || !gone.is_function() || !says_enough(gone)) continue;
    const program::FunctionId function = gone.change->before->function;
    if (!function.valid()) continue;
    const std::vector<const Step*> work = work_of(gone.steps.before);
    for (Actor& actor : actors) {
      if (!actor.change->before || !actor.change->after || actor.role == Role::kTest) continue;
      const std::size_t found = find_work(actor.steps.after, work);
      if (found == Step::kNone) continue;
      const std::set<const Node*> calls = calls_of(*inputs.before, *actor.change, function);
      if (calls.empty() || mark_calls(actor.steps.before, calls, *gone.change) == 0) continue;
      for (std::size_t i = 0; i < work.size(); ++i) actor.steps.after[found + i].inlined = gone.change;
    }
  }
}

std::vector<const change::EntityChange*> inlined_in(const Actor& actor) {
  std::vector<const change::EntityChange*> out;
  for (const Step& step : actor.steps.after) {
    if (step.inlined != nullptr && std::find(out.begin(), out.end(), step.inlined) == out.end())
      out.push_back(step.inlined);
  }
  return out;
}

namespace {

/// " (where `a` is set; where `b` is not set; always)" of the calls that went, each once in the order of the source;
/// empty where none stood under a condition.
std::string call_conditions(const Actor& actor, const change::EntityChange& gone) {
  std::vector<std::string> out;
  bool is_asked = false;
  for (const Step& step : actor.steps.before) {
    if (step.inlined != &gone || step.kind != StepKind::kPlain) continue;
    const std::string where = where_words(*actor.change->before->node, step, *actor.steps.before_source);
    is_asked = is_asked || !where.empty();
    std::string words = where.empty() ? std::string("always") : "where " + where;
    if (std::find(out.begin(), out.end(), words) == out.end()) out.push_back(std::move(words));
  }
  return is_asked ? fmt::format(" ({})", join(out, "; ")) : std::string();
}

}  // namespace

std::string inlined_words(const DocumentInputs& inputs, const Actor& actor, const change::EntityChange& gone) {
  const std::vector<Step>& steps = actor.steps.after;
  const auto first = std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return step.inlined == &gone; });
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
  told = as_clause(std::move(told));
  // Where all stand under one condition, it is that of the code.
  std::string asked = call_conditions(actor, gone);
  if (!where.empty() && asked == fmt::format(" (where {})", where)) asked.clear();
  return fmt::format("has the code of the removed {} itself{}, in place of {} of it{}{}",
                     code(short_name(inputs, *first->inlined)), where.empty() ? "" : " where " + where,
                     calls == 1 ? std::string("the call") : count_of(calls, "call"), asked,
                     told.empty() ? "" : ": " + told);
}

}  // namespace lockstep::report
