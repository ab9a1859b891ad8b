#include "report/story/calls/loop_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/story/calls/made_calls.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether other ranks or the GPU are waited for where the call is made.
bool costs_each_time(const DocumentInputs& inputs, const WordsContext& context, const Call& call) {
  if (collective_at(context, &call) != nullptr) return true;
  const std::vector<program::FunctionId> callees = callees_of(*inputs.after, &call);
  if (!callees.empty())
    return inputs.after_mesh != nullptr && std::all_of(callees.begin(), callees.end(), [&](program::FunctionId one) {
             return inputs.after_mesh->may_communicate(one);
           });
  const KnownApi* known = known_work(*inputs.after, call);
  return known != nullptr && (known->kind == ApiKind::kHostSync || known->kind == ApiKind::kCommunication);
}

/// By name: in how many loops the calls of one version stand at most.
std::map<std::string, std::size_t> loops_by_name(const std::vector<MadeCall>& calls) {
  std::map<std::string, std::size_t> out;
  for (const MadeCall& one : calls) out[one.callee] = std::max(out[one.callee], one.repeats);
  return out;
}

/// " (`for pool in range(pools)`)" of the innermost loop around the call; empty for `while` and comprehensions.
std::string loop_around(const WordsContext& context, const Call& call) {
  constexpr std::size_t kWidth = 60;
  const Node& function = *context.program->functions()[context.function].node;
  const For* loop = nullptr;
  for (const Node* around : chain_to(function, call.span)) {
    if (const auto* one = as<For>(around)) loop = one;
  }
  if (loop == nullptr) return {};
  return fmt::format(" ({})", code(fmt::format("for {} in {}", one_line(*context.source, *loop->target, kWidth / 2),
                                               one_line(*context.source, *loop->iterable, kWidth))));
}

}  // namespace

std::vector<LoopCall> loop_calls(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<LoopCall> out;
  if (!actor.is_function() || actor.is_added() || actor.is_removed() || actor.steps.after_source == nullptr) return out;
  const auto changed_before = loops_by_name(changed_calls(*inputs.before, actor.steps.before, actor.steps.after));
  if (changed_before.empty()) return out;
  const auto before = loops_by_name(all_calls(*inputs.before, actor.steps.before));
  const auto after = loops_by_name(all_calls(*inputs.after, actor.steps.after));
  const WordsContext context = context_after(inputs, actor);
  std::set<std::string> told;
  for (const MadeCall& one : changed_calls(*inputs.after, actor.steps.after, actor.steps.before)) {
    if (!changed_before.contains(one.callee)) continue;
    const std::size_t was = before.at(one.callee), now = after.at(one.callee);
    const bool leaves = was > 0 && now == 0, enters = was == 0 && now > 0;
    if ((leaves || enters) && costs_each_time(inputs, context, *one.call) && told.insert(one.callee).second)
      out.push_back({code(std::string(callee_name(*one.call))), leaves, leaves ? "" : loop_around(context, *one.call)});
  }
  return out;
}

std::string loop_words(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<std::string> less, more;
  for (const LoopCall& one : loop_calls(inputs, actor)) (one.leaves ? less : more).push_back(one.name);
  std::vector<std::string> parts;
  if (!less.empty()) parts.push_back(fmt::format("calls {} in no loop any more", join_words(less)));
  if (!more.empty()) parts.push_back(fmt::format("calls {} in a loop now", join_words(more)));
  return join(parts, "; ");
}

namespace {

/// The loops around a step, the outermost first.
std::vector<std::size_t> loops_around(const std::vector<Step>& steps, std::size_t index) {
  std::vector<std::size_t> out;
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
    if (is<FunctionDef>(steps[up].node)) break;
    if (steps[up].kind == StepKind::kFor || steps[up].kind == StepKind::kWhile) out.insert(out.begin(), up);
  }
  return out;
}

/// What `deep` has more than `shallow`, its innermost loop, where the others are the same; kNone where they are not.
std::size_t one_loop_more(const std::vector<Step>& steps, const std::vector<std::size_t>& deep,
                          const std::vector<std::size_t>& shallow) {
  if (deep.size() != shallow.size() + 1 || steps[deep.back()].kind != StepKind::kFor) return Step::kNone;
  for (std::size_t i = 0; i < shallow.size(); ++i) {
    if (steps[deep[i]].partner != shallow[i]) return Step::kNone;
  }
  return deep.back();
}

/// Whether the step is done in each pass of the loop: it stands right in it, behind no `continue`.
bool is_in_each_pass(const std::vector<Step>& steps, std::size_t loop, std::size_t index) {
  if (steps[index].parent != loop) return false;
  return std::none_of(steps.begin() + static_cast<std::ptrdiff_t>(loop),
                      steps.begin() + static_cast<std::ptrdiff_t>(index),
                      [](const Step& one) { return is<Continue>(one.node); });
}

/// "after", "before": where a step outside of a loop stands by it; empty where they share no block.
std::string_view side_of_loop(const std::vector<Step>& steps, std::size_t loop, std::size_t index) {
  for (std::size_t at = index; at != Step::kNone; at = steps[at].parent) {
    if (steps[at].parent == steps[loop].parent) return at > loop ? "after" : "before";
  }
  return {};
}

