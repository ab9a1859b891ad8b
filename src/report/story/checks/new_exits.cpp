#include "report/story/checks/new_exits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostExits = 2;  ///< Of more, each is told with its own step.

/// Whether step `index` is a new branch without another side, at the end of which a run leaves what is around it.
bool is_new_exit(const std::vector<Step>& steps, std::size_t index) {
  const auto* branch = steps[index].kind == StepKind::kIf ? as<If>(steps[index].node) : nullptr;
  if (branch == nullptr || steps[index].status != StepStatus::kAdded || steps[index].is_elif ||
      !branch->orelse.empty() || branch->body.empty())
    return false;
  const Stmt* last = branch->body[branch->body.size() - 1];
  return is<Return>(last) || is<Continue>(last) || is<Break>(last);
}

/// Variables and attributes ("self.mode") that an expression reads.
std::set<std::string> read_in(const Expr& expression) {
  std::set<std::string> out;
  const auto add = [&](const Expr* one) {
    if (const std::string dotted = dotted_text(one); !dotted.empty()) out.insert(dotted);
  };
  add(&expression);
  walk_expressions(expression, Nested::kEnter, add);
  return out;
}

/// Whether a step from `first` to `last` sets one of them.
bool sets_one(const std::vector<Step>& steps, std::size_t first, std::size_t last, const std::set<std::string>& names) {
  bool found = false;
  for (std::size_t i = first; i < last && !found; ++i) {
    const Expr* target = nullptr;
    if (steps[i].kind == StepKind::kPlain && assigned_value(steps[i].node, target) != nullptr && target != nullptr)
      found = names.contains(dotted_text(target));
    const auto* loop = steps[i].kind == StepKind::kFor ? as<For>(steps[i].node) : nullptr;
    if (loop != nullptr) found = names.contains(dotted_text(loop->target));
  }
  return found;
}

/// The one side of `x == constant`; empty for others.
std::string compared(const Expr& condition) {
  const auto* compare = as<Compare>(&condition);
  return compare == nullptr ? std::string() : dotted_text(compare->left);
}

}  // namespace

std::vector<std::string> exits_before(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  std::vector<std::string> out;
  const auto* own = steps[index].kind == StepKind::kIf ? as<If>(steps[index].node) : nullptr;
  const std::string asked = own == nullptr ? std::string() : compared(*own->condition);
  bool may_have_changed = false;
  for (std::size_t i = 0; i < index; ++i) {
    if (steps[i].parent != steps[index].parent || !is_new_exit(steps, i)) continue;
    const Expr& condition = *as<If>(steps[i].node)->condition;
    // Of two that ask for one value, the second says enough.
    if (!asked.empty() && compared(condition) == asked) continue;
    may_have_changed = may_have_changed || sets_one(steps, end_of(steps, i), index, read_in(condition));
    out.push_back(condition_words(condition, source, true));
  }
  if (out.size() <= kMostExits && !may_have_changed) return out;
  return {out.size() == 1 ? std::string("the new branch before it is not taken")
                          : fmt::format("none of the {} new branches before it is taken", out.size())};
}

}  // namespace lockstep::report
