#include "report/story/calls/loop_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/story/calls/made_calls.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether other ranks or the GPU are waited for where the call is made.
bool costs_each_time(const DocumentInputs& inputs, const WordsContext& context, const Call& call) {
  if (collective_at(context, &call) != nullptr) return true;
  const std::vector<program::FunctionId> callees = callees_of(*inputs.after, &call);
  if (!callees.empty())
    return inputs.after_mesh != nullptr && std::all_of(callees.begin(), callees.end(), [&](program::FunctionId one) {
             return inputs.after_mesh->may_communicate(one);
           });
  const KnownApi* known = known_work(*inputs.after, call);
  return known != nullptr && (known->kind == ApiKind::kHostSync || known->kind == ApiKind::kCommunication);
}

/// By name: in how many loops the calls of one version stand at most.
std::map<std::string, std::size_t> loops_by_name(const std::vector<MadeCall>& calls) {
  std::map<std::string, std::size_t> out;
  for (const MadeCall& one : calls) out[one.callee] = std::max(out[one.callee], one.repeats);
  return out;
}

/// " (`for pool in range(pools)`)" of the innermost loop around the call; empty for `while` and comprehensions.
std::string loop_around(const WordsContext& context, const Call& call) {
  constexpr std::size_t kWidth = 60;
  const Node& function = *context.program->functions()[context.function].node;
  const For* loop = nullptr;
  for (const Node* around : chain_to(function, call.span)) {
    if (const auto* one = as<For>(around)) loop = one;
  }
  if (loop == nullptr) return {};
  return fmt::format(" ({})", code(fmt::format("for {} in {}", one_line(*context.source, *loop->target, kWidth / 2),
                                               one_line(*context.source, *loop->iterable, kWidth))));
}

}  // namespace

std::vector<LoopCall> loop_calls(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<LoopCall> out;
  if (!actor.is_function() || actor.is_added() || actor.is_removed() || actor.steps.after_source == nullptr) return out;
  const auto changed_before = loops_by_name(changed_calls(*inputs.before, actor.steps.before, actor.steps.after));
  if (changed_before.empty()) return out;
  const auto before = loops_by_name(all_calls(*inputs.before, actor.steps.before));
  const auto after = loops_by_name(all_calls(*inputs.after, actor.steps.after));
  const WordsContext context = context_after(inputs, actor);
  std::set<std::string> told;
  for (const MadeCall& one : changed_calls(*inputs.after, actor.steps.after, actor.steps.before)) {
    if (!changed_before.contains(one.callee)) continue;
    const std::size_t was = before.at(one.callee), now = after.at(one.callee);
    const bool leaves = was > 0 && now == 0, enters = was == 0 && now > 0;
    if ((leaves || enters) && costs_each_time(inputs, context, *one.call) && told.insert(one.callee).second)
      out.push_back({code(std::string(callee_name(*one.call))), leaves, leaves ? "" : loop_around(context, *one.call)});
  }
  return out;
}

std::string loop_words(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<std::string> less, more;
  for (const LoopCall& one : loop_calls(inputs, actor)) (one.leaves ? less : more).push_back(one.name);
  std::vector<std::string> parts;
  if (!less.empty()) parts.push_back(fmt::format("calls {} in no loop any more", join_words(less)));
  if (!more.empty()) parts.push_back(fmt::format("calls {} in a loop now", join_words(more)));
  return join(parts, "; ");
}

}  // namespace lockstep::report
