#include "report/story/checks/asked_around.h"

#include <algorithm>
#include <functional>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

std::vector<std::string> asked_around(const Node& function, Span target, const SourceText& source) {
  std::vector<std::string> out;
  const std::function<void(const Expr&, bool)> add = [&](const Expr& condition, bool negated) {
    if (const auto* other = as<UnaryOp>(&condition); other != nullptr && other->op == UnaryOperator::kNot)
      return add(*other->operand, !negated);
    const auto* all = as<BoolOp>(&condition);
    if (all != nullptr && all->op == (negated ? BoolOperator::kOr : BoolOperator::kAnd)) {
      for (const Expr* each : all->values) add(*each, negated);
      return;
    }
    out.push_back(condition_words(condition, source, negated));
  };
  for (const Guard& guard : guards_of(function, target)) {
    if (guard.condition != nullptr) add(*guard.condition, guard.negated);
  }
  return out;
}

std::string former_conditions(const Actor& actor, std::size_t index) {
  constexpr std::size_t kMost = 3;
  const std::vector<Step>& after = actor.steps.after;
  const std::vector<Step>& before = actor.steps.before;
  if (after[index].kind != StepKind::kIf || after[index].status != StepStatus::kAdded ||
      end_of(after, index) != index + 2 || !actor.change->before || actor.change->before->node == nullptr)
    return {};
  const Step& inner = after[index + 1];
  const bool was_there = inner.partner != Step::kNone && (inner.status == StepStatus::kKept || inner.is_moved);
  if (inner.kind != StepKind::kPlain || !was_there || call_of_step(inner) == nullptr) return {};
  const auto is_alone = [&](const std::vector<Step>& steps) {
    return std::count_if(steps.begin(), steps.end(),
                         [&](const Step& one) { return one.fingerprint == inner.fingerprint; }) == 1;
  };
  if (!is_alone(before) || !is_alone(after)) return {};
  const std::vector<std::string> now = asked_around(*actor.change->after->node, inner.span, *actor.steps.after_source);
  std::vector<std::string> was =
      asked_around(*actor.change->before->node, before[inner.partner].span, *actor.steps.before_source);
  std::erase_if(was, [&](const std::string& one) { return std::find(now.begin(), now.end(), one) != now.end(); });
  if (was.empty() || was.size() > kMost) return {};
  return ", formerly when " + join_words(was);
}

}  // namespace lockstep::report
