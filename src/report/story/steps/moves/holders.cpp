#include "report/story/steps/moves/holders.h"

#include <algorithm>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

constexpr int kMostCalls = 3;  ///< Through new functions to the one that has the code.

/// The step of the after side whose own text holds `span`.
std::size_t step_at(const LosingFunction& from, Span span) {
  const std::vector<Step>& steps = from.actor->steps.after;
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (steps[i].span.contains(span) && !is<FunctionDef>(steps[i].node)) return i;
  }
  return Step::kNone;
}

}  // namespace

bool is_changed_code(const Actor& actor) {
  return actor.role != Role::kTest && actor.is_function() && !actor.is_module_code &&
         (!actor.change->after || actor.change->after->function.valid()) &&
         (actor.steps.before_source != nullptr || actor.steps.after_source != nullptr);
}

Holders::Holders(const DocumentInputs& inputs, const std::vector<Actor>& actors) : inputs_(inputs) {
  for (const Actor& actor : actors) {
    if (!is_changed_code(actor) || actor.is_removed()) continue;
    Holder holder;
    holder.actor = &actor;
    for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
      const Step& step = actor.steps.after[i];
      if (step.status != StepStatus::kAdded || step.is_moved) continue;
      holder.added.push_back(i);
      holder.words.push_back(words_of(*actor.steps.after_source, step));
    }
    if (actor.is_added()) added_.insert(actor.change->after->function);
    if (holder.added.empty()) continue;
    holder.locals = locals_of(actor.change->after->node);
    for (const CodeWords& words : holder.words) add_named(words, holder.locals, holder.named);
    holders_.emplace(actor.change->after->function, std::move(holder));
  }
}

std::vector<Connection> Holders::connections_of(const LosingFunction& from) const {
  const FunctionId self = from.actor->change->after->function;
  const auto& functions = inputs_.after->functions();
  const auto& calls = inputs_.after->calls();
  std::vector<Connection> out;
  std::set<FunctionId> known = {self};
  std::vector<FunctionId> next;
  for (const program::CallId id : functions[self].calls) {
    for (const program::CallTarget& target : calls[id].targets) {
      if (!target.function.valid() || target.function == self) continue;
      if (const Holder* holder = holder_of(target.function)) {
        const auto* call = as<Call>(calls[id].node);
        out.push_back({holder, call, call == nullptr ? Step::kNone : step_at(from, call->span)});
      }
      if (known.insert(target.function).second && added_.contains(target.function)) next.push_back(target.function);
    }
  }
  for (const auto& [function, holder] : holders_) {
    const auto calls_self = [&](program::CallId id) {
      return std::any_of(calls[id].targets.begin(), calls[id].targets.end(),
                         [&](const program::CallTarget& target) { return target.function == self; });
    };
    if (known.contains(function)) continue;
    if (std::any_of(functions[function].calls.begin(), functions[function].calls.end(), calls_self)) {
      known.insert(function);
      out.push_back({&holder});
    }
  }
  for (int depth = 1; depth < kMostCalls; ++depth) {
    std::vector<FunctionId> further;
    for (const FunctionId function : next) {
      for (const program::CallId id : functions[function].calls) {
        for (const program::CallTarget& target : calls[id].targets) {
          if (!target.function.valid() || !known.insert(target.function).second) continue;
          if (const Holder* holder = holder_of(target.function)) out.push_back({holder});
          if (added_.contains(target.function)) further.push_back(target.function);
        }
      }
    }
    next = std::move(further);
  }
  for (const auto& [function, holder] : holders_) {
    if (!holder.actor->is_added() || known.contains(function)) continue;
    if (const Call* call = table_call(from, holder)) {
      out.push_back({&holder, call, step_at(from, call->span)});
    } else {
      out.push_back({&holder, nullptr, Step::kNone, true});
    }
  }
  return out;
}

/// The new call of this function that enters what no one knows and may be made of what a table holds: of a function
/// of the same folder that is registered for what one of the branches asked which go here, and takes as many
/// arguments. Null for others, and where several calls may be it.
const Call* Holders::table_call(const LosingFunction& from, const Holder& holder) const {
  const auto folder = [](std::string_view path) { return path.substr(0, path.rfind('/') + 1); };
  const auto* def = as<FunctionDef>(holder.actor->change->after->node);
  if (def == nullptr || def->decorators.empty() ||
      folder(holder.actor->change->after->path) != folder(from.actor->change->after->path))
    return nullptr;
  const std::vector<Step>& before = from.actor->steps.before;
  bool is_registered = false;
  for (std::size_t i = 0; i < before.size() && !is_registered; ++i)
    is_registered = before[i].kind == StepKind::kIf && before[i].status == StepStatus::kRemoved &&
                    !before[i].is_moved && is_registered_for(holder, from, i);
  if (!is_registered) return nullptr;
  const Call* found = nullptr;
  std::size_t count = 0;
  for (const Step& step : from.actor->steps.after) {
    if (step.status != StepStatus::kAdded || step.is_moved) continue;
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      const program::CallId id = step.span.contains(call->span) ? inputs_.after->call_of(call) : program::CallId();
      if (!id.valid() || !inputs_.after->calls()[id].targets.empty() || !call->keywords.empty() ||
          rules::has_spread_arguments(*call) || call->arguments.size() != def->parameters->all.size() ||
          (!is<Name>(call->callee) && !is<Subscript>(call->callee)))
        return;
      found = call;
      ++count;
    });
  }
  return count == 1 ? found : nullptr;
}

const Holder* Holders::holder_of(FunctionId function) const {
  const auto found = holders_.find(function);
  return found == holders_.end() ? nullptr : &found->second;
}

}  // namespace lockstep::report
