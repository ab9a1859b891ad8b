#include "report/story/steps/moves/moved_values.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kShortestName = 8;  ///< Bytes: what has a shorter one is called anywhere.

/// The call whose result a removed step gives a local, and nothing does with besides, of a function whose name says
/// enough; null for others.
const Call* lost_value(const LosingFunction& from, std::size_t index) {
  const Step& step = from.actor->steps.before[index];
  if (step.status != StepStatus::kRemoved || step.is_moved || step.elsewhere != nullptr || from.taken[index] ||
      !is<Name>(target_of(step)))
    return nullptr;
  const Call* call = call_of_step(step);
  const auto* callee = call == nullptr ? nullptr : as<Name>(call->callee);
  // What a local holds is another thing in another function.
  if (callee == nullptr || callee->id.size() < kShortestName || from.locals.contains(callee->id)) return nullptr;
  return call;
}

std::size_t calls_of(const Node& code, std::string_view name) {
  std::size_t count = 0;
  walk_of<Call>(code, Nested::kEnter, [&](const Call* call) {
    const auto* callee = as<Name>(call->callee);
    count += callee != nullptr && callee->id == name ? 1 : 0;
  });
  return count;
}

/// Whether two calls give their callee as many arguments by the same names, one of them the same.
bool give_alike(const Call& one, const SourceText& source, const Call& other, const SourceText& other_source) {
  if (one.arguments.size() != other.arguments.size() || one.keywords.size() != other.keywords.size()) return false;
  bool any = false;
  for (std::size_t i = 0; i < one.arguments.size(); ++i)
    any =
        any || without_layout(source, one.arguments[i]->span) == without_layout(other_source, other.arguments[i]->span);
  for (std::size_t i = 0; i < one.keywords.size(); ++i) {
    if (one.keywords[i]->name.text != other.keywords[i]->name.text) return false;
    any = any || without_layout(source, one.keywords[i]->value->span) ==
                     without_layout(other_source, other.keywords[i]->value->span);
  }
  return any;
}

/// Whether the function asks what the branch does, or the opposite.
bool asks(const Node& function, const SourceText& source, const If& branch, const SourceText& branch_source) {
  const std::string asked = condition_words(*branch.condition, branch_source);
  bool found = false;
  walk_of<If>(function, Nested::kSkip, [&](const If* one) {
    found = found || condition_words(*one->condition, source) == asked ||
            condition_words(*one->condition, source, true) == asked;
  });
  return found;
}

/// Whether the function asks for the value where it works it out what the branch asks of the local that holds it: `if
/// (x := f(y)) is None` of `x = f(y)` and `if x is None`.
bool asks_at_once(const Holder& holder, const Call& call, std::string_view local, const If& branch,
                  const SourceText& branch_source) {
  const SourceText& source = *holder.actor->steps.after_source;
  const std::string asked = without_layout(branch_source, branch.condition->span);
  const auto* callee = as<Name>(call.callee);
  bool found = false;
  walk_of<If>(*holder.actor->change->after->node, Nested::kSkip, [&](const If* one) {
    walk_of<NamedExpr>(*one->condition, Nested::kSkip, [&](const NamedExpr* named) {
      const auto* value = as<Call>(named->value);
      const auto* called = value == nullptr ? nullptr : as<Name>(value->callee);
      if (called == nullptr || called->id != callee->id) return;
      const std::string whole = without_layout(source, one->condition->span);
      const std::string inner = "(" + without_layout(source, named->span) + ")";
      found = found || replace_all(whole, inner, local) == asked;
    });
  });
  return found;
}

/// The removed branches that are matched with nothing and ask for the local.
std::vector<std::size_t> lost_questions(const LosingFunction& from, std::string_view local) {
  const std::vector<Step>& before = from.actor->steps.before;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_lost = before[i].kind == StepKind::kIf && before[i].status == StepStatus::kRemoved &&
                         !before[i].is_moved && before[i].elsewhere == nullptr;
    if (is_lost && find_name(from.actor->steps.before_source->slice(before[i].span), local) != std::string_view::npos)
      out.push_back(i);
  }
  return out;
}

}  // namespace

void match_moved_values(LosingFunction& from) {
  std::vector<Step>& before = from.actor->steps.before;
  const SourceText& source = *from.actor->steps.before_source;
  const auto go = [&](std::size_t index, const change::EntityChange* there) {
    before[index].elsewhere = there;
    before[index].is_led_there = before[index].differs_there = from.taken[index] = true;
  };
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Call* lost = lost_value(from, i);
    const std::string_view name = lost == nullptr ? std::string_view() : as<Name>(lost->callee)->id;
    if (lost == nullptr || calls_of(*from.actor->change->before->node, name) != 1 ||
        calls_of(*from.actor->change->after->node, name) != 0)
      continue;
    std::set<const Holder*> found;
    for (const Connection& one : from.connections) {
      if (one.is_loose || !one.holder->actor->is_added() || one.holder->locals.contains(name)) continue;
      walk_of<Call>(*one.holder->actor->change->after->node, Nested::kSkip, [&](const Call* call) {
        const auto* callee = as<Name>(call->callee);
        if (callee != nullptr && callee->id == name &&
            give_alike(*lost, source, *call, *one.holder->actor->steps.after_source))
          found.insert(one.holder);
      });
    }
    if (found.size() != 1) continue;
    const Holder& holder = **found.begin();
    // What is asked of it at once moved with it: one without the other reads as dropped.
    const std::string_view local = as<Name>(target_of(before[i]))->id;
    for (const std::size_t question : lost_questions(from, local)) {
      if (!asks_at_once(holder, *lost, local, *as<If>(before[question].node), source)) continue;
      for (std::size_t k = question; k < end_of(before, question); ++k) {
        if (before[k].status == StepStatus::kRemoved && before[k].elsewhere == nullptr) go(k, holder.actor->change);
      }
    }
    go(i, holder.actor->change);
    for (std::size_t up = before[i].parent; up != Step::kNone; up = before[up].parent) {
      const auto* branch = before[up].kind == StepKind::kIf ? as<If>(before[up].node) : nullptr;
      bool goes = branch != nullptr && branch->orelse.empty() && before[up].status == StepStatus::kRemoved &&
                  !before[up].is_moved && before[up].elsewhere == nullptr;
      for (std::size_t k = up + 1; goes && k < end_of(before, up); ++k)
        goes = before[k].elsewhere == holder.actor->change;
      if (!goes || !asks(*holder.actor->change->after->node, *holder.actor->steps.after_source, *branch, source)) break;
      go(up, holder.actor->change);
    }
  }
}

}  // namespace lockstep::report
