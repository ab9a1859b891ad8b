#include "report/story/steps/branch_pairs.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `x = []`, `x = None`: it stands in many branches, and tells none of them apart.
bool only_starts(const Step& step) {
  const Expr* target = nullptr;
  const Expr* value = step.kind == StepKind::kPlain ? assigned_value(step.node, target) : nullptr;
  if (value == nullptr) return is<Pass>(step.node) || !tells_itself(step);
  const auto* list = as<List>(value);
  const auto* dict = as<Dict>(value);
  return is<Constant>(value) || (list != nullptr && list->elements.empty()) ||
         (dict != nullptr && dict->values.empty());
}

/// Whether anything of what the one branch held is held by the other one.
bool holds_some(const std::vector<Step>& before, std::size_t b, const std::vector<Step>& after, std::size_t a,
                bool count_starts) {
  for (std::size_t i = b + 1; i < end_of(before, b); ++i) {
    const std::size_t partner = before[i].partner;
    const bool is_inside = partner != Step::kNone && partner > a && partner < end_of(after, a);
    if (is_inside && (count_starts || !only_starts(before[i]))) return true;
  }
  return false;
}

std::string question(const Step& step, const SourceText& source) {
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  return branch == nullptr ? std::string() : without_layout(source, branch->condition->span);
}

/// Variables, attributes and functions that a condition asks for: `x` of `options.x`, not what holds it.
std::set<std::string_view> named_in(const Step& branch) {
  std::set<std::string_view> out;
  std::set<const Expr*> holders;
  walk_expressions(*as<If>(branch.node)->condition, Nested::kSkip, [&](const Expr* one) {
    if (const auto* attribute = as<Attribute>(one)) {
      holders.insert(attribute->value);
      if (!holders.contains(one)) out.insert(attribute->name.text);
    }
    if (const auto* name = as<Name>(one); name != nullptr && !holders.contains(one)) out.insert(name->id);
  });
  return out;
}

bool have_a_name_in_common(const Step& was, const Step& now) {
  const std::set<std::string_view> names = named_in(now);
  const std::set<std::string_view> old = named_in(was);
  return std::any_of(old.begin(), old.end(), [&](std::string_view one) { return names.contains(one); });
}

/// Whether another branch of `steps` than the one at `self`, which goes, comes or changes, asks this.
bool is_asked_by_another(const std::vector<Step>& steps, std::size_t self, const SourceText& source,
                         const std::string& asked) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i != self && steps[i].status != StepStatus::kKept && question(steps[i], source) == asked) return true;
  }
  return false;
}

void part(std::vector<Step>& before, std::size_t b, std::vector<Step>& after) {
  const std::size_t a = before[b].partner;
  before[b].status = StepStatus::kRemoved;
  after[a].status = StepStatus::kAdded;
  before[b].partner = after[a].partner = Step::kNone;
  before[b].is_moved = after[a].is_moved = false;
}

}  // namespace

void part_other_branches(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                         const SourceText& after_source) {
  for (std::size_t b = 0; b < before.size(); ++b) {
    const std::size_t a = before[b].partner;
    if (before[b].kind != StepKind::kIf || before[b].status != StepStatus::kChanged || a == Step::kNone) continue;
    const std::string asked = question(before[b], before_source);
    const std::string asks = question(after[a], after_source);
    if (asked == asks) continue;
    const bool has_counterpart =
        is_asked_by_another(after, a, after_source, asked) || is_asked_by_another(before, b, before_source, asks);
    const bool is_other = has_counterpart
                              ? !holds_some(before, b, after, a, false)
                              : !holds_some(before, b, after, a, true) && !have_a_name_in_common(before[b], after[a]);
    if (!is_other) continue;
    const std::size_t end = end_of(before, b);
    const std::size_t end_after = end_of(after, a);
    for (std::size_t i = b + 1; i < end; ++i) {
      const std::size_t partner = before[i].partner;
      if (partner != Step::kNone && partner > a && partner < end_after) part(before, i, after);
    }
    part(before, b, after);
  }
}

}  // namespace lockstep::report
