// unordered-collective: collectives in a loop whose order of iteration can differ between ranks.

#include <fmt/format.h>

#include "rules/communication/mesh_findings.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using mesh::Divergence;

constexpr std::string_view kRule = "unordered-collective";

std::vector<Hit> collect(const program::Program& program, const mesh::MeshAnalysis& mesh) {
  std::vector<Hit> hits;
  for (const Divergence& row : mesh.divergences()) {
    if (row.kind != Divergence::Kind::kOrder) continue;
    const Severity severity = row.proven ? Severity::kP0 : Severity::kP1;
    Finding finding = mesh_finding(program, kRule, row.function, *row.place, severity, row.proven);
    const std::string code = quote(*program.module_of(row.function).facts, row.place->span);
    finding.message =
        fmt::format("The order of `{}` can differ from rank to rank, and with it the order of the `{}` calls on {}",
                    code, row.collective.operation, group_phrase(row.collective.group));
    finding.why =
        "Ranks pair their collectives by the order in which they issue them. Measured with NCCL: tensors of different "
        "sizes "
        "hang, tensors of the same size are mixed up, and nothing raises.";
    if (!row.missing_step.empty()) finding.why += fmt::format(" Not known from the code: {}.", row.missing_step);
    finding.fix = fmt::format(
        "Iterate in an order that all ranks share: `sorted({})` with a key that is the same on every rank, "
        "or a list or dict filled in program order.",
        code);
    add_steps(program, row, finding);
    hits.push_back(mesh_hit(program, std::move(finding), row.collective));
  }
  return hits;
}

}  // namespace

void run_unordered_collective(const RuleContext& context, std::vector<Finding>& findings) {
  report_both_sides(context, collect, findings);
}

}  // namespace lockstep::rules
