#include "report/story/steps/replaced_numbers.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "python/tree_walk.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Numbers that stand for something: not 0, 1 and 2, which count and index.
std::multiset<std::string_view> numbers_in(const Step& step) {
  std::multiset<std::string_view> out;
  walk_of<Constant>(*step.node, Nested::kSkip, [&](const Constant* one) {
    const bool is_number = one->constant_kind == ConstantKind::kInt || one->constant_kind == ConstantKind::kFloat;
    const bool counts = one->text == "0" || one->text == "1" || one->text == "2";
    if (is_number && !counts && step.span.contains(one->span)) out.insert(one->text);
  });
  return out;
}

std::size_t names_in(const Step& step) {
  std::size_t count = 0;
  walk_of<Name>(*step.node, Nested::kSkip, [&](const Name* one) { count += step.span.contains(one->span) ? 1 : 0; });
  return count;
}

}  // namespace

void weigh_replaced_numbers(std::vector<Actor>& actors) {
  constexpr double kOtherValue = 5;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_function() || actor.is_added() || actor.is_removed()) continue;
    const bool replaces = std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
      const Step& was = actor.steps.before[step.partner];
      const std::multiset<std::string_view> before = numbers_in(was);
      const std::multiset<std::string_view> after = numbers_in(step);
      return after.size() < before.size() && names_in(step) > names_in(was) &&
             std::includes(before.begin(), before.end(), after.begin(), after.end());
    });
    if (replaces) actor.weight += kOtherValue;
  }
}

}  // namespace lockstep::report
