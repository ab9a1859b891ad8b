#include "rules/local_rule.h"

#include "program/queries.h"

namespace lockstep::rules {

using program::ModuleId;
using program::Program;

Hit hit_of(const Program& program, ModuleId module, Finding finding) {
  const StatementPlace place = statement_of(program, module, finding.span);
  return {std::string(finding.rule) + " ", std::move(finding), place};
}

Hit make_hit(const Program& program, std::string_view rule, ModuleId module, Span span, Words words) {
  Finding finding = finding_at(program, rule, module, span);
  finding.severity = words.severity;
  finding.certainty = words.certainty;
  finding.category = words.category;
  finding.message = std::move(words.message);
  finding.why = std::move(words.why);
  finding.fix = std::move(words.fix);
  return hit_of(program, module, std::move(finding));
}

void run_on_modules(const RuleContext& context, Scope scope, const ModuleScan& scan, std::vector<Finding>& findings) {
  const auto wants = [&](std::string_view path) {
    return scope == Scope::kSourcesAndTests || !program::is_test_path(path);
  };
  std::vector<Hit> hits;
  if (context.change == nullptr || context.before == nullptr) {
    for (std::size_t i = 0; i < context.program.modules().size(); ++i) {
      const program::Module& module = context.program.modules()[ModuleId(i)];
      if (is_wanted(context, module.path) && wants(module.path)) scan(context.program, ModuleId(i), hits);
    }
    for (Hit& hit : hits) findings.push_back(std::move(hit.finding));
    return;
  }
  std::vector<Hit> before;
  for (const change::FileSummary& file : context.change->files) {
    const ModuleId now = context.program.find_path(file.file->new_path);
    if (now.valid() && wants(file.file->new_path)) scan(context.program, now, hits);
  }
  if (hits.empty()) return;
  for (const change::FileSummary& file : context.change->files) {
    const ModuleId then = context.before->find_path(file.file->old_path);
    if (then.valid()) scan(*context.before, then, before);
  }
  for (Finding& finding : introduced(std::move(hits), before)) findings.push_back(std::move(finding));
}

void run_on_changed_lines(const RuleContext& context, Scope scope, const ModuleScan& scan,
                          std::vector<Finding>& findings) {
  if (context.change == nullptr || context.before == nullptr) return;
  std::vector<Finding> found;
  run_on_modules(context, scope, scan, found);
  for (Finding& finding : found) {
    if (context.change->touches_after(finding.path, finding.start_line)) findings.push_back(std::move(finding));
  }
}

}  // namespace lockstep::rules
