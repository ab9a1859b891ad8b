#include "render/findings.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "render/proposed_json.h"
#include "rules/rule.h"

namespace lockstep::render {

namespace {

using Json = nlohmann::ordered_json;
using report::ReportedFinding;

// Bytes that are not UTF-8 become U+FFFD instead of an exception.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json place_json(const rules::Evidence& evidence) {
  return {{"path", evidence.path}, {"line", evidence.line + 1}, {"message", evidence.message}};
}

Json finding_json(const ReportedFinding& reported, const ModelPart* model) {
  const rules::Finding& finding = reported.finding;
  Json evidence = Json::array();
  for (const rules::Evidence& step : finding.evidence) evidence.push_back(place_json(step));
  Json json = {{"rule", finding.rule},
               {"severity", report::severity_name(finding.severity)},
               {"certainty", report::certainty_name(finding.certainty)},
               {"category", report::category_name(finding.category)},
               {"path", finding.path},
               {"start_line", finding.start_line + 1},
               {"end_line", finding.end_line + 1},
               {"symbol", finding.symbol},
               {"message", finding.message},
               {"why", finding.why},
               {"fix", finding.fix},
               {"suggestion", finding.suggestion ? Json(*finding.suggestion) : Json(nullptr)},
               {"evidence", std::move(evidence)},
               {"side", finding.side == rules::Side::kAfter ? "RIGHT" : "LEFT"},
               {"in_diff", reported.in_diff},
               {"anchor", reported.anchor ? Json({{"path", reported.anchor->path}, {"line", reported.anchor->line + 1}})
                                          : Json(nullptr)},
               {"fingerprint", reported.fingerprint}};
  if (model != nullptr) {
    json["proposed"] = proposed_json(reported);
    const auto note = model->notes.find(reported.fingerprint);
    json["model"] =
        note == model->notes.end()
            ? Json(nullptr)
            : Json({{"name", model->name}, {"verdict", note->second.verdict}, {"reason", note->second.reason}});
  }
  return json;
}

Json coverage_json(const report::Coverage& coverage) {
  Json problems = Json::array();
  for (const auto& problem : coverage.problems) {
    problems.push_back({{"path", problem.path}, {"line", problem.line + 1}, {"message", problem.message}});
  }
  return {{"files", coverage.files_read}, {"lines", coverage.lines_read}, {"problems", std::move(problems)}};
}

}  // namespace

std::string render_json(const report::Report& report, const ReportSubject& subject) {
  Json findings = Json::array();
  for (const ReportedFinding& reported : report.findings) findings.push_back(finding_json(reported, subject.model));
  Json json = {{"lockstep", subject.version},
               {"change",
                {{"title", subject.title},
                 {"before", subject.before_name},
                 {"before_commit", subject.before_commit},
                 {"after", subject.after_name},
                 {"after_commit", subject.after_commit}}},
               {"findings", std::move(findings)},
               {"suppressed", report.suppressed},
               {"in_baseline", report.in_baseline},
               {"coverage", coverage_json(report.coverage)}};
  if (subject.model != nullptr)
    json["model"] = {{"name", subject.model->name},
                     {"summary", subject.model->summary},
                     {"looked_into", subject.model->looked_into},
                     {"checks", subject.model->checks}};
  return dump(json);
}

std::string render_rdjson(const report::Report& report) {
  Json diagnostics = Json::array();
  for (const ReportedFinding& reported : report.findings) {
    const rules::Finding& finding = reported.finding;
    if (finding.side != rules::Side::kAfter) continue;
    const Json range = {{"start", {{"line", finding.start_line + 1}}}, {"end", {{"line", finding.end_line + 1}}}};
    Json diagnostic = {{"message", fmt::format("[{}] {}. {} {}", report::severity_name(finding.severity),
                                               finding.message, finding.why, finding.fix)},
                       {"location", {{"path", finding.path}, {"range", range}}},
                       {"severity", finding.severity <= rules::Severity::kP1   ? "ERROR"
                                    : finding.severity == rules::Severity::kP2 ? "WARNING"
                                                                               : "INFO"},
                       {"code", {{"value", finding.rule}}}};
    if (finding.suggestion) {
      diagnostic["suggestions"] = Json::array({{{"range", range}, {"text", *finding.suggestion}}});
    }
    diagnostics.push_back(std::move(diagnostic));
  }
  return dump({{"source", {{"name", "lockstep"}}}, {"severity", "WARNING"}, {"diagnostics", std::move(diagnostics)}});
}

}  // namespace lockstep::render
