#include "report/tests/closed_calls.h"

namespace lockstep::report {

using program::CallId;
using program::FunctionId;

ClosedCalls::ClosedCalls(const Sources& sources, const std::vector<std::pair<FunctionId, int>>& leading, MaySet may_set)
    : sources_(sources), may_set_(std::move(may_set)) {
  for (const auto& [function, distance] : leading) surely_.insert(function.value);
  find_calls(leading);
}

void ClosedCalls::find_calls(const std::vector<std::pair<FunctionId, int>>& leading) {
  constexpr int kNear = 8;
  constexpr std::size_t kMostFunctions = 300;
  constexpr std::size_t kMostCalls = 64;  // Each is asked about for each test.
  std::unordered_set<std::uint32_t> near;
  std::vector<FunctionId> in_order;
  for (const auto& [function, distance] : leading) {
    if (distance <= kNear && near.size() < kMostFunctions && near.insert(function.value).second)
      in_order.push_back(function);
  }
  std::unordered_set<std::uint32_t> seen;
  for (const FunctionId function : in_order) {
    for (const CallId call : sources_.program.callers_of(function)) {
      if (!near.contains(sources_.program.calls()[call].caller.value) || !seen.insert(call.value).second) continue;
      near_.push_back(call);
      if (calls_.size() < kMostCalls && (!sources_.settings.asked_at(call).empty() || sources_.conditions.asks(call)))
        calls_.push_back(call);
    }
  }
}

std::set<std::uint32_t> ClosedCalls::of(FunctionId test) const {
  std::set<std::uint32_t> closed;
  for (const CallId call : calls_) {
    const bool is_unset = !sources_.settings.asked_at(call).empty() && !may_set_(test, call);
    if (is_unset || sources_.conditions.closes(test, call, surely_)) closed.insert(call.value);
  }
  for (const CallId call : sources_.selves.calls_of(test)) closed.insert(call.value);
  return closed;
}

std::set<std::uint32_t> ClosedCalls::with_unclear(FunctionId test, std::set<std::uint32_t> closed) const {
  for (const CallId call : near_) {
    if (sources_.conditions.may_close_by_name(test, call)) closed.insert(call.value);
  }
  return closed;
}

}  // namespace lockstep::report
