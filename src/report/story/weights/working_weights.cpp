#include "report/story/weights/working_weights.h"

#include <algorithm>
#include <string_view>

#include "mesh/mesh.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

bool counts(const Actor& actor) {
  return actor.role == Role::kSupporting && actor.is_function() && actor.is_added() && !actor.is_unnamed &&
         actor.extracted_from == nullptr && actor.change->after->function.valid();
}

/// Whether it surely calls a function of the old version that exchanges data: its own collectives weigh anyway.
bool works(const DocumentInputs& inputs, FunctionId function) {
  const program::Program& after = *inputs.after;
  const auto exchanges = [](const mesh::CollectiveSite& site) {
    return !site.creates_group && site.operation != "barrier" && site.operation != "monitored_barrier";
  };
  const auto& calls = after.functions()[function].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    const auto& targets = after.calls()[id].targets;
    const bool is_old =
        targets.size() == 1 && targets.front().function.valid() &&
        targets.front().certainty == program::Certainty::kExact &&
        inputs.before->find_function(after.functions()[targets.front().function].qualified_name).valid();
    const auto issued = inputs.after_mesh->issued_through(id);
    return is_old && std::any_of(issued.begin(), issued.end(), exchanges);
  });
}

/// The calls outside tests that surely enter it.
std::vector<const program::CallSite*> calls_of(const program::Program& program, FunctionId function) {
  std::vector<const program::CallSite*> out;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    if (site.node != nullptr && program::surely_enters(site, function) &&
        !program::is_test_path(program.module_of(site.caller).path))
      out.push_back(&site);
  }
  return out;
}

/// Whether a local that the one call gives (`todo = collect(model)`) is given to the other one (`start(todo)`).
bool gives_to(const program::Program& program, const program::CallSite& one, const program::CallSite& other) {
  const auto* def = program.functions()[one.caller].def();
  const auto* call = as<Call>(other.node);
  if (one.caller != other.caller || def == nullptr || call == nullptr) return false;
  std::string_view local;
  walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
    if (assign->value == one.node && assign->targets.size() == 1) local = rules::name_of(assign->targets.front());
  });
  return !local.empty() && std::any_of(call->arguments.begin(), call->arguments.end(),
                                       [&](const Expr* given) { return rules::name_of(given) == local; });
}

}  // namespace

void weigh_working(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kAbove = 1.02;
  if (inputs.after_mesh == nullptr) return;
  for (Actor& worker : actors) {
    if (!counts(worker) || !works(inputs, worker.change->after->function)) continue;
    const auto own = calls_of(*inputs.after, worker.change->after->function);
    double most = 0;
    for (const Actor& other : actors) {
      if (&other == &worker || !counts(other) || other.weight < worker.weight) continue;
      const FunctionId function = other.change->after->function;
      if (inputs.after_mesh->may_communicate(function)) continue;
      const auto theirs = calls_of(*inputs.after, function);
      const bool makes_ready = std::any_of(theirs.begin(), theirs.end(), [&](const program::CallSite* one) {
        return std::any_of(own.begin(), own.end(),
                           [&](const program::CallSite* to) { return gives_to(*inputs.after, *one, *to); });
      });
      if (makes_ready) most = std::max(most, other.weight);
    }
    if (most > 0) worker.weight = std::max(worker.weight, kAbove * most);
  }
}

}  // namespace lockstep::report
