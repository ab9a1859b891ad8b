// The table of contents of the program: which phases run for which command, in which order.
//
//   repo -> facts -> program -> change -> mesh, rules -> report -> document -> bytes
//
// Values in, one value out; what is read from disk comes in through repo::Repository.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/timings.h"
#include "change/change.h"
#include "driver/reading.h"
#include "mesh/mesh.h"
#include "program/queries.h"
#include "repo/change_spec.h"
#include "repo/repository.h"
#include "report/graph/graph.h"
#include "report/report.h"
#include "rules/settings.h"

namespace lockstep::driver {

struct PipelineOptions {
  std::size_t jobs = 1;
  /// Replaces the configuration that the repository carries.
  std::optional<rules::Settings> settings;
  /// How much of the mesh analysis a tree gets; a change always gets everything.
  mesh::MeshExtent mesh_extent = mesh::MeshExtent::kEverything;
  /// Whether to find out what tests called before a change: those of a review only compare what they call now.
  bool with_calls_of_tests_before = true;
  bool for_graph = false;  ///< The tree is linked to print its graph: also lay what report::begin_graph asks.
  /// Told of each phase before it starts; false ends the run with an error. May be empty.
  std::function<bool(std::string_view phase)> before_phase;
};

/// One tree, read and analysed: what graph, trace and check work on.
struct Tree {
  std::size_t jobs = 1;
  repo::Snapshot snapshot;
  report::Coverage coverage;
  rules::Settings settings;
  program::Program program;
  std::optional<mesh::Groundwork> groundwork;  ///< Laid beside the calls, with two jobs or more; until analyse_mesh_of.
  std::optional<report::GraphGroundwork> graph_groundwork;  ///< Laid beside them too, where a graph is to be printed.
  mesh::MeshAnalysis mesh;
  std::vector<program::Reached> step_path;
};

/// A change, read and analysed on both sides: what explain, dive and review work on. Its parts refer to each other, so
/// it stays where it was made.
struct AnalysedChange {
  AnalysedChange() = default;
  AnalysedChange(const AnalysedChange&) = delete;
  AnalysedChange& operator=(const AnalysedChange&) = delete;

  std::size_t jobs = 1;
  repo::ChangeSides sides;
  report::Coverage coverage;
  rules::Settings settings;  ///< Of the before side: a change must not switch off its own review.
  program::Program before;
  program::Program after;
  repo::SnapshotDiff diff;
  change::Change change;
  mesh::MeshAnalysis mesh_before;  ///< Of what the change touches and calls, without findings.
  mesh::MeshAnalysis mesh_after;
  std::vector<program::Reached> step_path;
};

/// Reads and analyses one tree.
Result<std::unique_ptr<Tree>> analyse_tree(repo::Snapshot snapshot, const PipelineOptions& options, Timings& timings);

/// The first half of analyse_tree, for programs that stay in memory: reads and links; `mesh` and `step_path` stay
/// empty. `facts` holds what is parsed already and gains what is not.
Result<std::unique_ptr<Tree>> link_tree(repo::Snapshot snapshot, const PipelineOptions& options, FactsByContent& facts,
                                        Timings& timings);
/// The other half: fills `mesh` and `step_path`; each can be filled alone, and at once.
Result<void> analyse_mesh_of(Tree& tree, const PipelineOptions& options, Timings& timings);
void find_step_path(Tree& tree);
Result<void> complete_tree(Tree& tree, const PipelineOptions& options, Timings& timings);

/// Reads, links and compares both sides of a change; the meshes stay empty. `facts` as in link_tree.
Result<std::unique_ptr<AnalysedChange>> analyse_change(repo::ChangeSides sides, const PipelineOptions& options,
                                                       FactsByContent& facts, Timings& timings);
Result<std::unique_ptr<AnalysedChange>> analyse_change(repo::ChangeSides sides, const PipelineOptions& options,
                                                       Timings& timings);

/// Runs all rules over a tree; only `paths` are reported (all when empty).
report::Report check_tree(const Tree& tree, const std::vector<std::string>& paths,
                          const std::vector<std::string>& baseline, Timings& timings);

/// Fills the meshes of a change and runs all rules over it, at once. `after_meshes` (may be empty) runs beside the
/// rules as soon as the meshes are there.
report::Report review_change(AnalysedChange& analysed, Timings& timings,
                             const std::function<void()>& after_meshes = {});
/// Fills `mesh_after` alone, for who wants no findings.
void analyse_mesh_of(AnalysedChange& analysed, Timings& timings);

}  // namespace lockstep::driver
