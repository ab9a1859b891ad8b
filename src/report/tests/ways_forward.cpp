#include "report/tests/ways_forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::report {

using program::FunctionId;

namespace {

void add_value(const KnownValue& value, std::string& out) {
  const auto add = [&](const Value& one) {
    out += fmt::format("{}{}{};", static_cast<int>(one.kind), one.truth ? 't' : 'f', one.text);
  };
  add(value.value);
  out += value.is_lost ? 'l' : 'k';
  if (value.is_lost) add(value.by_default);
}

/// What makes a state one: the function, and all that is known in it.
std::string key_of(FunctionId function, const KnownValues& known) {
  std::string out = fmt::format("{}{}|", function.value, known.is_entered_from_around ? 'a' : 'd');
  for (const auto& [name, value] : known.named) {
    out += fmt::format("{}=", name);
    add_value(value, out);
  }
  out += known.positional ? "|p" : "|-";
  if (known.positional) {
    for (const KnownValue& value : *known.positional) add_value(value, out);
  }
  out += known.keywords ? "|k" : "|-";
  if (known.keywords) {
    for (const auto& [name, value] : *known.keywords) {
      out += fmt::format("{}=", name);
      add_value(value, out);
    }
  }
  return out;
}

}  // namespace

WaysForward::WaysForward(const program::Program& program, const PathConstants& constants, FunctionId target,
                         const std::vector<StepForward>& steps)
    : program_(program), constants_(constants), target_(target) {
  for (const StepForward& step : steps) {
    std::vector<StepForward>& own = steps_[step.from.value];
    const bool is_known = std::any_of(
        own.begin(), own.end(), [&](const StepForward& one) { return one.call == step.call && one.to == step.to; });
    if (!is_known) own.push_back(step);
  }
}

std::uint32_t WaysForward::state_of(FunctionId function, KnownValues known) {
  const auto [place, is_new] = known_.try_emplace(key_of(function, known), static_cast<std::uint32_t>(states_.size()));
  if (is_new) states_.push_back({function, std::move(known), {}, false});
  return place->second;
}

void WaysForward::walk_on(std::uint32_t state) {
  if (states_[state].is_walked) return;
  states_[state].is_walked = true;
  const FunctionId at = states_[state].function;
  const KnownValues known = states_[state].known;
  const auto steps = steps_.find(at.value);
  if (steps == steps_.end()) return;
  std::vector<std::uint32_t> next;
  for (const StepForward& step : steps->second) {
    if (!step.call.valid()) {
      next.push_back(state_of(step.to, {}));
      continue;
    }
    const program::CallSite& site = program_.calls()[step.call];
    if (constants_.ruled_out_by(at, known, site)) continue;
    next.push_back(state_of(step.to, constants_.values_into(site, step.to, known, 0)));
  }
  states_[state].next = std::move(next);
}

bool WaysForward::may_arrive(const std::vector<FunctionId>& code) {
  constexpr std::size_t kMostStates = 600;  // Of one test.
  std::vector<std::uint32_t> pending;
  std::vector<bool> seen;
  const auto add = [&](std::uint32_t state) {
    if (seen.size() <= state) seen.resize(state + 1);
    if (seen[state]) return;
    seen[state] = true;
    pending.push_back(state);
  };
  for (const FunctionId one : code) add(state_of(one, {}));
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (i == kMostStates || states_[pending[i]].function == target_) return true;
    walk_on(pending[i]);
    for (const std::uint32_t next : states_[pending[i]].next) add(next);
  }
  return false;
}

}  // namespace lockstep::report
