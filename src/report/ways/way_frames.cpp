#include "report/ways/way_frames.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "program/queries.h"
#include "report/ways/functions/chosen_values.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

namespace {

/// Whether another function that the call may enter leads to `callee`, too: then which one it enters decides little.
bool others_lead_to(const program::Program& program, const program::CallSite& site, program::FunctionId callee) {
  constexpr std::size_t kMostReached = 400;
  std::vector<program::FunctionId> others;
  for (const program::CallTarget& target : site.targets) {
    if (target.function.valid() && target.function != callee) others.push_back(target.function);
  }
  const auto reached = program::reachable_from(program, others, kMostReached);
  return std::any_of(reached.begin(), reached.end(),
                     [&](const program::Reached& one) { return one.function == callee; });
}

/// Whether both conditions, which stand in the module of the function, ask the same of what they read as a setting.
bool is_same_setting(const program::Program& program, program::FunctionId function, const python::Expr& one,
                     const python::Expr& other) {
  const SourceText& source = source_of(program, function);
  return !config_reads(one).empty() && one_line_whole(source, one) == one_line_whole(source, other);
}

}  // namespace

PathFrame frame_of(const program::Program& program, CallGuards& call_guards, program::CallId call,
                   program::FunctionId callee) {
  const program::CallSite& site = program.calls()[call];
  PathFrame frame;
  frame.function = site.caller;
  frame.call = site.node;
  if (const python::Node* body = program.functions()[site.caller].node)
    frame.guards = guards_of(*body, site.node->span);
  // What is called got its value under conditions of its own; that it is not None follows from them.
  std::vector<Guard> choice = guards_of_choice(program, site, callee);
  if (!choice.empty()) {
    const auto* called = python::as<python::Call>(site.node);
    std::erase_if(frame.guards, [&](const Guard& guard) {
      const auto* compare = python::as<python::Compare>(guard.condition);
      return compare != nullptr && compare->ops.size() == 1 && rules::is_none(compare->comparators.front()) &&
             rules::name_of(compare->left) == rules::name_of(called->callee);
    });
  }
  std::vector<Guard> of_receiver = guards_of_receiver(program, site, callee);
  if (!of_receiver.empty() && others_lead_to(program, site, callee)) of_receiver.clear();
  choice.insert(choice.end(), of_receiver.begin(), of_receiver.end());
  for (const Guard& guard : choice) {
    const bool is_known = std::any_of(frame.guards.begin(), frame.guards.end(), [&](const Guard& own) {
      if (own.condition == nullptr || guard.condition == nullptr) return own.condition == guard.condition;
      return own.negated == guard.negated && (own.condition == guard.condition ||
                                              is_same_setting(program, site.caller, *own.condition, *guard.condition));
    });
    if (is_known) continue;
    frame.guards.push_back(guard);
    if (guard.condition != nullptr) frame.chosen_by = guard.condition;
  }
  bool is_set_in_code = false;  // Off as declared, but code sets what it asks for.
  for (const Guard& guard : frame.guards) {
    if (guard.condition == nullptr) continue;
    const std::optional<bool> declared = call_guards.holds_as_declared(site.caller, *guard.condition);
    if (!declared) continue;
    // What code works out may be anything.
    const bool is_known = call_guards.holds_by_default(site.caller, *guard.condition).has_value();
    const bool stays = is_known && !call_guards.may_be_set_in_code(*guard.condition);
    if (*declared != guard.negated) {
      if (stays) frame.on_by_default.push_back(guard.condition);
      continue;
    }
    frame.asked.push_back(guard.condition);
    (stays ? frame.off_by_default : frame.off_as_declared) = guard.condition;
    is_set_in_code = is_set_in_code || (is_known && !stays);
  }
  // A value that is chosen unless somebody sets something asks for nothing.
  if (std::find(frame.on_by_default.begin(), frame.on_by_default.end(), frame.chosen_by) != frame.on_by_default.end())
    frame.chosen_by = nullptr;
  frame.handing = handing_of(site, callee);
  frame.is_certain = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
    return target.function == callee && target.certainty == program::Certainty::kExact;
  });
  frame.is_certain = frame.is_certain && !is_set_in_code;
  return frame;
}

}  // namespace lockstep::report
