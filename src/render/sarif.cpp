// SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html), as GitHub's code scanning reads it.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "render/findings.h"
#include "render/proposed_json.h"
#include "rules/pages.h"
#include "rules/rule.h"

namespace lockstep::render {

namespace {

using Json = nlohmann::ordered_json;
using report::ReportedFinding;

// GitHub refuses files with more results a run, and code flows with more steps. Findings come worst first.
constexpr std::size_t kMostResults = 25'000;
constexpr std::size_t kMostSteps = 10'000;

std::string_view level_of(rules::Severity severity) {
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

Json artifact_of(std::string_view path) {
  // RFC 3986: what is not unreserved or '/' is percent-encoded.
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                          c == '.' || c == '_' || c == '~' || c == '/';
    if (is_plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return {{"uri", uri}, {"uriBaseId", "%SRCROOT%"}};
}

Json location_of(std::string_view path, std::uint32_t first, std::uint32_t last, std::string_view message) {
  Json location = {
      {"physicalLocation",
       {{"artifactLocation", artifact_of(path)}, {"region", {{"startLine", first + 1}, {"endLine", last + 1}}}}}};
  if (!message.empty()) location["message"] = {{"text", message}};
  return location;
}

// Whole lines are replaced: from the start of the first to the start of the line after the last.
Json fix_of(const rules::Finding& finding) {
  const Json region = {
      {"startLine", finding.start_line + 1}, {"startColumn", 1}, {"endLine", finding.end_line + 2}, {"endColumn", 1}};
  const Json replacement = {{"deletedRegion", region}, {"insertedContent", {{"text", *finding.suggestion}}}};
  return {
      {"description", {{"text", finding.fix}}},
      {"artifactChanges",
       Json::array({{{"artifactLocation", artifact_of(finding.path)}, {"replacements", Json::array({replacement})}}})}};
}

Json code_flow_of(const rules::Finding& finding) {
  Json steps = Json::array();
  for (const rules::Evidence& step : finding.evidence) {
    if (steps.size() == kMostSteps) break;
    steps.push_back({{"location", location_of(step.path, step.line, step.line, step.message)}});
  }
  return {{"threadFlows", Json::array({{{"locations", std::move(steps)}}})}};
}

Json result_of(const ReportedFinding& reported, const std::map<std::string_view, std::size_t>& rule_indices,
               const ModelPart* model) {
  const rules::Finding& finding = reported.finding;
  Json location = location_of(finding.path, finding.start_line, finding.end_line, {});
  if (!finding.symbol.empty()) location["logicalLocations"] = Json::array({{{"fullyQualifiedName", finding.symbol}}});
  Json result = {{"ruleId", finding.rule}};
  if (const auto index = rule_indices.find(finding.rule); index != rule_indices.end())
    result["ruleIndex"] = index->second;
  result["level"] = level_of(finding.severity);
  result["message"] = {{"text", fmt::format("{}.\n\n{}\n\n{}", finding.message, finding.why, finding.fix)}};
  result["locations"] = Json::array({std::move(location)});
  // The second name is GitHub's own: with it, results keep their identity without its action's hashing.
  result["partialFingerprints"] = {{"lockstep/v1", reported.fingerprint},
                                   {"primaryLocationLineHash", reported.fingerprint + ":1"}};
  if (!finding.evidence.empty()) result["codeFlows"] = Json::array({code_flow_of(finding)});
  if (finding.suggestion) result["fixes"] = Json::array({fix_of(finding)});
  result["properties"] = {{"severity", report::severity_name(finding.severity)},
                          {"certainty", report::certainty_name(finding.certainty)},
                          {"category", report::category_name(finding.category)},
                          {"in_diff", reported.in_diff}};
  if (model == nullptr) return result;
  if (!reported.proposed.empty()) result["properties"]["proposed"] = proposed_json(reported);
  if (const auto note = model->notes.find(reported.fingerprint); note != model->notes.end())
    result["properties"]["model"] = {
        {"name", model->name}, {"verdict", note->second.verdict}, {"reason", note->second.reason}};
  return result;
}

Json rule_list(std::map<std::string_view, std::size_t>& indices) {
  Json list = Json::array();
  for (const rules::Rule& rule : rules::all_rules()) {
    indices[rule.id] = list.size();
    const std::string_view page = rules::rule_page(rule.id);
    Json json = {
        {"id", rule.id},
        {"name", rule.id},
        {"shortDescription", {{"text", rule.summary}}},
        {"fullDescription", {{"text", rule.summary}}},
        {"defaultConfiguration", {{"level", level_of(rule.highest)}}},
        {"properties",
         {{"category", report::category_name(rule.category)}, {"tags", {report::category_name(rule.category)}}}}};
    if (!page.empty()) json["help"] = {{"text", page}, {"markdown", page}};
    list.push_back(std::move(json));
  }
  return list;
}

// What a model proposes comes from no rule of ours; a result must name one all the same.
void add_model_rule(Json& list, std::map<std::string_view, std::size_t>& indices) {
  constexpr std::string_view kSummary =
      "A language model proposed it, its claims were checked, and a second reading could not refute it";
  indices[report::kModelRule] = list.size();
  list.push_back({{"id", report::kModelRule},
                  {"name", report::kModelRule},
                  {"shortDescription", {{"text", kSummary}}},
                  {"fullDescription", {{"text", kSummary}}},
                  {"defaultConfiguration", {{"level", "warning"}}},
                  {"properties", {{"tags", {"language-model"}}}}});
}

}  // namespace

std::string render_sarif(const report::Report& report, const ReportSubject& subject) {
  std::map<std::string_view, std::size_t> indices;
  Json list = rule_list(indices);
  if (subject.model != nullptr) add_model_rule(list, indices);
  Json results = Json::array();
  std::size_t left_out = 0;
  for (const ReportedFinding& reported : report.findings) {
    // SARIF speaks of the files as they are now; what stands only on the old side has no place in them.
    if (reported.finding.side != rules::Side::kAfter) continue;
    if (results.size() < kMostResults) {
      results.push_back(result_of(reported, indices, subject.model));
    } else {
      ++left_out;
    }
  }
  Json invocation = {{"executionSuccessful", true}};
  if (left_out > 0) {
    invocation["toolExecutionNotifications"] = Json::array(
        {{{"level", "warning"},
          {"message",
           {{"text", fmt::format("{} more results were left out: GitHub takes {}", left_out, kMostResults)}}}}});
  }
  Json run = {{"tool", {{"driver", {{"name", "Lockstep"}, {"version", subject.version}, {"rules", std::move(list)}}}}},
              {"automationDetails", {{"id", "lockstep/"}}},
              {"originalUriBaseIds", {{"%SRCROOT%", {{"description", {{"text", "The root of the repository"}}}}}}},
              {"columnKind", "utf16CodeUnits"},
              {"invocations", Json::array({std::move(invocation)})},
              {"results", std::move(results)}};
  if (subject.model != nullptr)
    run["properties"] = {{"model", {{"name", subject.model->name}, {"checks", subject.model->checks}}}};
  const Json json = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                     {"version", "2.1.0"},
                     {"runs", Json::array({std::move(run)})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::render
