#include "report/story/calls/made_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/source/tested_tensors.h"
#include "report/story/calls/new_callees.h"
#include "report/story/communication/allocating_calls.h"

namespace lockstep::report {

using namespace python;

namespace {

/// In how many loops of its function a step stands.
std::size_t repeats_of(const std::vector<Step>& steps, std::size_t index) {
  std::size_t count = is<While>(steps[index].node) ? 1 : 0;  // Its condition is asked in each round.
  for (std::size_t up = steps[index].parent; up != Step::kNone && !is<FunctionDef>(steps[up].node);
       up = steps[up].parent) {
    if (is<For>(steps[up].node) || is<While>(steps[up].node)) ++count;
  }
  return count;
}

/// What tells one call from another on both sides: the name of what lies outside the program, the last name of what
/// lies in it, and of a method of something unknown the name with how much it is given.
std::string callee_key(const program::Program& program, const Call& call) {
  if (const std::string_view external = external_callee(program, &call); !external.empty())
    return std::string(external);
  std::string name(callee_name(call));
  if (callees_of(program, &call).empty()) name += fmt::format("/{}", call.arguments.size() + call.keywords.size());
  return name;
}

/// `repeats`: loops around the node; comprehensions within it count, too.
void add_calls(const program::Program& program, const Node& node, const Step& step, std::size_t repeats,
               std::vector<MadeCall>& out) {
  if (node.span.begin >= step.span.end || is<FunctionDef>(&node)) return;
  // What the outermost loop of a comprehension goes over is worked out once.
  const Expr* once = nullptr;
  if (is<ListComp>(&node) || is<SetComp>(&node) || is<DictComp>(&node) || is<GeneratorExp>(&node)) {
    for_each_child(node, [&](const Node* child) {
      const auto* loop = as<Comprehension>(child);
      if (loop != nullptr && once == nullptr) once = loop->iterable;
    });
    if (once != nullptr) add_calls(program, *once, step, repeats, out);
    ++repeats;
  }
  if (const auto* call = as<Call>(&node); call != nullptr && step.span.contains(node.span))
    out.push_back({call, callee_key(program, *call), repeats});
  for_each_child(node, [&](const Node* child) {
    const auto* loop = as<Comprehension>(child);
    if (loop == nullptr || loop->iterable != once || once == nullptr) {
      add_calls(program, *child, step, repeats, out);
      return;
    }
    for_each_child(*loop, [&](const Node* part) {
      if (part != once) add_calls(program, *part, step, repeats, out);
    });
  });
}

}  // namespace

std::vector<MadeCall> changed_calls(const program::Program& program, const std::vector<Step>& steps,
                                    const std::vector<Step>& others) {
  std::vector<MadeCall> out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t repeats = repeats_of(steps, i);
    const bool is_kept = steps[i].status == StepStatus::kKept &&
                         (steps[i].partner >= others.size() || repeats == repeats_of(others, steps[i].partner));
    if (!is_kept) add_calls(program, *steps[i].node, steps[i], repeats, out);
  }
  return out;
}

std::vector<MadeCall> all_calls(const program::Program& program, const std::vector<Step>& steps) {
  std::vector<MadeCall> out;
  for (std::size_t i = 0; i < steps.size(); ++i)
    add_calls(program, *steps[i].node, steps[i], repeats_of(steps, i), out);
  return out;
}

bool is_work(const program::Program& program, const Call& call) {
  if (!callees_of(program, &call).empty()) return true;
  const KnownApi* known = known_work(program, call);
  return known != nullptr && known->kind != ApiKind::kPlain && known->kind != ApiKind::kShape;
}

bool take_call(GoneCalls& gone, const MadeCall& wanted) {
  const auto named = gone.find(wanted.callee);
  if (named == gone.end()) return false;
  const auto one = named->second.lower_bound(wanted.repeats);
  if (one == named->second.end()) return false;
  named->second.erase(one);
  return true;
}

namespace {

bool is_known_wait(const program::Program& program, const Call& call) {
  const KnownApi* known = known_work(program, call);
  return known != nullptr && known->kind == ApiKind::kHostSync;
}

/// Of the changed steps, but for those that say why a run ends: it costs nothing any more.
std::vector<MadeCall> waits_in(const program::Program& program, const change::EntitySide& side,
                               const std::vector<Step>& steps, const std::vector<Step>& others) {
  std::vector<MadeCall> out = changed_calls(program, steps, others);
  std::set<const Call*> tested;
  for (const Step& step : steps) {
    if (step.status == StepStatus::kKept) continue;
    const std::vector<const Call*> calls = tensors_tested(program, side.function, *step.node);
    tested.insert(calls.begin(), calls.end());
  }
  std::erase_if(out, [&](const MadeCall& one) {
    const bool is_last = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
      return is<Raise>(step.node) && step.span.contains(one.call->span);
    });
    return is_last || (!is_known_wait(program, *one.call) && !tested.contains(one.call));
  });
  return out;
}

