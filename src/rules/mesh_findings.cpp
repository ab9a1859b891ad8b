#include "rules/mesh_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/queries.h"

namespace lockstep::rules {
namespace {

using mesh::Divergence;
using program::Program;

std::string group_words(const mesh::CollectiveSite& site) {
  return site.group.text.empty() ? std::string("its group") : site.group.text;
}

// What is wrong, in one clause. `what` is the collective's name in back-quotes.
std::string message_of(const Divergence& found, const std::string& what, const std::string& varies) {
  const std::string group = group_words(found.collective);
  switch (found.kind) {
    case Divergence::Kind::kCondition:
      return fmt::format("Only some ranks of {} issue {}: the condition varies along {}", group, what, varies);
    case Divergence::Kind::kLoop:
      return fmt::format("Ranks of {} issue {} a different number of times: the loop varies along {}", group, what, varies);
    case Divergence::Kind::kEarlyExit:
      return fmt::format("Ranks of {} that leave here skip {}: the condition varies along {}", group, what, varies);
    case Divergence::Kind::kOrder:
      return fmt::format("Ranks of {} issue {} in different orders: the order of iteration varies along {}", group, what, varies);
    case Divergence::Kind::kException:
      return fmt::format("A rank of {} that raises here skips {}, which the others wait in", group, what);
    case Divergence::Kind::kRoot:
      return fmt::format("Ranks of {} name different roots for {}: the argument varies along {}", group, what, varies);
    case Divergence::Kind::kShape:
      return fmt::format("Ranks of {} give {} tensors of different shapes: the size varies along {}", group, what, varies);
    case Divergence::Kind::kGroupCreation:
      return fmt::format("Not every rank reaches {}: the condition varies along {}", what, varies);
    case Divergence::Kind::kOperation:
      return fmt::format("Ranks of {} give {} different data types or operations: the argument varies along {}", group, what, varies);
  }
  return {};
}

std::string_view fix_of(Divergence::Kind kind) {
  switch (kind) {
    case Divergence::Kind::kCondition:
    case Divergence::Kind::kEarlyExit:
      return "Issue the collective on every rank of the group and keep only what is local (printing, saving) under the "
             "condition, or make all ranks agree on the condition first, for example by reducing it over the group";
    case Divergence::Kind::kLoop:
      return "Agree on the number of rounds over the group first (all-reduce the maximum and pad), or issue the collective "
             "once after the loop";
    case Divergence::Kind::kOrder:
      return "Iterate in an order that all ranks share: `sorted(…)`, or a list or dict filled in the same order everywhere";
    case Divergence::Kind::kException:
      return "Exchange the error over the group before anybody enters the collective, so that all ranks raise or none does";
    case Divergence::Kind::kRoot:
      return "Give the same global rank on every rank of the group, for example from the group's own list of ranks";
    case Divergence::Kind::kShape:
      return "Pad to a size that all ranks share, or exchange the sizes first and use the variant that takes uneven sizes";
    case Divergence::Kind::kGroupCreation:
      return "Create the group on every rank, also on those that will not belong to it";
    case Divergence::Kind::kOperation:
      return "Use one data type and one reduction on all ranks of the group";
  }
  return {};
}

std::string why_of(const Divergence& found, const mesh::MeshAnalysis& mesh) {
  std::string why;
  if (found.outcome == "hang") {
    why = "Measured with NCCL on two GPUs: the ranks that issue it wait for the others for ever.";
  } else if (!found.outcome.empty()) {
    why = "Measured with NCCL on two GPUs: nothing raises, and ranks go on with wrong values.";
  } else {
    why = "A collective completes only when every rank of its group issues it, in the same order, with fitting tensors.";
  }
  if (!found.collective.group.span.empty()) {
    why += fmt::format(" The group spans {}, so ranks of one group can disagree.", mesh.describe(found.collective.group.span));
  }
  if (!found.proven && !found.missing_step.empty()) why += fmt::format(" Not proven: {}.", found.missing_step);
  return why;
}

Hit hit_of(const Program& program, const mesh::MeshAnalysis& mesh, std::string_view rule, const Divergence& found) {
  const program::Function& function = program.functions()[found.function];
  const python::FileFacts& facts = *program.modules()[function.module].facts;
  const std::string what = fmt::format("`{}`", found.collective.operation);
  Hit hit;
  Finding& finding = hit.finding = finding_at(program, rule, function.module, found.place->span);
  finding.category = Category::kDistributed;
  finding.certainty = found.proven ? FindingCertainty::kProven : FindingCertainty::kLikely;
  finding.severity = found.proven ? Severity::kP0 : Severity::kP1;
  // A test that hangs costs a job, not a training run.
  if (program::is_test_path(finding.path)) finding.severity = Severity::kP2;
  finding.end_line = finding.start_line;
  finding.message = message_of(found, what, mesh.describe(found.varies));
  finding.why = why_of(found, mesh);
  finding.fix = fix_of(found.kind);
  for (const mesh::Step& step : found.steps) {
    finding.evidence.push_back({program.modules()[step.module].path, step.line, step.message});
  }
  hit.key = fmt::format("{}\n{}\n{}\n{}", function.qualified_name, static_cast<int>(found.kind), found.collective.operation,
                        squeezed(facts, found.place->span));
  return hit;
}

bool stands_on_written_line(const change::Change& change, const Finding& finding) {
  if (change.touches_after(finding.path, finding.start_line)) return true;
  return std::any_of(finding.evidence.begin(), finding.evidence.end(),
                     [&](const Evidence& step) { return change.touches_after(step.path, step.line); });
}

}  // namespace

std::vector<Hit> divergence_hits(const Program& program, const mesh::MeshAnalysis& mesh, std::string_view rule,
                                 bool (*wanted)(Divergence::Kind)) {
  std::vector<Hit> hits;
  for (const Divergence& found : mesh.divergences()) {
    if (wanted(found.kind)) hits.push_back(hit_of(program, mesh, rule, found));
  }
  return hits;
}

std::vector<Finding> reported(const RuleContext& context, std::vector<Hit> after, const std::vector<Hit>& before) {
  std::vector<Finding> findings;
  if (context.change == nullptr) {
    for (Hit& hit : after) {
      if (is_wanted(context, hit.finding.path)) findings.push_back(std::move(hit.finding));
    }
    return findings;
  }
  findings = introduced(std::move(after), before);
  std::erase_if(findings, [&](const Finding& finding) { return !stands_on_written_line(*context.change, finding); });
  return findings;
}

}  // namespace lockstep::rules
