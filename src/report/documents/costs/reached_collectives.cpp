#include "report/documents/costs/reached_collectives.h"

#include <algorithm>
#include <deque>
#include <set>

#include "report/source/bound_arguments.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

struct Place {
  FunctionId function;
  BoundArguments bound;
};

/// The nearest below what is pending, and of what that calls; `seen` holds what was pending before.
class Search {
 public:
  Search(const program::Program& program, const mesh::MeshAnalysis& mesh) : program_(program), mesh_(mesh) {}

  /// `is_any`: also what the call need not enter.
  void enter(program::CallId call, const BoundArguments& known, bool is_any) {
    constexpr std::size_t kMostFunctions = 200;
    const program::CallSite& site = program_.calls()[call];
    for (const program::CallTarget& target : site.targets) {
      const bool is_entered = target.function.valid() && (is_any || target.certainty == program::Certainty::kExact) &&
                              mesh::runs_now(target, program_) && mesh_.may_communicate(target.function);
      if (is_entered && seen_.size() < kMostFunctions && seen_.insert(target.function.value).second)
        pending_.push_back({target.function, bound_by(program_, site, target.function, known)});
    }
  }

  std::optional<ReachedCollective> nearest() {
    for (; !pending_.empty(); pending_.pop_front()) {
      const Place at = pending_.front();
      for (const mesh::CollectiveSite& site : mesh_.collectives_of(at.function)) {
        if (site.call != nullptr && !site.creates_group &&
            !is_ruled_out(program_, at.function, site.call->span, at.bound))
          return ReachedCollective{at.function, site.call, site.operation};
      }
      for (const program::CallId next : program_.functions()[at.function].calls) {
        const python::Node* node = program_.calls()[next].node;
        if (node == nullptr || !is_ruled_out(program_, at.function, node->span, at.bound)) enter(next, at.bound, false);
      }
    }
    return std::nullopt;
  }

 private:
  const program::Program& program_;
  const mesh::MeshAnalysis& mesh_;
  std::deque<Place> pending_;
  std::set<std::uint32_t> seen_;
};

}  // namespace

std::optional<ReachedCollective> collective_reached(const program::Program& program, const mesh::MeshAnalysis& mesh,
                                                    program::CallId call) {
  Search search(program, mesh);
  search.enter(call, {}, false);
  return search.nearest();
}

std::optional<ReachedCollective> collective_reached_by_any(const program::Program& program,
                                                           const mesh::MeshAnalysis& mesh, program::CallId call) {
  const auto& targets = program.calls()[call].targets;
  const bool may_all = std::all_of(targets.begin(), targets.end(), [&](const program::CallTarget& one) {
    return one.function.valid() && mesh.may_communicate(one.function);
  });
  if (targets.empty() || !may_all) return std::nullopt;
  Search search(program, mesh);
  search.enter(call, {}, true);
  return search.nearest();
}

}  // namespace lockstep::report
