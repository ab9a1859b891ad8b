// The first part of the graph for a language model: packages and what they are for, how a run goes, and, for a graph
// that is centred on something, how one gets there.
#pragma once

#include <cstddef>
#include <string>

#include "report/graph/graph.h"

namespace lockstep::render {

/// First sentence of a module's docstring, safe to print; empty where there is none.
std::string file_purpose(const program::Module& module, std::size_t limit);

/// Packages with size, purpose, and what they use; the entry points; how a run goes. About `budget` tokens.
std::string overview_text(const report::GraphModel& model, std::size_t budget);

/// What the graph is centred on, with the ways that lead there from where runs start.
std::string focus_text(const report::GraphModel& model, std::size_t budget);

}  // namespace lockstep::render
