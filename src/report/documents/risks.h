// What could go wrong, from facts: findings, changed signatures and defaults, configuration, checkpoint state,
// parallelism and precision the code touches against what its tests mention, work added to the step path, tests that
// reach what changed. What facts cannot decide is asked as a question.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

enum class RiskKind : std::uint8_t { kCorrectness, kPerformance, kCompatibility, kEdgeCases, kTests };

struct Risk {
  RiskKind kind = RiskKind::kCorrectness;
  std::string concern;  ///< Marked text, a sentence or a question.
  std::string status;   ///< Marked text: "Tested in …", "NOT TESTED", "Needs profiling", "Open".
  bool is_finding = false;
  std::string question = {};  ///< Marked text: what only the author can answer; empty where there is nothing to ask.
  bool is_settled = false;    ///< Looked into, with nothing left to watch out for.
};

/// Sorted by kind, findings first.
std::vector<Risk> risks_of(const DocumentInputs& inputs, const Story& story);

/// The questions among them, those on compatibility first; at most `most`.
std::vector<std::string> questions_of(const std::vector<Risk>& risks, std::size_t most);

}  // namespace lockstep::report
