#include "rules/communication/mesh_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "program/queries.h"

namespace lockstep::rules {

std::string group_phrase(const mesh::Group& group) {
  if (group.kind == mesh::Group::Kind::kWorld) return "all ranks";
  return group.kind == mesh::Group::Kind::kKnown ? "the " + group.text : group.text;
}

std::string along_phrase(const mesh::MeshAnalysis& mesh, mesh::DimensionSet varies) {
  if (varies.is_all() || varies.empty()) return "from rank to rank";
  return "along " + mesh.describe(varies);
}

Finding mesh_finding(const program::Program& program, std::string_view rule, program::FunctionId function,
                     const python::Node& place, Severity severity, bool proven) {
  Finding finding = finding_at(program, rule, program.functions()[function].module, place.span);
  finding.severity = program::is_test_path(finding.path) ? std::max(severity, Severity::kP2) : severity;
  finding.certainty = proven ? FindingCertainty::kProven : FindingCertainty::kLikely;
  finding.category = Category::kDistributed;
  return finding;
}

void add_steps(const program::Program& program, const mesh::Divergence& divergence, Finding& finding) {
  for (const mesh::Step& step : divergence.steps) {
    finding.evidence.push_back({program.modules()[step.module].path, step.line, step.message});
  }
}

Hit mesh_hit(const program::Program& program, Finding finding, const mesh::CollectiveSite& collective) {
  std::string key = fmt::format("{}\n{}\n{}", finding.rule, collective.operation, collective.group.text);
  const StatementPlace place = statement_of(program, program.find_path(finding.path), finding.span);
  return {std::move(key), std::move(finding), place};
}

namespace {

/// Whether what a question is about stood in the function of that name before, called by another way: `isfile(path)` of
/// a helper, `os.path.isfile(path)` now. Then it was as open as it is.
bool asked_the_same(const program::Program& before, const program::Program& after, const Finding& finding) {
  const program::ModuleId module = after.find_path(finding.path);
  const program::FunctionId was = before.find_function(finding.symbol);
  if (finding.certainty != FindingCertainty::kQuestion || !module.valid() || !was.valid()) return false;
  std::string_view asked = after.modules()[module].facts->source().slice(finding.span);
  const std::size_t open = asked.find('(');
  const std::size_t dot = asked.substr(0, open).rfind('.');
  if (open == std::string_view::npos || asked.back() != ')') return false;
  if (dot != std::string_view::npos) asked.remove_prefix(dot + 1);
  const program::Function& row = before.functions()[was];
  const std::string_view whole = before.module_of(was).facts->source().slice(row.node->span);
  for (std::size_t at = find_text(whole, asked); at != std::string_view::npos; at = find_text(whole, asked, at + 1)) {
    if (at > 0 && !is_name_char(whole[at - 1])) return true;
  }
  return false;
}

}  // namespace

void report_both_sides(const RuleContext& context, const CollectHits& collect, std::vector<Finding>& findings) {
  std::vector<Hit> after = collect(context.program, context.mesh);
  if (context.before == nullptr) {
    for (Hit& hit : after) {
      if (is_wanted(context, hit.finding.path)) findings.push_back(std::move(hit.finding));
    }
    return;
  }
  // What tests called before may not be known: theirs is what the change writes.
  const auto is_ours = [&](const Finding& finding) {
    return rests_on(*context.change, finding) && (!program::is_test_path(finding.path) || is_written(context, finding));
  };
  if (std::none_of(after.begin(), after.end(), [&](const Hit& hit) { return is_ours(hit.finding); })) return;
  const mesh::MeshOnDemand own(*context.before, {});
  const mesh::MeshOnDemand& before = context.mesh_before != nullptr ? *context.mesh_before : own;
  for (Finding& finding : introduced(std::move(after), collect(*context.before, before.get()))) {
    if (is_ours(finding) && !asked_the_same(*context.before, context.program, finding))
      findings.push_back(std::move(finding));
  }
}

}  // namespace lockstep::rules
