#include "render/findings.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

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

Json finding_json(const ReportedFinding& reported) {
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
               {"fingerprint", reported.fingerprint}};
  return json;
}

Json coverage_json(const report::Coverage& coverage) {
  Json problems = Json::array();
  for (const auto& problem : coverage.problems) {
    problems.push_back({{"path", problem.path}, {"line", problem.line + 1}, {"message", problem.message}});
  }
  return {{"files", coverage.files_read}, {"lines", coverage.lines_read}, {"problems", std::move(problems)}};
}

// ---------------------------------------------------------------------------------------------------------------------
// SARIF

std::string_view sarif_level(rules::Severity severity) {
  switch (severity) {
    case rules::Severity::kP0:
    case rules::Severity::kP1:
      return "error";
    case rules::Severity::kP2:
      return "warning";
    case rules::Severity::kP3:
      return "note";
  }
  return "none";
}

Json sarif_uri(std::string_view path) {
  // RFC 3986: what is not unreserved or '/' is percent-encoded.
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~' || c == '/';
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return {{"uri", uri}, {"uriBaseId", "%SRCROOT%"}};
}

Json sarif_location(std::string_view path, std::uint32_t first, std::uint32_t last, std::string_view message) {
  Json location = {
      {"physicalLocation",
       {{"artifactLocation", sarif_uri(path)}, {"region", {{"startLine", first + 1}, {"endLine", last + 1}}}}}};
  if (!message.empty()) location["message"] = {{"text", message}};
  return location;
}

Json sarif_result(const ReportedFinding& reported, const std::map<std::string_view, std::size_t>& rule_indices) {
  const rules::Finding& finding = reported.finding;
  Json result = {{"ruleId", finding.rule},
                 {"level", sarif_level(finding.severity)},
                 {"message", {{"text", fmt::format("{}.\n\n{}\n\n{}", finding.message, finding.why, finding.fix)}}},
                 {"locations", Json::array({sarif_location(finding.path, finding.start_line, finding.end_line, {})})},
                 {"partialFingerprints", {{"lockstep/v1", reported.fingerprint}}},
                 {"properties",
                  {{"severity", report::severity_name(finding.severity)},
                   {"certainty", report::certainty_name(finding.certainty)},
                   {"category", report::category_name(finding.category)}}}};
  if (const auto index = rule_indices.find(finding.rule); index != rule_indices.end())
    result["ruleIndex"] = index->second;
  if (!finding.evidence.empty()) {
    Json steps = Json::array();
    for (const rules::Evidence& step : finding.evidence) {
      steps.push_back({{"location", sarif_location(step.path, step.line, step.line, step.message)}});
    }
    result["codeFlows"] = Json::array({{{"threadFlows", Json::array({{{"locations", std::move(steps)}}})}}});
  }
  return result;
}

Json sarif_rules(std::map<std::string_view, std::size_t>& indices) {
  Json list = Json::array();
  for (const rules::Rule& rule : rules::all_rules()) {
    indices[rule.id] = list.size();
    list.push_back({{"id", rule.id},
                    {"shortDescription", {{"text", rule.summary}}},
                    {"defaultConfiguration", {{"level", sarif_level(rule.highest)}}},
                    {"properties", {{"category", report::category_name(rule.category)}}}});
  }
  return list;
}

}  // namespace

std::string render_json(const report::Report& report, const ReportSubject& subject) {
  Json findings = Json::array();
  for (const ReportedFinding& reported : report.findings) findings.push_back(finding_json(reported));
  const Json json = {{"lockstep", subject.version},
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
  return dump(json);
}

std::string render_sarif(const report::Report& report, const ReportSubject& subject) {
  std::map<std::string_view, std::size_t> indices;
  Json rule_list = sarif_rules(indices);
  Json results = Json::array();
  for (const ReportedFinding& reported : report.findings) {
    // SARIF speaks of the files as they are now; what stands only on the old side has no place in them.
    if (reported.finding.side == rules::Side::kAfter) results.push_back(sarif_result(reported, indices));
  }
  const Json json = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array(
           {{{"tool",
              {{"driver", {{"name", "Lockstep"}, {"version", subject.version}, {"rules", std::move(rule_list)}}}}},
             {"columnKind", "utf16CodeUnits"},
             {"results", std::move(results)}}})}};
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
