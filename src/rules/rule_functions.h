// The entry point of every rule; only rule_list.cpp and tests use them. One rule a file: RULE_ID with underscores,
// .cpp.
#pragma once

#include <vector>

#include "rules/rule.h"

namespace lockstep::rules {

void run_rank_divergent_collective(const RuleContext& context, std::vector<Finding>& findings);
void run_unordered_collective(const RuleContext& context, std::vector<Finding>& findings);
void run_async_handle_not_waited(const RuleContext& context, std::vector<Finding>& findings);
void run_host_sync_in_step(const RuleContext& context, std::vector<Finding>& findings);
void run_undefined_name(const RuleContext& context, std::vector<Finding>& findings);
void run_signature_mismatch(const RuleContext& context, std::vector<Finding>& findings);
void run_unused_argument(const RuleContext& context, std::vector<Finding>& findings);
void run_missing_test(const RuleContext& context, std::vector<Finding>& findings);
void run_constant_condition(const RuleContext& context, std::vector<Finding>& findings);
void run_none_checked_late(const RuleContext& context, std::vector<Finding>& findings);
void run_index_tested_for_truth(const RuleContext& context, std::vector<Finding>& findings);
void run_lost_result(const RuleContext& context, std::vector<Finding>& findings);
void run_undeclared_choice(const RuleContext& context, std::vector<Finding>& findings);
void run_keyword_left_out(const RuleContext& context, std::vector<Finding>& findings);

}  // namespace lockstep::rules
