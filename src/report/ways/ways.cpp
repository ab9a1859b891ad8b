#include "report/ways/ways.h"

#include <algorithm>

namespace lockstep::report {

using program::CallId;
using program::FunctionId;

Ways::Ways(const program::Program& program, FunctionId target, GivenFunctions& given)
    : program_(&program), given_(&given), ways_(program.functions().size()) {
  ways_[target.index()].cost = 0;
  pending_.emplace(0, target.value);
}

std::vector<Leg> Ways::legs_from(std::uint32_t place, FunctionId target) const {
  std::vector<Leg> out;
  for (std::uint32_t at = place; at != target.value && ways_[at].cost >= 0; at = ways_[at].after)
    out.push_back({function_at(at), ways_[at].call, function_at(ways_[at].after)});
  return out;
}

const Ways::Special* Ways::special_at(std::uint32_t place) const {
  const std::size_t functions = program_->functions().size();
  return place < functions ? nullptr : &special_[place - functions];
}

FunctionId Ways::function_at(std::uint32_t place) const {
  const Special* special = special_at(place);
  return special == nullptr ? FunctionId(std::size_t{place}) : special->function;
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
  const Special* special = special_at(place);
  if (special == nullptr) return LeadsOn::kYes;
  for (const HeldFunction& asked : special->asks) {
    if (!given_->across(entering, special->function, asked).fits) return LeadsOn::kNo;
  }
  const Way& way = ways_[place];
  if (!special->depends_on_caller) return LeadsOn::kYes;
  if (!program_->can_follow(entering, way.call, function_at(way.after))) return LeadsOn::kNo;
  // What is known to enter something does not enter no function.
  return program_->can_follow(entering, way.call, FunctionId()) ? LeadsOn::kUnknown : LeadsOn::kYes;
}

int Ways::choices(CallId entering, std::uint32_t place) const {
  const Special* special = special_at(place);
  if (special == nullptr || !special->depends_on_caller) return 1;
  const auto& targets = program_->calls()[ways_[place].call].targets;
  return static_cast<int>(std::count_if(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
    return target.function.valid() && program_->can_follow(entering, ways_[place].call, target.function);
  }));
}

std::optional<std::uint32_t> Ways::offer(FunctionId caller, CallId call, std::uint32_t place, int cost) {
  std::uint32_t from = caller.value;
  Special special{caller, false, {}};
  if (call.valid()) {
    const FunctionId callee = function_at(place);
    special.depends_on_caller = program_->depends_on_caller(call);
    const auto add = [&](const std::optional<HeldFunction>& asked) {
      constexpr std::size_t kMost = 3;
      const bool is_new = asked && std::none_of(special.asks.begin(), special.asks.end(),
                                                [&](const HeldFunction& one) { return one.key() == asked->key(); });
      if (is_new && special.asks.size() < kMost) special.asks.push_back(*asked);
    };
    if (const Special* after = special_at(place)) {
      for (const HeldFunction& asked : after->asks) add(given_->across(call, callee, asked).asks);
    }
    add(given_->asked_by(call, callee));
    if (special.depends_on_caller || !special.asks.empty()) {
      const std::uint64_t by = special.depends_on_caller ? std::uint64_t{call.value} << 32 | callee.value : UINT64_MAX;
      std::vector<HeldFunction::Key> keys;
      for (const HeldFunction& asked : special.asks) keys.push_back(asked.key());
      const auto next = static_cast<std::uint32_t>(ways_.size());
      from = places_.try_emplace(Key(caller.value, by, std::move(keys)), next).first->second;
      if (from == next) {
        ways_.emplace_back();
        special_.push_back(std::move(special));
      }
    }
  }
  Way& way = ways_[from];
  if (way.cost >= 0 && way.cost <= cost) return std::nullopt;
  way = {cost, call, place};
  pending_.emplace(cost, from);
  return from;
}

}  // namespace lockstep::report
