#include "report/ways/ways.h"

#include <algorithm>

namespace lockstep::report {

using program::CallId;
using program::FunctionId;

Ways::Ways(const program::Program& program, FunctionId target) : program_(&program), ways_(program.functions().size()) {
  ways_[target.index()].cost = 0;
  pending_.emplace(0, target.value);
}

std::vector<Leg> Ways::legs_from(std::uint32_t place, FunctionId target) const {
  std::vector<Leg> out;
  for (std::uint32_t at = place; at != target.value && ways_[at].cost >= 0; at = ways_[at].after)
    out.push_back({function_at(at), ways_[at].call, function_at(ways_[at].after)});
  return out;
}

FunctionId Ways::function_at(std::uint32_t place) const {
  const std::size_t functions = program_->functions().size();
  return place < functions ? FunctionId(std::size_t{place}) : callers_[place - functions];
}

std::optional<std::pair<std::uint32_t, int>> Ways::take() {
  while (!pending_.empty()) {
    const auto [cost, place] = pending_.top();
    pending_.pop();
    if (cost == ways_[place].cost) return std::pair(place, cost);
  }
  return std::nullopt;
}

Ways::LeadsOn Ways::leads_on(CallId entering, std::uint32_t place) const {
  if (place < program_->functions().size()) return LeadsOn::kYes;
  const Way& way = ways_[place];
  if (!program_->can_follow(entering, way.call, function_at(way.after))) return LeadsOn::kNo;
  // What is known to enter something does not enter no function.
  return program_->can_follow(entering, way.call, FunctionId()) ? LeadsOn::kUnknown : LeadsOn::kYes;
}

int Ways::choices(CallId entering, std::uint32_t place) const {
  if (place < program_->functions().size()) return 1;
  const auto& targets = program_->calls()[ways_[place].call].targets;
  return static_cast<int>(std::count_if(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
    return target.function.valid() && program_->can_follow(entering, ways_[place].call, target.function);
  }));
}

std::optional<std::uint32_t> Ways::offer(FunctionId caller, CallId call, std::uint32_t place, int cost) {
  std::uint32_t from = caller.value;
  if (call.valid() && program_->depends_on_caller(call)) {
    const FunctionId callee = function_at(place);
    const auto next = static_cast<std::uint32_t>(ways_.size());
    from = places_.try_emplace(std::uint64_t{call.value} << 32 | callee.value, next).first->second;
    if (from == next) {
      ways_.emplace_back();
      callers_.push_back(caller);
    }
  }
  Way& way = ways_[from];
  if (way.cost >= 0 && way.cost <= cost) return std::nullopt;
  way = {cost, call, place};
  pending_.emplace(cost, from);
  return from;
}

}  // namespace lockstep::report
