// A report -> bytes for machines: Lockstep's own JSON, SARIF 2.1.0, reviewdog's rdjson, GitLab's code quality report
// and the annotations of GitHub Actions. Leaves out the request body of a GitHub review (github_review.h). Lines and
// columns become 1-based here. All text that comes from the repository is made valid UTF-8.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace lockstep::render {

/// What a language model said of one finding.
struct ModelNote {
  std::string verdict;  ///< "proposed" (it is the model's own), "demoted" or "doubted" (proven: its weight stays).
  std::string reason;   ///< Why; of a proposal why it could not be refuted. May be empty.
};

/// What a language model added to a review. Its findings and demotions stand in the report already.
struct ModelPart {
  std::string name;
  std::string summary;                     ///< Markdown: its prose in the review's summary; may be empty.
  std::vector<std::string> looked_into;    ///< What it followed and found right, one sentence or two each.
  std::vector<std::string> checks;         ///< What was checked, dropped and left unchecked, one sentence each.
  std::map<std::string, ModelNote> notes;  ///< By fingerprint.
};

/// What a report is about, for the machine formats.
struct ReportSubject {
  std::string version;      ///< Of Lockstep.
  std::string before_name;  ///< Empty for check.
  std::string after_name;
  std::string before_commit;  ///< Empty where that side is no commit.
  std::string after_commit;
  std::string title;
  const ModelPart* model = nullptr;  ///< Null: no model wrote along.
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
