// What could go wrong, from facts: findings, changed signatures and defaults, configuration, checkpoint state,
// parallelism and precision the code touches against what its tests mention, work added to the step path, tests that
// reach what changed. What facts cannot decide is asked as a question.
#pragma once

#include <string>
#include <vector>

#include "base/remembered.h"
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

/// Those of a story that is told at several lengths: looked for once for each number of its central entities.
class RisksByLength {
 public:
  explicit RisksByLength(const DocumentInputs& inputs) : inputs_(inputs) {}
  /// `cut`: from one story, by with_central. Threads may ask at once.
  [[nodiscard]] std::vector<Risk> of(const Story& cut) const {
    return known_.of(cut.central.size(), [&] { return risks_of(inputs_, cut); });
  }

 private:
  const DocumentInputs& inputs_;
  Remembered<std::size_t, std::vector<Risk>> known_;
};

/// The questions among them, those on compatibility first; at most `most`.
std::vector<std::string> questions_of(const std::vector<Risk>& risks, std::size_t most);

}  // namespace lockstep::report
