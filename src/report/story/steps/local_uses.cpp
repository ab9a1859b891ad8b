#include "report/story/steps/local_uses.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The step that sets the local: the step itself, or the one statement of a branch without an `else`.
std::size_t setting_step(const std::vector<Step>& steps, std::size_t index) {
  if (steps[index].kind == StepKind::kPlain) return index;
  return steps[index].kind == StepKind::kIf && end_of(steps, index) == index + 2 ? index + 1 : Step::kNone;
}

/// The first read of the local in the step's own text; null where there is none.
const Name* read_in(const Step& step, std::string_view local) {
  const Name* found = nullptr;
  walk_of<Name>(*step.node, Nested::kEnter, [&](const Name* name) {
    if (found == nullptr && name->id == local && name->context == ExprContext::kLoad && step.span.contains(name->span))
      found = name;
  });
  return found;
}

/// The innermost call of the step that is given the local as an argument of its own; null where none is.
const Call* call_given(const Step& step, const Name& read) {
  const Call* found = nullptr;
  walk_of<Call>(*step.node, Nested::kEnter, [&](const Call* call) {
    for (const Expr* argument : call->arguments) found = argument == &read ? call : found;
    for (const Keyword* keyword : call->keywords) found = keyword->value == &read ? call : found;
  });
  return found;
}

/// Whether the step stands in another branch of an `if` that holds the setting one: where that runs, this does not.
bool is_in_other_branch(const std::vector<Step>& steps, std::size_t setting, const Step& step) {
  for (std::size_t at = setting; at != Step::kNone; at = steps[at].parent) {
    const auto* branch = steps[at].kind == StepKind::kIf ? as<If>(steps[at].node) : nullptr;
    if (branch != nullptr && !branch->body.empty() && step.span.begin >= branch->body.back()->span.end &&
        step.span.begin < branch->span.end)
      return true;
  }
  return false;
}

}  // namespace

std::string local_use_words(const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.after;
  const SourceText& source = *actor.steps.after_source;
  const std::size_t setting = setting_step(steps, index);
  const Expr* target = nullptr;
  if (setting == Step::kNone || assigned_value(steps[setting].node, target) == nullptr) return {};
  const std::string local(rules::name_of(target));
  if (local.empty() || !is<Name>(target)) return {};
  const std::size_t end = end_of(steps, index);
  const Step* first = nullptr;
  std::size_t more = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i >= index && i < end) continue;
    const Expr* other = nullptr;
    const bool reads = read_in(steps[i], local) != nullptr;
    if (steps[i].status != StepStatus::kKept && reads) return {};
    if (i < end || is_in_other_branch(steps, setting, steps[i])) continue;
    if (reads) {
      more += first == nullptr ? 0 : 1;
      first = first == nullptr ? &steps[i] : first;
    }
    // From here on it is another value.
    if (assigned_value(steps[i].node, other) != nullptr && rules::name_of(other) == local &&
        steps[i].depth <= steps[index].depth)
      break;
  }
  if (first == nullptr || is<Return>(first->node)) return {};
  // `x = x.reshape(…)` says nothing of what it is for.
  if (assigned_value(first->node, target) != nullptr && rules::name_of(target) == local) return {};
  const Name& read = *read_in(*first, local);
  const std::string where = place(actor.change->after->path, source.line_of(read.span.begin));
  const std::string others = more == 0 ? "" : fmt::format(" and {}", lockstep::count_of(more, "more place"));
  const Call* call = call_given(*first, read);
  constexpr std::size_t kWidth = 60;
  if (call != nullptr)
    return fmt::format("it goes into {} ({}){}", code(one_line(source, *call, kWidth)), where, others);
  const bool asks = first->kind == StepKind::kIf || first->kind == StepKind::kWhile;
  return fmt::format("it {} in {} ({}){}", asks ? "is asked for" : "is read",
                     code(one_line(source, first->span, kWidth)), where, others);
}

}  // namespace lockstep::report
