// Raw findings -> the report: suppressions honoured, severities settled, duplicates told once, ranked, fingerprinted.
// Everything that a reader or a machine gets to see of findings passes through here; formats are made in render/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "change/change.h"
#include "program/program.h"
#include "rules/finding.h"
#include "rules/settings.h"

namespace lockstep::report {

/// The rule of findings that a language model proposed.
inline constexpr std::string_view kModelRule = "proposed-by-model";

/// Code that a language model proposes with a finding: new code, a test for the most part, or in place of lines that a
/// forge takes no suggestion for. Nobody ran it.
struct ProposedCode {
  std::string path;
  std::uint32_t line = 0;      ///< It stands behind so many lines of the file.
  std::uint32_t replaced = 0;  ///< In place of so many lines there.
  std::string code;            ///< Lines, each with its end.
};

/// A finding as reported.
struct ReportedFinding {
  rules::Finding finding;
  bool in_diff = false;  ///< Its first line stands inside a hunk of the change (a forge takes a comment there).
  /// Of one that is not: the line of the change that it follows from, inside a hunk; a comment stands there.
  std::optional<rules::Evidence> anchor;
  std::string
      fingerprint;  ///< Stable across unrelated edits: rule, path, symbol and the text of the line, not its number.
  /// Further places with the same cause, told with this one.
  std::vector<rules::Evidence> also_at;
  bool is_brief = false;  ///< A suggestion that is worth a line, and no comment.
  std::string comment;    ///< All of it in a few sentences, for the comments that a review lists; may be empty.
  std::vector<ProposedCode> proposed;  ///< By a model.
  std::string doubt;                   ///< Why a model weighs it less than the rule did; may be empty.
};

/// What was read to produce a report, and what could not be.
struct Coverage {
  std::size_t files_read = 0;
  std::size_t lines_read = 0;
  struct Problem {
    std::string path;
    std::size_t line = 0;  ///< From 0.
    std::string message;
  };
  std::vector<Problem> problems;  ///< Sorted by path and line.
};

struct Report {
  std::vector<ReportedFinding> findings;  ///< Ranked: severity, certainty, category, path, line.
  std::size_t suppressed = 0;             ///< By allow comments.
  std::size_t in_baseline = 0;            ///< Known from the baseline file.
  Coverage coverage;
};

/// Text of a file on a side of the change, for fingerprints and allow comments; empty where there is none.
struct SourceAccess {
  const program::Program* after = nullptr;
  const program::Program* before = nullptr;  ///< May be null.
};

struct ReportOptions {
  /// Report only in these paths (files, or folders with everything below); all when empty. For check.
  std::span<const std::string> paths;
  /// Fingerprints to leave out.
  std::span<const std::string> baseline;
};

/// Settles `findings` into a report. `change` is null for check.
Report make_report(std::vector<rules::Finding> findings, const SourceAccess& sources, const change::Change* change,
                   const rules::Settings& settings, const ReportOptions& options, Coverage coverage);

/// True if any finding is at least as severe as `threshold`.
bool reaches(const Report& report, rules::Severity threshold);

std::string_view severity_name(rules::Severity severity);            ///< "P0" .. "P3"
std::string_view certainty_name(rules::FindingCertainty certainty);  ///< "proven", "likely", "question"
std::string_view category_name(rules::Category category);

}  // namespace lockstep::report
