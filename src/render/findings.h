// A report -> bytes for machines: Lockstep's own JSON, SARIF 2.1.0, reviewdog's rdjson, and the request body of a
// GitHub review. Lines and columns become 1-based here. All text that comes from the repository is made valid UTF-8.
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
/// SARIF 2.1.0 with rules, fingerprints and the evidence as a code flow.
std::string render_sarif(const report::Report& report, const ReportSubject& subject);
/// reviewdog's rdjson (Diagnostic Format), with suggestions.
std::string render_rdjson(const report::Report& report);

}  // namespace lockstep::render
