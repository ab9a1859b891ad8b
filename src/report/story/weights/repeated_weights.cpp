#include "report/story/weights/repeated_weights.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "python/tree_walk.h"
#include "report/story/steps/added_operand.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_edited(const Actor& actor) {
  return actor.is_function() && !actor.is_module_code && !actor.is_added() && !actor.is_removed() &&
         (actor.role == Role::kSupporting || actor.role == Role::kFollowing) && actor.steps.before_source != nullptr &&
         actor.steps.after_source != nullptr;
}

/// The value of an assignment or a return, or the condition of a branch; null for other steps.
const Expr* asked_by(const Step& step) {
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  return branch != nullptr ? branch->condition : step.kind == StepKind::kPlain ? value_of_step(step) : nullptr;
}

/// The names that an operand reads, whatever objects they are read off; empty where they are fewer than two.
std::string key_of(const Expr& operand) {
  std::set<std::string_view> names;
  walk(operand, Nested::kSkip, [&](const Node* node) {
    if (const auto* attribute = as<Attribute>(node)) names.insert(attribute->name.text);
  });
  std::string out;
  for (const std::string_view name : names) out.append(name).append(" ");
  return names.size() < 2 ? std::string() : out;
}

std::set<std::string> added_keys(const Actor& actor) {
  std::set<std::string> out;
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
    const Expr* was = asked_by(actor.steps.before[step.partner]);
    const Expr* is = asked_by(step);
    if (was == nullptr || is == nullptr) continue;
    const Expr* added = added_operand(*was, *actor.steps.before_source, *is, *actor.steps.after_source);
    std::string key = added == nullptr ? std::string() : key_of(*added);
    if (!key.empty()) out.insert(std::move(key));
  }
  return out;
}

}  // namespace

void weigh_repeated_operands(std::vector<Actor>& actors) {
  constexpr std::size_t kFewest = 3;
  constexpr double kAbove = 1.02;
  std::map<std::string, std::vector<Actor*>> by_key;
  std::size_t edited = 0;
  double top = 0;
  for (Actor& actor : actors) {
    if (actor.role == Role::kSupporting) top = std::max(top, actor.weight);
    if (!is_edited(actor)) continue;
    ++edited;
    for (const std::string& key : added_keys(actor)) by_key[key].push_back(&actor);
  }
  for (const auto& [key, asking] : by_key) {
    if (asking.size() < kFewest || 2 * asking.size() <= edited) continue;
    Actor& first = **std::max_element(asking.begin(), asking.end(),
                                      [](const Actor* a, const Actor* b) { return a->weight < b->weight; });
    first.role = Role::kSupporting;
    first.weight = std::max(first.weight, kAbove * top);
    return;
  }
}

}  // namespace lockstep::report
