// Conditions around a collective on which the ranks of its group surely agree, although other ranks differ in them: why
// it does not hang. Program, analysis and conditions in, the conditions that can be told out. Says nothing of a
// condition that is not known (bounds.h), and nothing at all where one is known to differ within the group: that is for
// the findings (divergence.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mesh/mesh.h"
#include "program/program.h"

namespace lockstep::mesh {

/// It differs along `along` and nothing else, and the group spans none of these dimensions.
struct AgreedCondition {
  std::size_t index = 0;                    ///< In the conditions that were asked for.
  const python::Expr* condition = nullptr;  ///< That one, or a part of it (`a` of `a and b`).
  bool is_whole = false;
  std::vector<std::string> along;  ///< "pp"
  bool is_by_name = false;         ///< A name alone says along what it differs.
};

struct Agreement {
  std::vector<AgreedCondition> conditions;  ///< In the order of those asked for; settings that are alike are left out.
  bool is_complete = false;                 ///< All that were asked for are known as a whole.
  bool is_span_told = false;                ///< The site says what the group spans.
};

/// `conditions` must stand in `function`, around the collective or around a call that leads to it.
Agreement agreement_on(const program::Program& program, const MeshAnalysis& mesh, const CollectiveSite& site,
                       program::FunctionId function, std::span<const python::Expr* const> conditions);

}  // namespace lockstep::mesh
