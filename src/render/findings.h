// A report -> bytes for machines: Lockstep's own JSON, SARIF 2.1.0, reviewdog's rdjson, GitLab's code quality report
// and the annotations of GitHub Actions. Leaves out the request body of a GitHub review (github_review.h). Lines and
// columns become 1-based here. All text that comes from the repository is made valid UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace lockstep::render {

/// What a report is about, for the machine formats.
struct ReportSubject {
  std::string version;      ///< Of Lockstep.
  std::string before_name;  ///< Empty for check.
  std::string after_name;
  std::string before_commit;  ///< Empty where that side is no commit.
  std::string after_commit;
  std::string title;
};

/// `{"lockstep": …, "change": {…}, "findings": […], "coverage": {…}}` (docs/formats.md), two-space indented.
std::string render_json(const report::Report& report, const ReportSubject& subject);
/// SARIF 2.1.0 with rules, fingerprints, replacements, and the evidence as a code flow; at most as much as GitHub takes
/// (https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning).
std::string render_sarif(const report::Report& report, const ReportSubject& subject);
/// reviewdog's rdjson (Diagnostic Format), with suggestions.
std::string render_rdjson(const report::Report& report);
/// GitLab's code quality report (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format).
std::string render_gitlab(const report::Report& report);
/// Workflow commands of GitHub Actions, one line an annotation: `::error file=…,line=…::…`; the ten worst of each
/// level, which is what GitHub shows of a step. Findings of the old side have no place in it.
std::string render_annotations(const report::Report& report);

}  // namespace lockstep::render
