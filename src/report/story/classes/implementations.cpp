#include "report/story/classes/implementations.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "report/story/weights/check_weights.h"

namespace lockstep::report {

using change::EntityKind;
using program::FunctionId;
using program::Program;

namespace {

bool is_special(std::string_view name) { return name.starts_with("__") && name.ends_with("__"); }

/// Whether a class above the one of the method, in the repository, has a method of that name.
bool overrides_any(const Program& program, FunctionId method) {
  const program::Function& function = program.functions()[method];
  if (!function.owner.valid()) return false;
  const auto& line = program.classes()[function.owner].linearized;
  return std::any_of(line.begin(), line.end(), [&](program::ClassId above) {
    if (above == function.owner) return false;
    const auto& methods = program.classes()[above].methods;
    return std::any_of(methods.begin(), methods.end(),
                       [&](FunctionId one) { return program.functions()[one].name == function.name; });
  });
}

/// Functions that were there before, outside tests and the method's own class, whose calls enter the method.
std::vector<FunctionId> old_callers(const DocumentInputs& inputs, FunctionId method) {
  const Program& program = *inputs.after;
  std::set<std::uint32_t> found;
  for (const program::CallId call : program.callers_of(method)) {
    const FunctionId caller = program.calls()[call].caller;
    const program::Function& function = program.functions()[caller];
    const bool is_own = function.owner.valid() && function.owner == program.functions()[method].owner;
    if (is_own || program::is_test_path(program.module_of(caller).path)) continue;
    if (inputs.before->find_function(function.qualified_name).valid()) found.insert(caller.value);
  }
  std::vector<FunctionId> out;
  for (const std::uint32_t one : found) out.emplace_back(one);
  return out;
}

/// How many functions that the change brings, outside the class, the method calls.
std::size_t brought_callees(const DocumentInputs& inputs, FunctionId method) {
  const Program& program = *inputs.after;
  std::set<std::uint32_t> found;
  for (const program::CallId call : program.functions()[method].calls) {
    for (const program::CallTarget& target : program.calls()[call].targets) {
      if (!target.function.valid()) continue;
      const program::Function& callee = program.functions()[target.function];
      if (callee.owner.valid() && callee.owner == program.functions()[method].owner) continue;
      if (!inputs.before->find_function(callee.qualified_name).valid()) found.insert(target.function.value);
    }
  }
  return found.size();
}

}  // namespace

std::vector<EnteredMethod> entered_methods(const DocumentInputs& inputs, const std::vector<Actor>& actors,
                                           const Actor& cls) {
  std::vector<EnteredMethod> out;
  if (cls.change->kind != EntityKind::kClass || !cls.is_added() || cls.role == Role::kTest ||
      !cls.change->after->cls.valid())
    return out;
  for (const Actor& actor : actors) {
    const auto& after = actor.change->after;
    if (actor.change->kind != EntityKind::kMethod || !after || !after->function.valid() ||
        inputs.after->functions()[after->function].owner != cls.change->after->cls)
      continue;
    if (is_special(inputs.after->functions()[after->function].name)) continue;
    std::vector<FunctionId> callers = old_callers(inputs, after->function);
    if (!callers.empty())
      out.push_back({&actor, std::move(callers), brought_callees(inputs, after->function),
                     overrides_any(*inputs.after, after->function)});
  }
  // What came from elsewhere shows how it differs, not what it does.
  const auto rank = [](const EnteredMethod& one) {
    return std::make_tuple(one.actor->is_added(), one.brought, one.callers.size());
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const EnteredMethod& a, const EnteredMethod& b) { return rank(a) > rank(b); });
  return out;
}

void weigh_implementations(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr std::size_t kMostRaised = 2;
  constexpr double kPart = 0.35;  // Of the weight of its class.
  constexpr double kBehind = 0.95;
  constexpr double kOfChecks = 0.3;  // Of the class's weight at most: less than its methods.
  double heaviest = 0;
  for (Actor& cls : actors) {
    std::vector<EnteredMethod> entered = entered_methods(inputs, actors, cls);
    std::erase_if(entered, [](const EnteredMethod& one) { return !one.overrides; });
    if (entered.empty() || cls.role != Role::kSupporting || cls.is_unnamed) continue;
    const FunctionId made = inputs.after->find_method(cls.change->after->cls, "__init__");
    if (made.valid() && old_callers(inputs, made).empty()) continue;
    double best = 0;
    for (std::size_t i = 0; i < entered.size() && i < kMostRaised; ++i) {
      auto& method = actors[static_cast<std::size_t>(entered[i].actor - actors.data())];
      if (entered[i].brought > 0) method.weight = std::max(method.weight, kPart * cls.weight);
      best = std::max(best, method.weight);
    }
    for (Actor& actor : actors) {
      const auto& after = actor.change->after;
      const bool is_own = actor.change->kind == EntityKind::kMethod && after && after->function.valid() &&
                          inputs.after->functions()[after->function].owner == cls.change->after->cls;
      const bool is_entered =
          std::any_of(entered.begin(), entered.end(), [&](const EnteredMethod& one) { return one.actor == &actor; });
      if (is_own && !is_entered) actor.weight = std::min(actor.weight, kBehind * best);
    }
    heaviest = std::max(heaviest, cls.weight);
  }
  if (heaviest == 0) return;
  for (Actor& actor : actors) {
    if (actor.role == Role::kSupporting && only_checks_settings(inputs, actor))
      actor.weight = std::min(actor.weight, kOfChecks * heaviest);
  }
}

}  // namespace lockstep::report