std::vector<MadeCall> old_waits(const DocumentInputs& inputs, const Actor& actor) {
  return waits_in(*inputs.before, *actor.change->before, actor.steps.before, actor.steps.after);
}

std::vector<MadeCall> new_waits(const DocumentInputs& inputs, const Actor& actor) {
  return waits_in(*inputs.after, *actor.change->after, actor.steps.after, actor.steps.before);
}

/// Takes out what goes on in another place.
void drop_moved(const Actor& actor, std::vector<MadeCall>& waits) {
  std::erase_if(waits, [&](const MadeCall& one) {
    return std::any_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& step) {
      return (step.is_moved || step.elsewhere != nullptr) && step.span.contains(one.call->span);
    });
  });
}

bool has_both_versions(const Actor& actor) { return actor.is_function() && !actor.is_added() && !actor.is_removed(); }

/// Whether a call is of the kind that is looked for.
using IsWanted = bool (*)(const program::Program& program, const Call& call);

/// Takes out what goes on elsewhere: all where a function that only the new version calls does something of the kind,
/// those of one name where one does that it called before, under other conditions.
void drop_taken_over(const DocumentInputs& inputs, const Actor& actor, IsWanted is_wanted, std::vector<MadeCall>& out) {
  for (const program::FunctionId callee : newly_called(*inputs.after, *actor.change)) {
    bool does = false;
    walk_of<Call>(*inputs.after->functions()[callee].node, Nested::kSkip,
                  [&](const Call* call) { does = does || is_wanted(*inputs.after, *call); });
    if (does) out.clear();
  }
  for (const program::CallId id : inputs.after->functions()[actor.change->after->function].calls) {
    for (const program::CallTarget& target : inputs.after->calls()[id].targets) {
      const Node* body = target.function.valid() ? inputs.after->functions()[target.function].node : nullptr;
      if (body == nullptr) continue;
      walk_of<Call>(*body, Nested::kSkip, [&](const Call* call) {
        std::erase_if(out, [&](const MadeCall& one) { return callee_name(*one.call) == callee_name(*call); });
      });
    }
  }
}

bool allocates(const program::Program& program, const Call& call) {
  const KnownApi* known = known_work(program, call);
  return known != nullptr && known->kind == ApiKind::kAllocation && !makes_one_element(call) && !is_empty_shape(call);
}

}  // namespace

std::vector<MadeCall> gone_waits(const DocumentInputs& inputs, const Actor& actor) {
  if (!has_both_versions(actor)) return {};
  std::vector<MadeCall> out = old_waits(inputs, actor);
  if (out.empty() || !new_waits(inputs, actor).empty()) return {};
  drop_moved(actor, out);
  drop_taken_over(inputs, actor, is_known_wait, out);
  return out;
}

std::vector<MadeCall> gone_allocations(const DocumentInputs& inputs, const Actor& actor) {
  if (!has_both_versions(actor)) return {};
  std::vector<MadeCall> out = changed_calls(*inputs.before, actor.steps.before, actor.steps.after);
  std::erase_if(out, [&](const MadeCall& one) { return !allocates(*inputs.before, *one.call); });
  if (out.empty()) return {};
  for (const MadeCall& one : changed_calls(*inputs.after, actor.steps.after, actor.steps.before)) {
    if (allocates(*inputs.after, *one.call) || copies_rearranged(*one.call)) return {};
  }
  drop_moved(actor, out);
  drop_taken_over(inputs, actor, allocates, out);
  return out;
}

std::vector<MadeCall> waits_gone_from_loops(const DocumentInputs& inputs, const Actor& actor) {
  if (!has_both_versions(actor)) return {};
  std::vector<MadeCall> out = old_waits(inputs, actor);
  const std::vector<MadeCall> now = new_waits(inputs, actor);
  if (out.empty() || now.empty()) return {};
  std::size_t most = 0;
  for (const MadeCall& one : now) most = std::max(most, one.repeats);
  std::erase_if(out, [&](const MadeCall& one) { return one.repeats <= most; });
  drop_moved(actor, out);
  return out;
}

std::string gone_wait_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> calls;
  std::string_view effect;
  for (const MadeCall& one : gone_waits(inputs, actor)) {
    std::string text = code(one_line(*actor.steps.before_source, *one.call, 50));
    if (std::find(calls.begin(), calls.end(), text) != calls.end()) continue;
    const std::string_view its =
        is_known_wait(*inputs.before, *one.call) ? known_work(*inputs.before, *one.call)->effect : kTestedEffect;
    if (calls.empty()) effect = its;
    if (its == effect) calls.push_back(std::move(text));
  }
  if (calls.empty()) return {};
  const bool is_one = calls.size() == 1;
  if (calls.size() > kMost) calls.resize(kMost);
  return fmt::format("no longer calls {}, which {}", join_words(calls, "or"),
                     is_one ? std::string(effect) : fmt::format("each {}", effect));
}

}  // namespace lockstep::report
