// unordered-collective: collectives inside a loop whose order of iteration differs between ranks.
#include "rules/mesh_findings.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

constexpr std::string_view kRule = "unordered-collective";

bool is_wanted_kind(mesh::Divergence::Kind kind) { return kind == mesh::Divergence::Kind::kOrder; }

}  // namespace

void run_unordered_collective(const RuleContext& context, std::vector<Finding>& findings) {
  std::vector<Hit> before;
  if (context.before != nullptr && context.mesh_before != nullptr) {
    before = divergence_hits(*context.before, *context.mesh_before, kRule, is_wanted_kind);
  }
  std::vector<Hit> after = divergence_hits(context.program, context.mesh, kRule, is_wanted_kind);
  for (Finding& finding : reported(context, std::move(after), before)) findings.push_back(std::move(finding));
}

}  // namespace lockstep::rules
