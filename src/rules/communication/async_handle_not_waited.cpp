// async-handle-not-waited: an asynchronous collective whose buffer is used before the wait, or that nobody waits for.

#include <fmt/format.h>

#include "rules/communication/mesh_findings.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using mesh::UnwaitedHandle;

constexpr std::string_view kRule = "async-handle-not-waited";

std::string message_of(const UnwaitedHandle& row) {
  const std::string_view op = row.collective.operation;
  if (row.touched_at != nullptr) {
    return fmt::format("`{}` is used while the asynchronous `{}` that was given it may still run", row.buffer, op);
  }
  if (row.handle_dropped)
    return fmt::format("Nobody keeps the handle of this asynchronous `{}`, so nobody can wait for it", op);
  return fmt::format("Nobody waits for this asynchronous `{}`", op);
}

std::vector<Hit> collect(const program::Program& program, const mesh::MeshAnalysis& mesh) {
  std::vector<Hit> hits;
  for (const UnwaitedHandle& row : mesh.unwaited()) {
    const bool touched = row.touched_at != nullptr;
    Finding finding = mesh_finding(program, kRule, row.function, *row.collective.call,
                                   touched ? Severity::kP0 : Severity::kP1, touched);
    finding.message = message_of(row);
    finding.why =
        "The call returns at once and the transfer runs on a stream of its own. Measured on H200 GPUs: a buffer that "
        "is read "
        "or overwritten before the wait holds wrong values on every rank, and nothing raises.";
    finding.fix =
        touched ? "Call `wait()` on the handle before the buffer is used again."
                : "Keep the handle and call `wait()` on it before the buffer is used, or leave out `async_op=True`.";
    const program::ModuleId module = program.functions()[row.function].module;
    finding.evidence.push_back(evidence_at(program, module, row.collective.call->span,
                                           fmt::format("`{}` starts here", row.collective.operation)));
    if (touched)
      finding.evidence.push_back(
          evidence_at(program, module, row.touched_at->span, fmt::format("`{}` is used here", row.buffer)));
    hits.push_back(mesh_hit(program, std::move(finding), row.collective));
  }
  return hits;
}

}  // namespace

void run_async_handle_not_waited(const RuleContext& context, std::vector<Finding>& findings) {
  report_both_sides(context, collect, findings);
}

}  // namespace lockstep::rules
