// What the mesh analysis found -> findings with words, evidence and severity. Shared by the rules about collectives.
#pragma once

#include <vector>

#include "mesh/mesh.h"
#include "rules/place.h"
#include "rules/rule.h"

namespace lockstep::rules {

/// The divergences of one side for which `wanted(kind)` holds, as hits of `rule`, keyed by function, kind, operation and the
/// text of the condition. P0 where every step is resolved, else P1 with the open step named; code of tests is P2 at most.
std::vector<Hit> divergence_hits(const program::Program& program, const mesh::MeshAnalysis& mesh, std::string_view rule,
                                 bool (*wanted)(mesh::Divergence::Kind));

/// In check: the wanted files' findings. In review: what the change introduced and stands on, or reaches through, a line
/// that it wrote.
std::vector<Finding> reported(const RuleContext& context, std::vector<Hit> after, const std::vector<Hit>& before);

}  // namespace lockstep::rules