std::string loop_over(const Step& loop, const SourceText& source) {
  constexpr std::size_t kWidth = 60;
  return "loop over " + code(one_line(source, *as<For>(loop.node)->iterable, kWidth));
}

/// Of a call that left the loop `loop` of the before side.
std::string left_words(const StepComparison& steps, std::size_t loop, std::size_t old, std::size_t index) {
  const bool is_each = is_in_each_pass(steps.before, loop, old);
  const std::size_t now = steps.before[loop].partner;
  if (now == Step::kNone || steps.after[now].kind != StepKind::kFor)
    return fmt::format(", {} a {}", is_each ? "once and no longer in each pass of" : "no longer within",
                       loop_over(steps.before[loop], *steps.before_source));
  const std::string_view side = side_of_loop(steps.after, now, index);
  if (side.empty()) return {};
  const bool is_once = steps.after[index].parent == steps.after[now].parent;
  return fmt::format(", {}{} the {} and no longer {}", is_once ? "once " : "", side,
                     loop_over(steps.after[now], *steps.after_source), is_each ? "in each pass of it" : "within it");
}

/// Of a call that the loop `loop` of the after side has come to hold.
std::string entered_words(const StepComparison& steps, std::size_t loop, std::size_t old, std::size_t index) {
  const std::string_view passes = is_in_each_pass(steps.after, loop, index) ? "in each pass of" : "within";
  const std::string over = loop_over(steps.after[loop], *steps.after_source);
  const std::size_t was = steps.after[loop].partner;
  if (was == Step::kNone || steps.before[was].kind != StepKind::kFor) return fmt::format(", now {} a {}", passes, over);
  const std::string_view side = side_of_loop(steps.before, was, old);
  if (side.empty()) return {};
  const bool was_once = steps.before[old].parent == steps.before[was].parent;
  return fmt::format(", {} the {} and no longer {}{} it", passes, over, was_once ? "once " : "", side);
}

}  // namespace

std::string passes_words(const StepComparison& steps, std::size_t index) {
  const Step& step = steps.after[index];
  if (step.kind != StepKind::kPlain || step.status != StepStatus::kChanged || step.partner == Step::kNone) return {};
  const Call* was = call_of_step(steps.before[step.partner]);
  const Call* now = call_of_step(step);
  if (was == nullptr || now == nullptr || rules::is_log_call(now) ||
      dotted_text(was->callee) == dotted_text(now->callee))
    return {};
  // Several calls in place of one in a loop may be its rounds.
  const auto calls_it = [&](const Step& one) {
    const Call* call = one.status == StepStatus::kKept ? nullptr : call_of_step(one);
    return call != nullptr && dotted_text(call->callee) == dotted_text(now->callee);
  };
  if (std::count_if(steps.after.begin(), steps.after.end(), calls_it) > 1) return {};
  const std::vector<std::size_t> old_loops = loops_around(steps.before, step.partner);
  const std::vector<std::size_t> new_loops = loops_around(steps.after, index);
  if (const std::size_t left = one_loop_more(steps.before, old_loops, new_loops); left != Step::kNone)
    return left_words(steps, left, step.partner, index);
  if (const std::size_t entered = one_loop_more(steps.after, new_loops, old_loops); entered != Step::kNone)
    return entered_words(steps, entered, step.partner, index);
  return {};
}

std::string behind_loop_words(const StepComparison& steps, std::size_t index, const WordsContext& before,
                              const WordsContext& after) {
  const Step& step = steps.after[index];
  const Call* call = step.status == StepStatus::kAdded && !step.is_moved ? call_of_step(step) : nullptr;
  if (call == nullptr || callees_of(*after.program, call).empty()) return {};
  std::size_t loop = Step::kNone;
  for (std::size_t i = 0; i < index; ++i) {
    if (steps.after[i].kind == StepKind::kFor && steps.after[i].parent == step.parent &&
        end_of(steps.after, i) == index)
      loop = i;
  }
  const std::size_t was = loop == Step::kNone ? Step::kNone : steps.after[loop].partner;
  if (was == Step::kNone || steps.before[was].kind != StepKind::kFor) return {};
  std::set<std::string> still_called;
  for (const MadeCall& one : all_calls(*after.program, steps.after)) still_called.insert(one.callee);
  std::set<std::string> names;
  for (const MadeCall& one : changed_calls(*before.program, steps.before, steps.after)) {
    for (std::size_t i = was + 1; i < end_of(steps.before, was); ++i) {
      const Step& gone = steps.before[i];
      const bool is_told = gone.status == StepStatus::kRemoved && !gone.is_moved && gone.elsewhere == nullptr &&
                           gone.inlined == nullptr && call_of_step(gone) == one.call &&
                           is_in_each_pass(steps.before, was, i);
      if (is_told && (collective_at(before, one.call) != nullptr || is_work(*before.program, *one.call)) &&
          !rules::is_log_call(one.call) && !still_called.contains(one.callee))
        names.insert(dotted_text(one.call->callee));
    }
  }
  if (names.size() != 1 || names.begin()->empty()) return {};
  return fmt::format(", once after the {}, each pass of which called {} before",
                     loop_over(steps.after[loop], *steps.after_source), code(*names.begin()));
}

}  // namespace lockstep::report
