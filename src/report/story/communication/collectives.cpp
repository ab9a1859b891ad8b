#include "report/story/communication/collectives.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "program/queries.h"
#include "report/source/code.h"

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

/// A collective as it is compared: the operation with its group and, as far as that is to count, what it is given.
struct Issued {
  std::string_view operation;
  std::string group;  ///< Empty: any; what a function takes as its group has a name of its own there.
  std::string given;  ///< Source of the first argument; empty: any.

  /// Whether this one stands for `gone`.
  [[nodiscard]] bool replaces(const Issued& gone) const {
    return operation == gone.operation && (group.empty() || gone.group.empty() || group == gone.group) &&
           (given.empty() || given == gone.given);
  }
};

Issued issued_by(const mesh::CollectiveSite& site, const SourceText& source) {
  const auto* call = python::as<python::Call>(site.call);
  const bool is_given = call != nullptr && !call->arguments.empty();
  const bool is_known = site.group.kind == mesh::Group::Kind::kKnown || site.group.kind == mesh::Group::Kind::kWorld;
  return {site.operation, is_known ? site.group.text : std::string(),
          is_given ? one_line_whole(source, *call->arguments.front()) : std::string()};
}

std::vector<Issued> issued_within(const mesh::MeshAnalysis& mesh, const Program& program, FunctionId function,
                                  Span span) {
  std::vector<Issued> out;
  for (const mesh::CollectiveSite& site : mesh.collectives_of(function)) {
    if (site.call != nullptr && !site.creates_group && span.contains(site.call->span))
      out.push_back(issued_by(site, source_of(program, function)));
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

  [[nodiscard]] std::vector<Issued> by(const Actor& actor) const {
    const FunctionId function = actor.change->after->function;
    std::vector<Issued> out;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept) continue;
      for (Issued& one : issued_within(*inputs_.after_mesh, *inputs_.after, function, step.span))
        out.push_back(std::move(one));
    }
    std::set<std::string_view> known;
    for (const FunctionId one : below(*inputs_.before, actor.change->before->function))
      known.insert(inputs_.before->functions()[one].qualified_name);
    for (const FunctionId one : below(*inputs_.after, function)) {
      if (one == function) continue;
      if (!changed_.contains(one.value) && known.contains(inputs_.after->functions()[one].qualified_name)) continue;
      // What a function is given to which this one comes now has a name of its own there.
      const bool is_new = !known.contains(inputs_.after->functions()[one].qualified_name);
      for (const mesh::CollectiveSite& site : inputs_.after_mesh->collectives_of(one)) {
        out.push_back(issued_by(site, source_of(*inputs_.after, one)));
        if (is_new) out.back().given.clear();
      }
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
    std::vector<Issued> now;
    bool is_known = false;
    for (Step& step : actor.steps.before) {
      if (step.status != StepStatus::kRemoved || step.is_moved || step.elsewhere != nullptr) continue;
      const auto gone = issued_within(*inputs.before_mesh, *inputs.before, change.before->function, step.span);
      if (gone.empty()) continue;
      if (!is_known) now = brought.by(actor);
      is_known = true;
      step.is_still_issued = std::any_of(gone.begin(), gone.end(), [&](const Issued& was) {
        return std::any_of(now.begin(), now.end(), [&](const Issued& one) { return one.replaces(was); });
      });
    }
  }
}

}  // namespace lockstep::report
