#include "report/story/steps/swapped_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/steps/renamed_code.h"

namespace lockstep::report {

using namespace python;

namespace {

using Pair = std::pair<std::string, std::string>;  ///< What was called, what is called.

bool is_call(const CodeWords& words, std::size_t at) {
  return words[at].is_name && at + 1 < words.size() && words[at + 1].text == "(";
}

/// The only difference of two statements: one called name for another.
std::optional<Pair> swapped_in(const CodeWords& before, const CodeWords& after) {
  if (before.size() != after.size()) return std::nullopt;
  std::optional<Pair> out;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    Pair pair(before[i].text, after[i].text);
    if (!is_call(before, i) || !is_call(after, i) || (out && *out != pair)) return std::nullopt;
    out = std::move(pair);
  }
  return out;
}

/// Of calls through one module and another under the same name (`np.load`, `numpy.load`) nothing is swapped.
bool are_other_functions(const Pair& pair) { return change::last_part(pair.first) != change::last_part(pair.second); }

std::optional<Pair> swapped_by(const Actor& actor, const Step& step) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone || !step.renames.empty() || step.is_moved)
    return std::nullopt;
  const Step& old = actor.steps.before[step.partner];
  auto pair = swapped_in(code_words(actor.steps.before_source->slice(old.span)),
                         code_words(actor.steps.after_source->slice(step.span)));
  return pair && are_other_functions(*pair) ? pair : std::nullopt;
}

/// The definition of the change that the name stands for in the function; null where it is none of it.
Actor* called_actor(const DocumentInputs& inputs, const Actor& caller, const Step& step, std::string_view name,
                    std::vector<Actor>& actors) {
  Actor* out = nullptr;
  walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
    if (out != nullptr || dotted_text(call->callee) != name) return;
    const program::Reference held = inputs.after->resolve(caller.change->after->function, *call->callee);
    for (Actor& actor : actors) {
      const auto& after = actor.change->after;
      if (after && actor.role != Role::kTest &&
          ((held.function.valid() && after->function == held.function) || (held.cls.valid() && after->cls == held.cls)))
        out = out == nullptr ? &actor : out;
    }
  });
  return out;
}

}  // namespace

bool only_swaps_calls(const Actor& actor) {
  const auto is_same = [](const Step& step) { return step.status == StepStatus::kKept || step.swaps_call; };
  const auto& before = actor.steps.before;
  const auto& after = actor.steps.after;
  return actor.is_function() &&
         std::any_of(after.begin(), after.end(), [](const Step& one) { return one.swaps_call; }) &&
         std::all_of(after.begin(), after.end(), is_same) && std::all_of(before.begin(), before.end(), is_same);
}

std::vector<SwappedCall> swap_calls(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr std::size_t kFewestPlaces = 3;
  constexpr std::size_t kFewestFunctions = 2;
  constexpr double kAbove = 1.05;
  constexpr double kFollows = 0.2;
  struct Place {
    std::size_t actor;
    std::size_t step;
  };
  std::map<Pair, std::vector<Place>> places;
  for (std::size_t i = 0; i < actors.size(); ++i) {
    const Actor& actor = actors[i];
    const bool is_edited = actor.is_function() && !actor.is_added() && !actor.is_removed() &&
                           actor.steps.before_source != nullptr && actor.steps.after_source != nullptr;
    if (!is_edited || actor.role == Role::kTest) continue;
    for (std::size_t k = 0; k < actor.steps.after.size(); ++k) {
      if (auto pair = swapped_by(actor, actor.steps.after[k])) places[*pair].push_back({i, k});
    }
  }
  std::vector<SwappedCall> out;
  for (const auto& [pair, at] : places) {
    std::set<std::size_t> functions;
    for (const Place& one : at) functions.insert(one.actor);
    if (at.size() < kFewestPlaces || functions.size() < kFewestFunctions) continue;
    SwappedCall& swapped = out.emplace_back();
    swapped.before = pair.first;
    swapped.after = pair.second;
    const Place& first = at.front();
    Actor* called =
        called_actor(inputs, actors[first.actor], actors[first.actor].steps.after[first.step], pair.second, actors);
    if (called != nullptr) swapped.callee = called->change;
    double heaviest = 0;
    for (const Place& one : at) {
      Actor& actor = actors[one.actor];
      Step& step = actor.steps.after[one.step];
      step.swaps_call = true;
      actor.steps.before[step.partner].swaps_call = true;
      swapped.places.emplace_back(actor.change, step.first_line);
      heaviest = std::max(heaviest, actor.weight);
    }
    if (called != nullptr) called->weight = std::max(called->weight, kAbove * heaviest);
  }
  for (Actor& actor : actors) {
    if (only_swaps_calls(actor)) actor.weight *= kFollows;
  }
  return out;
}

std::string swapped_words(const DocumentInputs& inputs, const SwappedCall& swapped) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<const change::EntityChange*> functions;
  std::vector<std::string> names;
  for (const auto& [entity, line] : swapped.places) {
    if (std::find(functions.begin(), functions.end(), entity) != functions.end()) continue;
    functions.push_back(entity);
    if (names.size() < kMostNamed)
      names.push_back(fmt::format("{} ({})", code(short_name(inputs, *entity)), place(entity->after->path, line)));
  }
  if (functions.size() > names.size()) names.push_back(count_of(functions.size() - names.size(), "more function"));
  return fmt::format("Called in place of {} at {}: in {}.", code(swapped.before),
                     count_of(swapped.places.size(), "place"), join_words(names));
}

}  // namespace lockstep::report
