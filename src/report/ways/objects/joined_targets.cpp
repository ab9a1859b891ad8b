#include "report/ways/objects/joined_targets.h"

#include <algorithm>
#include <set>

#include "program/queries.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

bool is_unconditional(const program::Program& program, const program::CallSite& site) {
  const python::Node* body = program.functions()[site.caller].node;
  return body != nullptr && site.node != nullptr && guards_of(*body, site.node->span).empty();
}

/// Whether calls that are always made lead from the function to one of `wanted`.
bool surely_leads(const program::Program& program, FunctionId from, const std::set<FunctionId>& wanted) {
  constexpr std::size_t kMost = 60;
  std::vector<FunctionId> open = {from};
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (wanted.contains(open[i])) return true;
    for (const program::CallId id : program.functions()[open[i]].calls) {
      const program::CallSite& site = program.calls()[id];
      const FunctionId callee = site.targets.size() == 1 ? site.targets.front().function : FunctionId();
      const bool goes_on = callee.valid() && program::surely_enters(site, callee) &&
                           site.targets.front().kind != program::CallKind::kCallback &&
                           std::find(open.begin(), open.end(), callee) == open.end() && open.size() < kMost;
      if (goes_on && is_unconditional(program, site)) open.push_back(callee);
    }
  }
  return false;
}

}  // namespace

bool joins_behind(const program::Program& program, const std::vector<PathFrame>& frames, std::size_t at) {
  constexpr std::size_t kMostTargets = 8;
  if (at + 2 >= frames.size() || frames[at].call == nullptr || frames[at].handing != Handing::kNone) return false;
  const program::CallId call = program.call_of(frames[at].call);
  if (!call.valid()) return false;
  const auto& targets = program.calls()[call].targets;
  if (targets.size() < 2 || targets.size() > kMostTargets) return false;
  std::set<FunctionId> wanted;
  for (std::size_t i = at + 2; i < frames.size(); ++i) wanted.insert(frames[i].function);
  return std::all_of(targets.begin(), targets.end(), [&](const program::CallTarget& one) {
    if (!one.function.valid() || one.certainty == program::Certainty::kByName ||
        one.kind == program::CallKind::kCallback)
      return false;
    return one.function == frames[at + 1].function || surely_leads(program, one.function, wanted);
  });
}

}  // namespace lockstep::report
