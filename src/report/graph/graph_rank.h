// What matters in a code graph: distances from the training step, fan-in, each function's share of the program below
// it, and one number of importance, all from the graph alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/graph/graph.h"

namespace lockstep::report {

/// Fills step_distance, fan_in, loop_callers, is_hot, weight, steps_ahead, way and the focus distances of a model whose
/// nodes and edges are complete. Edges by name alone do not count.
///
/// weight: 1 + the callees' weights, each divided among its callers and among the alternatives of a call. So the single
/// path of a program (main -> train -> train_step) carries what is below it, while a helper that a hundred functions
/// call adds next to nothing to each.
void rank_graph(GraphModel& model, std::span<const program::Reached> step_path);

/// Fills importance, once the model is ranked and its collectives are known.
void set_importance(GraphModel& model);

/// One line of a run as a tree of calls.
struct RunLine {
  std::uint32_t node = 0;
  const GraphEdge* entered_by = nullptr;  ///< Edge from the line above at depth - 1; null for the root.
  int depth = 0;
  std::uint32_t left_out = 0;  ///< Callees of it, of less weight, that are not shown.
  bool shown_before = false;   ///< Its callees stand further up.
};

struct RunOptions {
  std::size_t lines = 60;
  int depth = 14;
  std::size_t children = 5;  ///< Of one function, the heaviest.
};

/// The scripts that start most of the program, at most `count`: those that reach most of the training step first, then
/// the heaviest, those near the root before those deep in folders.
std::vector<std::uint32_t> main_entries(const GraphModel& model, std::size_t count);

/// How a run goes from `root`: the callees that carry most weight, in the order of their calls, each expanded once. The
/// budget of lines goes to the heaviest functions first.
std::vector<RunLine> run_of(const GraphModel& model, std::uint32_t root, const RunOptions& options);

}  // namespace lockstep::report
