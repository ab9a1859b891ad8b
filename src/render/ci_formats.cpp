// What continuous integration shows beside the code: GitLab's code quality report, annotations of GitHub Actions.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "render/findings.h"
#include "render/text_safety.h"

namespace lockstep::render {

namespace {

using Json = nlohmann::ordered_json;
using report::ReportedFinding;

// https://docs.github.com/en/actions/reference/limits: annotations of one step and level.
constexpr std::size_t kMostAnnotations = 10;

std::string_view gitlab_severity(const rules::Finding& finding) {
  if (finding.certainty == rules::FindingCertainty::kQuestion) return "info";
  constexpr std::array<std::string_view, 4> kNames = {"blocker", "critical", "major", "minor"};
  return kNames[static_cast<std::size_t>(finding.severity)];
}

std::string_view annotation_level(rules::Severity severity) {
  if (severity <= rules::Severity::kP1) return "error";
  return severity == rules::Severity::kP2 ? "warning" : "notice";
}

// What would end the line or, in a property, the property: from `escapeData` and `escapeProperty` of GitHub's toolkit.
std::string escape_command(std::string_view text, bool is_property) {
  std::string out = replace_all(text, "%", "%25");
  out = replace_all(replace_all(out, "\r", "%0D"), "\n", "%0A");
  return is_property ? replace_all(replace_all(out, ":", "%3A"), ",", "%2C") : out;
}

std::string annotation_of(const ReportedFinding& reported) {
  const rules::Finding& finding = reported.finding;
  const auto property = [](std::string_view text) { return escape_command(visible_text(text, false), true); };
  const std::string message = fmt::format("{}.\n{}\n{}", finding.message, finding.why, finding.fix);
  return fmt::format("::{} file={},line={},endLine={},title={}::{}\n", annotation_level(finding.severity),
                     property(finding.path), finding.start_line + 1, finding.end_line + 1,
                     property(fmt::format("[{}] {}", report::severity_name(finding.severity), finding.rule)),
                     escape_command(visible_text(message, true), false));
}

}  // namespace

std::string render_gitlab(const report::Report& report) {
  Json list = Json::array();
  for (const ReportedFinding& reported : report.findings) {
    const rules::Finding& finding = reported.finding;
    if (finding.side != rules::Side::kAfter) continue;
    list.push_back(
        {{"description", fmt::format("[{}] {}. {} {}", report::severity_name(finding.severity), finding.message,
                                     finding.why, finding.fix)},
         {"check_name", finding.rule},
         {"fingerprint", reported.fingerprint},
         {"severity", gitlab_severity(finding)},
         {"location",
          {{"path", finding.path}, {"lines", {{"begin", finding.start_line + 1}, {"end", finding.end_line + 1}}}}}});
  }
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string render_annotations(const report::Report& report) {
  std::string text;
  std::array<std::size_t, 3> shown = {};
  for (const ReportedFinding& reported : report.findings) {
    if (reported.finding.side != rules::Side::kAfter) continue;
    const std::string_view level = annotation_level(reported.finding.severity);
    std::size_t& count = shown[level == "error" ? 0 : level == "warning" ? 1 : 2];
    if (count++ < kMostAnnotations) text += annotation_of(reported);
  }
  return text;
}

}  // namespace lockstep::render
