#include "report/story/working_weights.h"

#include <algorithm>
#include <set>

#include "mesh/mesh.h"
#include "program/queries.h"

namespace lockstep::report {

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

/// Functions outside tests that surely call it.
std::set<std::uint32_t> callers(const program::Program& program, FunctionId function) {
  std::set<std::uint32_t> out;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    if (program::surely_enters(site, function) && !program::is_test_path(program.module_of(site.caller).path))
      out.insert(site.caller.value);
  }
  return out;
}

}  // namespace

void weigh_working(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kAbove = 1.02;
  if (inputs.after_mesh == nullptr) return;
  for (Actor& worker : actors) {
    if (!counts(worker) || !works(inputs, worker.change->after->function)) continue;
    const std::set<std::uint32_t> own = callers(*inputs.after, worker.change->after->function);
    double most = 0;
    for (const Actor& other : actors) {
      if (&other == &worker || !counts(other) || other.weight < worker.weight) continue;
      const FunctionId function = other.change->after->function;
      if (inputs.after_mesh->may_communicate(function)) continue;
      const std::set<std::uint32_t> theirs = callers(*inputs.after, function);
      const bool is_beside = !theirs.empty() && std::includes(own.begin(), own.end(), theirs.begin(), theirs.end());
      if (is_beside) most = std::max(most, other.weight);
    }
    if (most > 0) worker.weight = std::max(worker.weight, kAbove * most);
  }
}

}  // namespace lockstep::report
