#include "report/story/steps/step_moves.h"

#include <cstdint>
#include <map>
#include <string_view>

#include "report/story/steps/step_alignment.h"
#include "report/story/steps/step_edits.h"

namespace lockstep::report {

namespace {

/// Steps of [from + 1, its end) with this status that nothing has been found for, as copies; `places` says where they
/// stand.
std::vector<Step> unmatched_inside(const std::vector<Step>& steps, std::size_t from, StepStatus status,
                                   std::vector<std::size_t>& places) {
  std::vector<Step> out;
  const std::size_t end = end_of(steps, from);
  for (std::size_t i = from + 1; i < end; ++i) {
    if (steps[i].status != status || steps[i].is_moved) continue;
    out.push_back(steps[i]);
    places.push_back(i);
  }
  return out;
}

}  // namespace

void move_along(std::vector<Step>& before, const SourceText& before_source, std::size_t from, std::vector<Step>& after,
                const SourceText& after_source, std::size_t to) {
  std::vector<std::size_t> old_places;
  std::vector<std::size_t> new_places;
  std::vector<Step> was = unmatched_inside(before, from, StepStatus::kRemoved, old_places);
  std::vector<Step> now = unmatched_inside(after, to, StepStatus::kAdded, new_places);
  align_steps(was, now);
  match_edits(was, before_source, now, after_source);
  for (std::size_t i = 0; i < was.size(); ++i) {
    if (was[i].partner == Step::kNone) continue;
    Step& old_step = before[old_places[i]];
    Step& new_step = after[new_places[was[i].partner]];
    if (was[i].status == StepStatus::kChanged) old_step.status = new_step.status = StepStatus::kChanged;
    old_step.is_moved = new_step.is_moved = true;
    old_step.partner = new_places[was[i].partner];
    new_step.partner = old_places[i];
  }
}

/// A function inside this one that stands elsewhere in it now: what changes in it is told of it.
static void match_definition_moves(std::vector<Step>& before, std::vector<Step>& after) {
  const auto index = [](const std::vector<Step>& steps, StepStatus status) {
    std::map<std::string_view, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto* definition = python::as<python::FunctionDef>(steps[i].node);
      if (definition != nullptr && steps[i].status == status && !steps[i].is_moved)
        out[definition->name.text].push_back(i);
    }
    return out;
  };
  const auto added = index(after, StepStatus::kAdded);
  for (const auto& [name, places] : index(before, StepStatus::kRemoved)) {
    const auto match = added.find(name);
    if (places.size() != 1 || match == added.end() || match->second.size() != 1) continue;
    Step& from = before[places.front()];
    Step& to = after[match->second.front()];
    from.is_moved = to.is_moved = true;
    from.partner = match->second.front();
    to.partner = places.front();
  }
}

void match_moves(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                 const SourceText& after_source) {
  const auto index = [](const std::vector<Step>& steps, StepStatus status) {
    std::map<std::uint64_t, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].status == status && tells_itself(steps[i])) out[steps[i].fingerprint].push_back(i);
    }
    return out;
  };
  const auto added = index(after, StepStatus::kAdded);
  for (const auto& [fingerprint, places] : index(before, StepStatus::kRemoved)) {
    const auto match = added.find(fingerprint);
    if (places.size() != 1 || match == added.end() || match->second.size() != 1) continue;
    Step& from = before[places.front()];
    from.is_moved = after[match->second.front()].is_moved = true;
    from.partner = match->second.front();
    after[match->second.front()].partner = places.front();
    move_along(before, before_source, places.front(), after, after_source, match->second.front());
  }
  match_definition_moves(before, after);
}

}  // namespace lockstep::report
