#include "report/ways/call_guards.h"

#include <algorithm>
#include <vector>

#include "python/tree.h"
#include "report/source/code.h"
#include "report/story/story.h"
#include "report/ways/condition_kinds.h"

namespace lockstep::report {

using program::FunctionId;

const std::vector<Guard>& CallGuards::around(program::CallId call) {
  const auto [known, is_new] = around_.try_emplace(call.value);
  const program::CallSite& site = program_.calls()[call];
  const python::Node* body = program_.functions()[site.caller].node;
  if (is_new && body != nullptr) known->second = guards_of(*body, site.node->span);
  return known->second;
}

int CallGuards::cost(program::CallId id) {
  const program::CallSite& site = program_.calls()[id];
  signed char& known = costs_[id.index()];
  if (known >= 0) return known;
  constexpr int kOffByDefault = 32;  // More than a call that may enter something else.
  constexpr int kMost = 48;
  int cost = 0;
  for (const Guard& guard : around(id)) {
    if (guard.condition == nullptr) continue;
    const std::optional<bool> holds = holds_by_default(site.caller, *guard.condition);
    if (holds) {
      cost += *holds == !guard.negated ? 0 : kOffByDefault;
    } else {
      cost += config_reads(*guard.condition).empty() ? 1 : 3;
    }
  }
  known = static_cast<signed char>(std::min(cost, kMost));
  return known;
}

bool CallGuards::is_for_inference(program::CallId call) {
  signed char& known = is_for_inference_[call.index()];
  if (known < 0) known = ask_for_inference(around(call)) ? 1 : 0;
  return known != 0;
}

std::optional<bool> CallGuards::holds_as_declared(FunctionId function, const python::Expr& condition) {
  const std::optional<bool> holds = settings_.holds_by_default(function, condition);
  return holds ? holds : defaults_.holds(condition);
}

std::optional<bool> CallGuards::holds_by_default(FunctionId function, const python::Expr& condition) {
  const std::optional<bool> holds = holds_as_declared(function, condition);
  // What the program itself stores, a callback say, is not what was declared.
  return holds && stored_.are_computed_in(condition) ? std::nullopt : holds;
}

bool CallGuards::is_off(program::CallId call) {
  if (is_off_[call.index()] >= 0) return is_off_[call.index()] != 0;
  const program::CallSite& site = program_.calls()[call];
  const std::vector<Guard>& guards = around(call);
  const bool is_off = std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    const std::optional<bool> holds =
        guard.condition == nullptr ? std::nullopt : holds_by_default(site.caller, *guard.condition);
    return holds && *holds == guard.negated;
  });
  is_off_[call.index()] = is_off ? 1 : 0;
  return is_off;
}

bool CallGuards::is_never_made(program::CallId call, const ScriptReach& script) {
  const program::CallSite& site = program_.calls()[call];
  const std::vector<Guard>& guards = around(call);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    if (guard.condition == nullptr || python::is<python::While>(guard.statement)) return false;
    // What holds with the defaults holds where they stay: cheaper to ask, and nearly always the answer.
    const auto fails = [&](std::optional<bool> holds) { return holds && *holds == guard.negated; };
    return fails(settings_.holds_by_default(site.caller, *guard.condition)) &&
           fails(settings_.holds(script, site.caller, *guard.condition));
  });
}

}  // namespace lockstep::report
