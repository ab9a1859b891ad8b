// `# lockstep: allow(rule-id) reason` comments: which findings they silence, and which of them are themselves wrong (no
// reason given, nothing to allow, unknown rule).
#pragma once

#include <vector>

#include "program/program.h"
#include "rules/finding.h"

namespace lockstep::report {

/// One allow comment.
struct Allowance {
  program::ModuleId module;
  std::uint32_t line = 0;  ///< Line of the comment, from 0.
  bool own_line = false;   ///< Alone on its line: it speaks of the next line with code.
  std::string rule;
  std::string reason;
  Span span;
};

/// All allow comments of one module, in order.
std::vector<Allowance> allowances_of(const program::Program& program, program::ModuleId module);

/// Removes from `findings` what a comment allows and returns how many were removed. Appends findings of the rules
/// `allow-without-reason` (a comment without a reason) and `allow-without-need` (nothing to allow in a file for which
/// findings were computed; only when `report_needless`).
std::size_t apply_allowances(const program::Program& program, bool report_needless,
                             std::vector<rules::Finding>& findings);

}  // namespace lockstep::report
