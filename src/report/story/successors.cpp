#include "report/story/successors.h"

#include <map>
#include <set>
#include <string>

#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Names that the calls of a step name, the last part of each.
std::set<std::string_view> called_in(const Step& step) {
  std::set<std::string_view> out;
  const auto look = [&](const Node* node) {
    const auto* call = as<Call>(node);
    if (call != nullptr && step.span.contains(call->span)) out.insert(callee_name(*call));
  };
  look(step.node);
  walk(*step.node, Nested::kSkip, look);
  out.erase(std::string_view());
  return out;
}

std::string_view parent_of(std::string_view qualified) { return qualified.substr(0, qualified.rfind('.')); }
std::string_view last_of(std::string_view qualified) { return qualified.substr(qualified.rfind('.') + 1); }

/// The one value of `found`; null where there is none or several.
template <class Value>
Value only(const std::set<Value>& found) {
  return found.size() == 1 ? *found.begin() : Value();
}

}  // namespace

void mark_successors(std::vector<Actor>& actors) {
  std::map<std::string_view, std::set<Actor*>> added;
  std::map<std::string_view, std::set<Actor*>> removed;
  for (Actor& actor : actors) {
    if (!actor.is_function() || actor.role == Role::kTest) continue;
    const std::string_view name = last_of(actor.change->latest().qualified_name);
    if (actor.is_added()) added[name].insert(&actor);
    if (actor.is_removed()) removed[name].insert(&actor);
  }
  if (added.empty() || removed.empty()) return;
  std::map<Actor*, std::set<Actor*>> successors;
  std::map<Actor*, std::set<Actor*>> predecessors;
  for (const Actor& actor : actors) {
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || step.kind == StepKind::kElse) continue;
      const std::set<std::string_view> was = called_in(actor.steps.before[step.partner]);
      const std::set<std::string_view> now = called_in(step);
      for (const std::string_view old_name : was) {
        const auto gone = removed.find(old_name);
        if (gone == removed.end() || now.contains(old_name)) continue;
        for (const std::string_view new_name : now) {
          const auto come = added.find(new_name);
          if (come == added.end() || was.contains(new_name)) continue;
          Actor* const from = only(gone->second);
          Actor* const to = only(come->second);
          if (from == nullptr || to == nullptr ||
              parent_of(from->change->before->qualified_name) != parent_of(to->change->after->qualified_name))
            continue;
          successors[from].insert(to);
          predecessors[to].insert(from);
        }
      }
    }
  }
  for (const auto& [to, all] : predecessors) {
    Actor* const from = only(all);
    if (from != nullptr && only(successors[from]) == to) to->successor_of = from->change;
  }
}

}  // namespace lockstep::report
