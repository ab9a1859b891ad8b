// rank-divergent-collective: ranks of one group that do not issue the same collectives, in the same order, with fitting
// arguments. The mesh analysis finds them; this says what follows from it.

#include <fmt/format.h>

#include "rules/communication/mesh_findings.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using mesh::Divergence;
using Kind = mesh::Divergence::Kind;

constexpr std::string_view kRule = "rank-divergent-collective";

Severity severity_of(const Divergence& row) {
  if (row.proven) return Severity::kP0;
  return row.environment ? Severity::kP2 : Severity::kP1;
}

std::string message_of(const program::Program& program, const mesh::MeshAnalysis& mesh, const Divergence& row) {
  const std::string code = quote(*program.module_of(row.function).facts, row.place->span);
  const std::string along = along_phrase(mesh, row.varies);
  const std::string group = group_phrase(row.collective.group);
  const std::string_view op = row.collective.operation;
  // Of the machines a run has the code says nothing.
  const std::string_view differs = row.environment ? "may differ" : "differs";
  switch (row.kind) {
    case Kind::kLoop:
      return fmt::format("The number of rounds over `{}` {} {}, and with it the number of `{}` calls on {}", code,
                         differs, along, op, group);
    case Kind::kEarlyExit:
      return fmt::format("Some ranks {} at `{}`, which {} {}, and miss the `{}` on {} that the others wait in",
                         row.environment ? "may leave" : "leave", code, differs, along, op, group);
    case Kind::kException:
      return fmt::format("Ranks for which `{}` holds raise before the `{}` on {} that the others wait in", code, op,
                         group);
    case Kind::kRoot:
      return fmt::format("The root `{}` of this `{}` on {} differs {}", code, op, group, along);
    case Kind::kShape:
      return fmt::format("The shape or type of what this `{}` on {} moves differs {}", op, group, along);
    case Kind::kOperation:
      return fmt::format("The reduction of this `{}` on {} differs {}", op, group, along);
    case Kind::kGroupCreation:
      return fmt::format("`{}` differs {}, so not every rank reaches this `{}`", code, along, op);
    default:
      return fmt::format("`{}` {} {}, and decides which collectives the ranks issue: `{}` on {}", code, differs, along,
                         op, group);
  }
}

std::string why_of(const Divergence& row) {
  std::string why;
  switch (row.kind) {
    case Kind::kRoot:
    case Kind::kOperation:
    case Kind::kShape:
      why = "All ranks of a group must pass the same here, and nothing checks it.";
      break;
    case Kind::kGroupCreation:
      why = "Every rank of the job must create every group, also those that it is not in.";
      break;
    default:
      why = "A collective completes only when every rank of its group issues it, in the same order.";
      break;
  }
  why += fmt::format(" Measured with NCCL: {}, and nothing raises.", row.outcome);
  if (!row.missing_step.empty()) why += fmt::format(" Not known from the code: {}.", row.missing_step);
  return why;
}

std::string fix_of(const Divergence& row) {
  const std::string op(row.collective.operation);
  switch (row.kind) {
    case Kind::kLoop:
      return fmt::format(
          "Agree on the number of rounds first (all-reduce its maximum over the group), and let ranks without work "
          "issue `{}` with neutral values.",
          op);
    case Kind::kEarlyExit:
      return fmt::format(
          "Issue `{}` before leaving, or reduce the condition over the group so that all ranks leave together.", op);
    case Kind::kException:
      return "Exchange the error over the group first, and raise on all ranks alike.";
    case Kind::kRoot:
      return "Pass the same global rank on every rank of the group, for example the group's first.";
    case Kind::kShape:
      return "Pad to a common size, or exchange the sizes first and use a form that takes uneven parts.";
    case Kind::kOperation:
      return "Use one reduction on all ranks; encode the difference in the values.";
    case Kind::kGroupCreation:
      return fmt::format("Call `{}` on every rank, outside the condition, and keep the group only where it is needed.",
                         op);
    default:
      if (row.collective.is_point_to_point) return "Give every send its recv on the other side, with the same shape.";
      return fmt::format(
          "Move `{}` out of the condition and give ranks without a part in it neutral values, or reduce the condition "
          "over the group first.",
          op);
  }
}

std::vector<Hit> collect(const program::Program& program, const mesh::MeshAnalysis& mesh) {
  std::vector<Hit> hits;
  for (const Divergence& row : mesh.divergences()) {
    if (row.kind == Kind::kOrder) continue;
    Finding finding = mesh_finding(program, kRule, row.function, *row.place, severity_of(row), row.proven);
    if (row.environment) finding.certainty = FindingCertainty::kQuestion;
    finding.message = message_of(program, mesh, row);
    finding.why = why_of(row);
    finding.fix = fix_of(row);
    add_steps(program, row, finding);
    hits.push_back(mesh_hit(program, std::move(finding), row.collective));
  }
  return hits;
}

}  // namespace

void run_rank_divergent_collective(const RuleContext& context, std::vector<Finding>& findings) {
  report_both_sides(context, collect, findings);
}

}  // namespace lockstep::rules
