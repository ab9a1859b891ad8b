#include "report/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "rules/nearest_rules.h"
#include "rules/rule.h"

namespace lockstep::report {

namespace {

constexpr std::string_view kMarker = "lockstep: allow(";
constexpr std::string_view kWithoutReason = "allow-without-reason";
constexpr std::string_view kWithoutNeed = "allow-without-need";

bool stands_alone(const SourceText& source, std::uint32_t comment_begin) {
  const std::uint32_t line = source.line_of(comment_begin);
  return trim(source.slice({source.line_start(line), comment_begin})).empty();
}

// Adds one Allowance per rule named in the comment ("allow(a, b) reason").
void parse_comment(const program::Module& module, program::ModuleId id, Span span, std::vector<Allowance>& found) {
  const SourceText& source = module.facts->source();
  const std::string_view text = source.slice(span);
  const std::size_t marker = text.find(kMarker);
  if (marker == std::string_view::npos) return;
  const std::size_t open = marker + kMarker.size();
  const std::size_t close = text.find(')', open);
  if (close == std::string_view::npos) return;
  const std::string reason(trim(text.substr(close + 1)));
  for (const std::string_view rule : split(text.substr(open, close - open), ',')) {
    found.push_back(
        {id, source.line_of(span.begin), stands_alone(source, span.begin), std::string(trim(rule)), reason, span});
  }
}

// First line at or after `line` that holds something other than a comment or white space.
std::uint32_t next_code_line(const SourceText& source, std::uint32_t line) {
  for (std::uint32_t at = line + 1; at < source.line_count(); ++at) {
    const std::string_view text = trim(source.line(at));
    if (!text.empty() && text.front() != '#') return at;
  }
  return line;
}

rules::Finding complaint(std::string_view rule, const program::Module& module, const Allowance& allowance,
                         std::string message, std::string fix) {
  rules::Finding finding;
  finding.rule = rule;
  finding.severity = rules::Severity::kP3;
  finding.certainty = rules::FindingCertainty::kProven;
  finding.category = rules::Category::kMaintainability;
  finding.path = module.path;
  finding.span = allowance.span;
  finding.start_line = finding.end_line = allowance.line;
  finding.message = std::move(message);
  finding.why = "An exception that nobody explains, or that nothing needs any more, hides the next real finding.";
  finding.fix = std::move(fix);
  return finding;
}

/// What to do about a name that is no rule's.
std::string correction(std::string_view rule) {
  const std::vector<std::string> near = rules::nearest_rules(rule);
  return near.empty()
             ? std::string("`lockstep rules` lists the rules; correct the name or remove the comment.")
             : fmt::format("Write `{}` where that is meant, or remove the comment.", fmt::join(near, "` or `"));
}

}  // namespace

std::vector<Allowance> allowances_of(const program::Program& program, program::ModuleId id) {
  std::vector<Allowance> found;
  const program::Module& module = program.modules()[id];
  for (const python::Comment& comment : module.facts->file->comments) parse_comment(module, id, comment.span, found);
  return found;
}

std::size_t apply_allowances(const program::Program& program, bool report_needless,
                             std::vector<rules::Finding>& findings) {
  // Only files with findings or, when needless comments are reported, all files are looked at.
  std::set<std::string> paths;
  for (const rules::Finding& finding : findings) {
    if (finding.side == rules::Side::kAfter) paths.insert(finding.path);
  }
  std::vector<bool> silenced(findings.size(), false);
  std::vector<rules::Finding> complaints;
  for (std::size_t index = 0; index < program.modules().size(); ++index) {
    const program::ModuleId id(index);
    const program::Module& module = program.modules()[id];
    const bool has_findings = paths.contains(module.path);
    if (!has_findings && !report_needless) continue;
    for (const Allowance& allowance : allowances_of(program, id)) {
      const SourceText& source = module.facts->source();
      const std::uint32_t line = allowance.own_line ? next_code_line(source, allowance.line) : allowance.line;
      bool used = false;
      for (std::size_t i = 0; has_findings && i < findings.size(); ++i) {
        const rules::Finding& finding = findings[i];
        if (finding.path != module.path || finding.rule != allowance.rule || finding.side != rules::Side::kAfter)
          continue;
        if (line < finding.start_line || line > finding.end_line) continue;
        used = true;
        if (!allowance.reason.empty()) silenced[i] = true;
      }
      if (allowance.reason.empty()) {
        complaints.push_back(complaint(kWithoutReason, module, allowance,
                                       fmt::format("`allow({})` gives no reason, so it allows nothing", allowance.rule),
                                       "Say after the closing parenthesis why this is right here."));
      } else if (!used && report_needless) {
        const bool known = rules::find_rule(allowance.rule) != nullptr;
        complaints.push_back(complaint(kWithoutNeed, module, allowance,
                                       known ? fmt::format("nothing here needs `allow({})`", allowance.rule)
                                             : fmt::format("`allow({})` names no rule of Lockstep", allowance.rule),
                                       known ? std::string("Remove the comment.") : correction(allowance.rule)));
      }
    }
  }
  std::size_t count = 0;
  std::vector<rules::Finding> kept;
  kept.reserve(findings.size() + complaints.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (silenced[i]) {
      ++count;
    } else {
      kept.push_back(std::move(findings[i]));
    }
  }
  for (rules::Finding& finding : complaints) kept.push_back(std::move(finding));
  findings = std::move(kept);
  return count;
}

}  // namespace lockstep::report
