// What the three rules on collectives share: from the mesh analysis' rows to findings, and which of them a change
// brought.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"
#include "rules/hits.h"
#include "rules/rule.h"

namespace lockstep::rules {

/// "all ranks", "the tensor-parallel group (tp)", "`group`".
std::string group_phrase(const mesh::Group& group);

/// "from rank to rank", "along tp".
std::string along_phrase(const mesh::MeshAnalysis& mesh, mesh::DimensionSet varies);

/// A finding at `place`, with the words that are the same for all: severity for tests, certainty, evidence.
Finding mesh_finding(const program::Program& program, std::string_view rule, program::FunctionId function,
                     const python::Node& place, Severity severity, bool proven);

/// The steps of a divergence as evidence.
void add_steps(const program::Program& program, const mesh::Divergence& divergence, Finding& finding);

/// The hit of a finding, which the rule, the statement, the collective and its group identify.
Hit mesh_hit(const program::Program& program, Finding finding, const mesh::CollectiveSite& collective);

/// What a rule finds in a program by its mesh analysis.
using CollectHits = std::function<std::vector<Hit>(const program::Program& program, const mesh::MeshAnalysis& mesh)>;

/// check: all hits in wanted paths. review: those that the before side does not have and that a changed file is part
/// of; the before side is only analysed where the after side has some.
void report_both_sides(const RuleContext& context, const CollectHits& collect, std::vector<Finding>& findings);

}  // namespace lockstep::rules
