#include "report/story/collectives.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "program/queries.h"

namespace lockstep::report {

using program::FunctionId;
using program::Program;

namespace {

/// Functions that calls may lead to from `start`, a few calls deep, `start` itself first.
std::vector<FunctionId> below(const Program& program, FunctionId start) {
  constexpr int kMostDepth = 5;
  constexpr std::size_t kMostFunctions = 400;
  std::vector<FunctionId> out;
  for (const program::Reached& one : reachable_from(program, std::span(&start, 1), kMostFunctions)) {
    if (one.distance <= kMostDepth) out.push_back(one.function);
  }
  return out;
}

std::set<std::string_view> operations_within(const mesh::MeshAnalysis& mesh, FunctionId function, Span span) {
  std::set<std::string_view> out;
  for (const mesh::CollectiveSite& site : mesh.collectives_of(function)) {
    if (site.call != nullptr && !site.creates_group && span.contains(site.call->span)) out.insert(site.operation);
  }
  return out;
}

/// What the new version comes to issue by what the change brings: a new or edited step of its own, a function that is
/// new or edited, or one that no call led to before.
class Brought {
 public:
  explicit Brought(const DocumentInputs& inputs) : inputs_(inputs) {
    for (const change::EntityChange& entity : inputs.change->entities) {
      if (entity.after && entity.after->function.valid() && !entity.is_cosmetic())
        changed_.insert(entity.after->function.value);
    }
  }

  [[nodiscard]] std::set<std::string_view> by(const Actor& actor) const {
    const FunctionId function = actor.change->after->function;
    std::set<std::string_view> out;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kKept) out.merge(operations_within(*inputs_.after_mesh, function, step.span));
    }
    std::set<std::string_view> known;
    for (const FunctionId one : below(*inputs_.before, actor.change->before->function))
      known.insert(inputs_.before->functions()[one].qualified_name);
    for (const FunctionId one : below(*inputs_.after, function)) {
      if (one == function) continue;
      if (!changed_.contains(one.value) && known.contains(inputs_.after->functions()[one].qualified_name)) continue;
      for (const mesh::CollectiveSite& site : inputs_.after_mesh->collectives_of(one)) out.insert(site.operation);
    }
    return out;
  }

 private:
  const DocumentInputs& inputs_;
  std::set<std::uint32_t> changed_;
};

}  // namespace

void match_collectives(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  if (inputs.before_mesh == nullptr || inputs.after_mesh == nullptr) return;
  const Brought brought(inputs);
  for (Actor& actor : actors) {
    const auto& change = *actor.change;
    if (!change.before || !change.after || !change.before->function.valid() || !change.after->function.valid())
      continue;
    std::set<std::string_view> now;
    bool is_known = false;
    for (Step& step : actor.steps.before) {
      if (step.status != StepStatus::kRemoved || step.is_moved || step.elsewhere != nullptr) continue;
      const auto gone = operations_within(*inputs.before_mesh, change.before->function, step.span);
      if (gone.empty()) continue;
      if (!is_known) now = brought.by(actor);
      is_known = true;
      step.is_still_issued =
          std::any_of(gone.begin(), gone.end(), [&](std::string_view operation) { return now.contains(operation); });
    }
  }
}

}  // namespace lockstep::report
