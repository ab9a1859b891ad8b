// async-handle-not-waited: an asynchronous collective or send whose handle nobody waits for, or whose buffer is touched
// before the wait.
#include <fmt/format.h>

#include "program/queries.h"
#include "rules/mesh_findings.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

constexpr std::string_view kRule = "async-handle-not-waited";

std::string message_of(const mesh::UnwaitedHandle& found) {
  const std::string buffer = found.buffer.empty() ? std::string("its buffer") : fmt::format("`{}`", found.buffer);
  if (found.touched_at != nullptr) {
    return fmt::format("{} is used before anybody waits for the asynchronous `{}` on it", buffer, found.collective.operation);
  }
  if (found.handle_dropped) return fmt::format("The handle of the asynchronous `{}` is dropped, so nobody can wait for it", found.collective.operation);
  return fmt::format("Nobody waits for the handle of the asynchronous `{}`", found.collective.operation);
}

Hit hit_of(const program::Program& program, const mesh::UnwaitedHandle& found) {
  const program::Function& function = program.functions()[found.function];
  const python::FileFacts& facts = *program.modules()[function.module].facts;
  Hit hit;
  Finding& finding = hit.finding = finding_at(program, kRule, function.module, found.collective.call->span);
  finding.category = Category::kDistributed;
  finding.certainty = found.touched_at != nullptr ? FindingCertainty::kProven : FindingCertainty::kLikely;
  finding.severity = found.touched_at != nullptr ? Severity::kP0 : Severity::kP1;
  if (program::is_test_path(finding.path)) finding.severity = Severity::kP2;
  finding.message = message_of(found);
  finding.why = "Measured with NCCL on two GPUs: the collective runs on a stream of its own, so code that goes on reads or "
                "overwrites the buffer while it is in flight; nothing raises, and the values are wrong.";
  finding.fix = found.handle_dropped ? "Keep the handle and call its `wait()` before the buffer is read, written or freed"
                                     : "Call `wait()` on the handle before the buffer is read, written or freed";
  finding.evidence.push_back(evidence_at(program, function.module, found.collective.call->span,
                                         fmt::format("`{}` starts here and returns at once", found.collective.operation)));
  if (found.touched_at != nullptr) {
    finding.evidence.push_back(evidence_at(program, function.module, found.touched_at->span, "the buffer is used here, without a wait before"));
  }
  hit.key = fmt::format("{}\n{}", function.qualified_name, squeezed(facts, found.collective.call->span));
  return hit;
}

std::vector<Hit> hits_of(const program::Program& program, const mesh::MeshAnalysis& mesh) {
  std::vector<Hit> hits;
  for (const mesh::UnwaitedHandle& found : mesh.unwaited()) hits.push_back(hit_of(program, found));
  return hits;
}

}  // namespace

void run_async_handle_not_waited(const RuleContext& context, std::vector<Finding>& findings) {
  std::vector<Hit> before;
  if (context.before != nullptr && context.mesh_before != nullptr) before = hits_of(*context.before, *context.mesh_before);
  for (Finding& finding : reported(context, hits_of(context.program, context.mesh), before)) findings.push_back(std::move(finding));
}

}  // namespace lockstep::rules
