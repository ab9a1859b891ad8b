#include "report/story/weights/helper_weights.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "report/source/words.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

bool is_private(std::string_view name) { return name.starts_with("_") && !name.starts_with("__"); }

bool counts(const Actor& actor) {
  return actor.role == Role::kSupporting && actor.is_function() && !actor.is_removed() && actor.change->after &&
         actor.change->after->function.valid();
}

bool is_helper(const Actor& actor) {
  return counts(actor) && actor.is_added() && is_private(change::last_part(actor.change->after->qualified_name));
}

constexpr double kAbove = 1.02;

Actor* heaviest_of(std::vector<Actor>& actors) {
  Actor* top = nullptr;
  for (Actor& actor : actors) {
    if (actor.role != Role::kTest && (top == nullptr || actor.weight > top->weight)) top = &actor;
  }
  return top;
}

/// Whether a step of the function changes that does not name the other.
bool changes_beside(const Actor& actor, std::string_view name) {
  if (actor.is_added()) return true;
  if (actor.steps.after_source == nullptr) return false;
  return std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
    return step.status != StepStatus::kKept && !step.is_moved &&
           find_name(actor.steps.after_source->slice(step.span), name) == std::string_view::npos;
  });
}

std::string_view class_part(const Actor& actor) {
  const std::string_view name = actor.change->latest().qualified_name;
  return name.substr(0, std::min(name.rfind('.'), name.size()));
}

}  // namespace

void weigh_helpers(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kSomething = 0.35;
  constexpr std::size_t kMostVisited = 30;
  Actor* top = heaviest_of(actors);
  if (top == nullptr || !is_helper(*top)) return;
  const std::string_view own = change::last_part(top->change->after->qualified_name);
  if (contains(inputs.title, own.substr(1))) return;
  std::vector<FunctionId> open{top->change->after->function};
  std::set<FunctionId> known(open.begin(), open.end());
  Actor* best = nullptr;
  for (std::size_t i = 0; i < open.size() && i < kMostVisited; ++i) {
    for (const program::CallId call : inputs.after->callers_of(open[i])) {
      const FunctionId caller = inputs.after->calls()[call].caller;
      if (!known.insert(caller).second) continue;
      const auto found = std::find_if(actors.begin(), actors.end(), [&](const Actor& one) {
        return counts(one) && one.change->after->function == caller;
      });
      if (found == actors.end()) continue;
      if (is_private(change::last_part(found->change->after->qualified_name))) {
        open.push_back(caller);
      } else if (class_part(*found) == class_part(*top) && changes_beside(*found, own) &&
                 (best == nullptr || found->weight > best->weight)) {
        best = &*found;
      }
    }
  }
  if (best != nullptr && best->weight >= kSomething * top->weight) best->weight = kAbove * top->weight;
}

bool reports_by_name(std::string_view name, const std::set<std::string>& title_words) {
  static constexpr std::string_view kReporting[] = {"log", "logging", "metric", "metrics", "stats", "summary"};
  // "Scope offload summaries": the same word.
  constexpr std::size_t kStem = 6;
  const std::set<std::string> words = name_words(name);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(std::begin(kReporting), std::end(kReporting), word) != std::end(kReporting) &&
           std::none_of(title_words.begin(), title_words.end(),
                        [&](const std::string& one) { return one.starts_with(word.substr(0, kStem)); });
  });
}

void weigh_reports(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kSomething = 0.35;
  const std::set<std::string> title_words = name_words(inputs.title);
  const auto reports = [&](const Actor& actor) {
    return reports_by_name(change::last_part(actor.change->latest().qualified_name), title_words);
  };
  Actor* top = heaviest_of(actors);
  if (top == nullptr || !counts(*top) || !reports(*top)) return;
  Actor* best = nullptr;
  for (Actor& actor : actors) {
    if (counts(actor) && !reports(actor) && (best == nullptr || actor.weight > best->weight)) best = &actor;
  }
  if (best != nullptr && best->weight >= kSomething * top->weight) best->weight = kAbove * top->weight;
}

void weigh_checkpoint_code(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kSomething = 0.4;
  Actor* top = heaviest_of(actors);
  const auto fits_checkpoints = [](const Actor& actor) {
    return change::last_part(actor.change->latest().qualified_name).ends_with("state_dict");
  };
  if (top == nullptr || !counts(*top) || top->change->kind != change::EntityKind::kMethod || !fits_checkpoints(*top))
    return;
  static constexpr std::string_view kWords[] = {"checkpoint", "checkpoints", "checkpointing", "ckpt",
                                                "dict",       "load",        "loading",       "resume",
                                                "save",       "saving",      "sharded",       "state"};
  const std::set<std::string> title = name_words(inputs.title);
  if (std::any_of(std::begin(kWords), std::end(kWords),
                  [&](std::string_view word) { return title.contains(std::string(word)); }))
    return;
  Actor* best = nullptr;
  for (Actor& actor : actors) {
    if (counts(actor) && !fits_checkpoints(actor) && class_part(actor) == class_part(*top) &&
        (best == nullptr || actor.weight > best->weight))
      best = &actor;
  }
  if (best != nullptr && best->weight >= kSomething * top->weight) best->weight = kAbove * top->weight;
}

}  // namespace lockstep::report
