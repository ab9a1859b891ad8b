#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/hash.h"
#include "base/strings.h"
#include "report/alike_findings.h"
#include "report/suppressions.h"

namespace lockstep::report {

namespace {

bool in_paths(std::string_view path, std::span<const std::string> wanted) {
  if (wanted.empty()) return true;
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& prefix) {
    if (prefix.empty() || prefix == ".") return true;
    if (path == prefix) return true;
    return path.size() > prefix.size() && path.starts_with(prefix) &&
           (prefix.back() == '/' || path[prefix.size()] == '/');
  });
}

bool is_excluded(std::string_view path, const rules::Settings& settings) {
  return std::any_of(settings.excluded_paths.begin(), settings.excluded_paths.end(),
                     [&](const std::string& glob) { return glob_match(glob, path); });
}

std::string line_text(const SourceAccess& sources, const rules::Finding& finding) {
  const program::Program* program = finding.side == rules::Side::kAfter ? sources.after : sources.before;
  if (program == nullptr) return {};
  const program::ModuleId module = program->find_path(finding.path);
  if (!module.valid()) return {};
  const std::string_view line = program->modules()[module].facts->source().line(finding.start_line);
  std::string squeezed;
  for (const char c : line) {
    if (c != ' ' && c != '\t') squeezed += c;
  }
  return squeezed;
}

// Drops what the user switched off or did not ask for, and applies severities from the configuration.
void apply_settings(std::vector<rules::Finding>& findings, const rules::Settings& settings,
                    std::span<const std::string> paths) {
  std::erase_if(findings, [&](const rules::Finding& finding) {
    const auto& disabled = settings.disabled_rules;
    return std::find(disabled.begin(), disabled.end(), finding.rule) != disabled.end() ||
           !in_paths(finding.path, paths) || is_excluded(finding.path, settings);
  });
  for (rules::Finding& finding : findings) {
    const auto severity = settings.severities.find(std::string(finding.rule));
    if (severity != settings.severities.end()) finding.severity = severity->second;
  }
}

auto rank(const rules::Finding& finding) {
  return std::tie(finding.severity, finding.certainty, finding.category, finding.path, finding.start_line, finding.rule,
                  finding.message);
}

// The same rule saying the same thing of the same symbol and lines twice is one finding.
void drop_repetitions(std::vector<rules::Finding>& findings) {
  std::set<std::tuple<std::string_view, std::string, std::uint32_t, std::uint32_t, std::string, rules::Side>> seen;
  std::erase_if(findings, [&](const rules::Finding& f) {
    return !seen.insert({f.rule, f.path, f.start_line, f.end_line, f.message, f.side}).second;
  });
}

bool is_in_diff(const rules::Finding& finding, const change::Change* change) {
  if (change == nullptr) return false;
  for (const change::FileSummary& file : change->files) {
    if (finding.side == rules::Side::kAfter) {
      if (file.file->new_path == finding.path) return file.file->lines.in_hunk(finding.start_line);
    } else if (file.file->old_path == finding.path) {
      return file.file->lines.in_hunk_before(finding.start_line);
    }
  }
  return false;
}

/// The first step of the evidence that the change writes.
std::optional<rules::Evidence> anchor_of(const rules::Finding& finding, const change::Change* change) {
  for (const rules::Evidence& step : finding.evidence) {
    if (change != nullptr && change->touches_after(step.path, step.line)) return step;
  }
  return std::nullopt;
}

}  // namespace

Report make_report(std::vector<rules::Finding> findings, const SourceAccess& sources, const change::Change* change,
                   const rules::Settings& settings, const ReportOptions& options, Coverage coverage) {
  Report report;
  report.coverage = std::move(coverage);
  drop_repetitions(findings);
  // In a review only the findings of the change are known, so an allow comment elsewhere cannot be called needless.
  report.suppressed = apply_allowances(*sources.after, /*report_needless=*/change == nullptr, findings);
  apply_settings(findings, settings, options.paths);
  if (change != nullptr) {
    // Complaints about allow comments belong to the review only on lines that the change wrote.
    std::erase_if(findings, [&](const rules::Finding& finding) {
      return finding.rule.starts_with("allow-") && !change->touches_after(finding.path, finding.start_line);
    });
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const rules::Finding& a, const rules::Finding& b) { return rank(a) < rank(b); });
  join_alike(findings);
  std::map<std::string, std::size_t> occurrences;
  for (rules::Finding& finding : findings) {
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}", finding.rule, finding.path, finding.symbol, line_text(sources, finding));
    const std::size_t occurrence = occurrences[key]++;
    ReportedFinding reported;
    reported.fingerprint = hash128_hex(fmt::format("{}\n{}", key, occurrence));
    if (std::find(options.baseline.begin(), options.baseline.end(), reported.fingerprint) != options.baseline.end()) {
      ++report.in_baseline;
      continue;
    }
    reported.in_diff = is_in_diff(finding, change);
    if (!reported.in_diff) reported.anchor = anchor_of(finding, change);
    reported.finding = std::move(finding);
    report.findings.push_back(std::move(reported));
  }
  return report;
}

bool reaches(const Report& report, rules::Severity threshold) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const ReportedFinding& reported) { return reported.finding.severity <= threshold; });
}

std::string_view severity_name(rules::Severity severity) {
  constexpr std::string_view kNames[] = {"P0", "P1", "P2", "P3"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string_view certainty_name(rules::FindingCertainty certainty) {
  constexpr std::string_view kNames[] = {"proven", "likely", "question"};
  return kNames[static_cast<std::size_t>(certainty)];
}

std::string_view category_name(rules::Category category) {
  constexpr std::string_view kNames[] = {"correctness", "distributed", "performance",     "numerics", "compatibility",
                                         "tests",       "readability", "maintainability", "docs"};
  return kNames[static_cast<std::size_t>(category)];
}

}  // namespace lockstep::report
