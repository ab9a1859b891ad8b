#include <algorithm>
#include <array>

#include "rules/rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

constexpr std::array kRules = {
    Rule{"rank-divergent-collective", "A collective that only some ranks of its group issue", Category::kDistributed,
         Severity::kP0, false, run_rank_divergent_collective},
    Rule{"unordered-collective", "Collectives in an order that can differ between ranks", Category::kDistributed,
         Severity::kP0, false, run_unordered_collective},
    Rule{"async-handle-not-waited", "An asynchronous collective whose result is used, or lost, before a wait",
         Category::kDistributed, Severity::kP0, false, run_async_handle_not_waited},
    Rule{"undefined-name", "A name without a value on some path", Category::kCorrectness, Severity::kP0, false,
         run_undefined_name},
    Rule{"signature-mismatch", "A call that does not fit what it calls", Category::kCorrectness, Severity::kP0, false,
         run_signature_mismatch},
    Rule{"lost-result", "An operation whose result nobody keeps", Category::kCorrectness, Severity::kP0, false,
         run_lost_result},
    Rule{"constant-condition", "A condition with a part that is always true", Category::kCorrectness, Severity::kP1,
         false, run_constant_condition},
    Rule{"none-checked-late", "A value used before it is tested for None", Category::kCorrectness, Severity::kP1, false,
         run_none_checked_late},
    Rule{"index-tested-for-truth", "An optional index tested for truth, so that 0 counts as none",
         Category::kCorrectness, Severity::kP1, false, run_index_tested_for_truth},
    Rule{"undeclared-choice", "A comparison with a text that is no declared choice", Category::kCorrectness,
         Severity::kP1, false, run_undeclared_choice},
    Rule{"keyword-left-out", "One call of many that does not pass a keyword on", Category::kCorrectness, Severity::kP1,
         false, run_keyword_left_out},
    Rule{"host-sync-in-step", "The host waits for the GPU in code that every training step runs",
         Category::kPerformance, Severity::kP1, false, run_host_sync_in_step},
    Rule{"missing-test", "New code that no test reaches", Category::kTests, Severity::kP0, true, run_missing_test},
    Rule{"unused-argument", "A new parameter, config field or flag that nothing reads", Category::kMaintainability,
         Severity::kP1, true, run_unused_argument},
};

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
  const auto* found = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& rule) { return rule.id == id; });
  return found == kRules.end() ? nullptr : found;
}

}  // namespace lockstep::rules
