#include "report/documents/correctness/moved_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostTold = 2;

/// The calls that a function surely makes of functions outside tests, by the names of these; of messages and of what a
/// function defines for itself none.
std::map<std::string, std::vector<const Call*>> calls_by_name(const Program& program, FunctionId caller) {
  std::map<std::string, std::vector<const Call*>> out;
  for (const program::CallId id : program.functions()[caller].calls) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = as<Call>(site.node);
    if (call == nullptr || site.targets.size() != 1 || rules::is_log_call(call)) continue;
    const program::CallTarget& target = site.targets.front();
    if (!target.function.valid() || target.certainty != program::Certainty::kExact ||
        (target.kind != program::CallKind::kDirect && target.kind != program::CallKind::kModuleCall))
      continue;
    const program::Function& callee = program.functions()[target.function];
    if (callee.enclosing.valid() || program::is_test_path(program.module_of(target.function).path)) continue;
    out[callee.qualified_name].push_back(call);
  }
  return out;
}

/// Conditions of `around` that the other place does not stand under.
std::vector<Guard> beyond(const std::vector<Guard>& around, const std::vector<Guard>& others) {
  std::vector<Guard> out;
  for (const Guard& guard : around) {
    const bool is_shared = std::any_of(others.begin(), others.end(), [&](const Guard& other) {
      return other.statement == guard.statement && other.condition == guard.condition && other.negated == guard.negated;
    });
    if (guard.condition != nullptr && !is_shared) out.push_back(guard);
  }
  return out;
}

/// A function that the change edits, with the calls of both versions.
struct Edited {
  const Actor* actor = nullptr;
  std::map<std::string, std::vector<const Call*>> before, after;
};

class MovedCalls {
 public:
  MovedCalls(const DocumentInputs& inputs, const Story& story) : inputs_(inputs), after_(*inputs.after) {
    for (const Actor& actor : story.actors) {
      const bool is_edited = actor.role != Role::kTest && actor.is_function() && actor.change->before &&
                             actor.change->after && actor.change->before->function.valid() &&
                             actor.change->after->function.valid() && actor.steps.after_source != nullptr;
      if (!is_edited) continue;
      edited_.push_back({&actor, calls_by_name(*inputs.before, actor.change->before->function),
                         calls_by_name(after_, actor.change->after->function)});
    }
  }

  std::vector<std::string> items() const {
    std::vector<std::string> out;
    for (const Edited& from : edited_) {
      for (const auto& [callee, calls] : from.before) {
        if (out.size() == kMostTold) return out;
        if (calls.size() != 1 || from.after.contains(callee) || !after_.find_function(callee).valid()) continue;
        const Edited* to = only_taker(from, callee);
        if (to == nullptr) continue;
        std::string text = moved_up(from, *to, callee);
        if (text.empty()) text = moved_down(from, *to, callee);
        if (!text.empty()) out.push_back(std::move(text));
      }
    }
    return out;
  }

 private:
  /// The one function of the change that makes the call anew.
  [[nodiscard]] const Edited* only_taker(const Edited& from, const std::string& callee) const {
    const Edited* found = nullptr;
    for (const Edited& one : edited_) {
      const auto made = one.after.find(callee);
      if (&one == &from || made == one.after.end() || one.before.contains(callee)) continue;
      if (found != nullptr || made->second.size() != 1) return nullptr;
      found = &one;
    }
    return found;
  }

  [[nodiscard]] std::string opening(const Edited& from, const Edited& to, const std::string& callee,
                                    const Call& call) const {
    const Actor& taker = *to.actor;
    return fmt::format("{}, which {} called, is called by {} now ({})",
                       code(short_name(after_, after_.find_function(callee))),
                       code(short_name(inputs_, *from.actor->change)), code(short_name(inputs_, *taker.change)),
                       place(taker.change->after->path, taker.steps.after_source->line_of(call.span.begin)));
  }

  [[nodiscard]] std::string moved_up(const Edited& from, const Edited& to, const std::string& callee) const {
    const FunctionId left = from.actor->change->after->function;
    const auto to_left = to.after.find(after_.functions()[left].qualified_name);
    if (to_left == to.after.end() || to_left->second.size() != 1) return {};
    const Node& node = *to.actor->change->after->node;
    const Call& call = *to.after.at(callee).front();
    const std::vector<Guard> over_left = guards_of(node, to_left->second.front()->span);
    const std::vector<Guard> over_call = guards_of(node, call.span);
    const SourceText& source = *to.actor->steps.after_source;
    const std::vector<Guard> more = beyond(over_left, over_call);
    const std::string only_left = guards_words(more, source, 3);
    if (only_left.empty() || !beyond(over_call, over_left).empty()) return {};
    return fmt::format("{}, which calls {} only where {}: it runs in other cases, too.",
                       opening(from, to, callee, call), code(short_name(inputs_, *from.actor->change)), only_left);
  }

  [[nodiscard]] std::string moved_down(const Edited& from, const Edited& to, const std::string& callee) const {
    constexpr std::size_t kMostNames = 3;
    const FunctionId taker = to.actor->change->after->function;
    if (!from.after.contains(after_.functions()[taker].qualified_name)) return {};
    std::vector<std::string> names;
    for (const program::CallId id : after_.callers_of(taker)) {
      const FunctionId caller = after_.calls()[id].caller;
      const auto& targets = after_.calls()[id].targets;
      const bool is_sure = targets.size() == 1 && targets.front().certainty == program::Certainty::kExact;
      if (!is_sure || caller == from.actor->change->after->function || caller == taker ||
          program::is_test_path(after_.module_of(caller).path))
        continue;
      const FunctionId was = inputs_.before->find_function(after_.functions()[caller].qualified_name);
      if (!was.valid() || calls_by_name(*inputs_.before, was).contains(callee)) continue;
      std::string name = code(short_name(after_, caller));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    if (names.empty()) return {};
    const bool is_one = names.size() == 1;
    const std::size_t all = names.size();
    if (all > kMostNames) names.resize(kMostNames);
    if (all > kMostNames) names.push_back(fmt::format("{} more", all - kMostNames));
    return fmt::format("{}: {}, which {} that, {} to it, too.", opening(from, to, callee, *to.after.at(callee).front()),
                       join_words(names), is_one ? "calls" : "call", is_one ? "comes" : "come");
  }

  const DocumentInputs& inputs_;
  const Program& after_;
  std::vector<Edited> edited_;
};

}  // namespace

std::vector<std::string> moved_call_items(const DocumentInputs& inputs, const Story& story) {
  return MovedCalls(inputs, story).items();
}

}  // namespace lockstep::report
