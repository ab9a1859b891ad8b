// The entry point of every rule; only rule_list.cpp and tests use them. One rule a file, in the folder of its subject:
// RULE_ID with underscores, .cpp.
#pragma once

#include <vector>

#include "rules/rule.h"

namespace lockstep::rules {

void run_received_shape_differs(const RuleContext& context, std::vector<Finding>& findings);
void run_rank_divergent_collective(const RuleContext& context, std::vector<Finding>& findings);
void run_unordered_collective(const RuleContext& context, std::vector<Finding>& findings);
void run_async_handle_not_waited(const RuleContext& context, std::vector<Finding>& findings);
void run_host_sync_in_step(const RuleContext& context, std::vector<Finding>& findings);
void run_undefined_name(const RuleContext& context, std::vector<Finding>& findings);
void run_signature_mismatch(const RuleContext& context, std::vector<Finding>& findings);
void run_written_rule(const RuleContext& context, std::vector<Finding>& findings);
void run_unused_argument(const RuleContext& context, std::vector<Finding>& findings);
void run_missing_test(const RuleContext& context, std::vector<Finding>& findings);
void run_constant_condition(const RuleContext& context, std::vector<Finding>& findings);
void run_none_checked_late(const RuleContext& context, std::vector<Finding>& findings);
void run_none_dereferenced(const RuleContext& context, std::vector<Finding>& findings);
void run_index_tested_for_truth(const RuleContext& context, std::vector<Finding>& findings);
void run_lost_result(const RuleContext& context, std::vector<Finding>& findings);
void run_undeclared_choice(const RuleContext& context, std::vector<Finding>& findings);
void run_keyword_left_out(const RuleContext& context, std::vector<Finding>& findings);
void run_mixed_groups(const RuleContext& context, std::vector<Finding>& findings);
void run_stream_not_ordered(const RuleContext& context, std::vector<Finding>& findings);
void run_narrow_offset(const RuleContext& context, std::vector<Finding>& findings);
void run_unmasked_access(const RuleContext& context, std::vector<Finding>& findings);
void run_softmax_all_masked(const RuleContext& context, std::vector<Finding>& findings);
void run_topk_beyond_length(const RuleContext& context, std::vector<Finding>& findings);
void run_buffer_not_contiguous(const RuleContext& context, std::vector<Finding>& findings);
void run_collective_outside_autograd(const RuleContext& context, std::vector<Finding>& findings);
void run_send_before_receive(const RuleContext& context, std::vector<Finding>& findings);
void run_checkpoint_key_renamed(const RuleContext& context, std::vector<Finding>& findings);
void run_checkpoint_key_required(const RuleContext& context, std::vector<Finding>& findings);
void run_checkpoint_shape_varies(const RuleContext& context, std::vector<Finding>& findings);
void run_context_manager_not_created(const RuleContext& context, std::vector<Finding>& findings);
void run_default_not_assigned(const RuleContext& context, std::vector<Finding>& findings);
void run_forward_called_directly(const RuleContext& context, std::vector<Finding>& findings);
void run_graph_kept_alive(const RuleContext& context, std::vector<Finding>& findings);
void run_log_arguments_lost(const RuleContext& context, std::vector<Finding>& findings);
void run_loop_overwrites_parameter(const RuleContext& context, std::vector<Finding>& findings);
void run_mixed_and_or(const RuleContext& context, std::vector<Finding>& findings);
void run_optimizer_step_in_setup(const RuleContext& context, std::vector<Finding>& findings);
void run_same_value_for_opposites(const RuleContext& context, std::vector<Finding>& findings);
void run_setting_overwritten(const RuleContext& context, std::vector<Finding>& findings);
void run_sibling_left_out(const RuleContext& context, std::vector<Finding>& findings);
void run_submodule_left_out(const RuleContext& context, std::vector<Finding>& findings);
void run_tensor_tested_for_truth(const RuleContext& context, std::vector<Finding>& findings);
void run_cannot_work(const RuleContext& context, std::vector<Finding>& findings);
void run_coroutine_not_awaited(const RuleContext& context, std::vector<Finding>& findings);
void run_companion_left_out(const RuleContext& context, std::vector<Finding>& findings);
void run_attribute_not_copied(const RuleContext& context, std::vector<Finding>& findings);
void run_twin_lacks_call(const RuleContext& context, std::vector<Finding>& findings);
void run_held_object_replaced(const RuleContext& context, std::vector<Finding>& findings);
void run_counter_not_reset(const RuleContext& context, std::vector<Finding>& findings);
void run_collected_not_read(const RuleContext& context, std::vector<Finding>& findings);
void run_blocking_call_in_coroutine(const RuleContext& context, std::vector<Finding>& findings);
void run_strip_of_prefix(const RuleContext& context, std::vector<Finding>& findings);
void run_folder_made_by_all(const RuleContext& context, std::vector<Finding>& findings);
void run_collective_skipped_when_empty(const RuleContext& context, std::vector<Finding>& findings);
void run_unmarked_parameter(const RuleContext& context, std::vector<Finding>& findings);
void run_arguments_swapped(const RuleContext& context, std::vector<Finding>& findings);
void run_bound_not_clamped(const RuleContext& context, std::vector<Finding>& findings);
void run_defaults_disagree(const RuleContext& context, std::vector<Finding>& findings);
void run_divisor_may_be_zero(const RuleContext& context, std::vector<Finding>& findings);
void run_finaliser_reads_unset(const RuleContext& context, std::vector<Finding>& findings);
void run_flag_without_reader(const RuleContext& context, std::vector<Finding>& findings);
void run_gradient_may_be_none(const RuleContext& context, std::vector<Finding>& findings);
void run_list_becomes_element(const RuleContext& context, std::vector<Finding>& findings);
void run_missing_attribute(const RuleContext& context, std::vector<Finding>& findings);
void run_parameter_not_forwarded(const RuleContext& context, std::vector<Finding>& findings);
void run_group_not_passed(const RuleContext& context, std::vector<Finding>& findings);
void run_option_never_passed(const RuleContext& context, std::vector<Finding>& findings);
void run_raw_parameter_used(const RuleContext& context, std::vector<Finding>& findings);
void run_returned_length(const RuleContext& context, std::vector<Finding>& findings);
void run_subset_replaces_all(const RuleContext& context, std::vector<Finding>& findings);
void run_unguarded_import(const RuleContext& context, std::vector<Finding>& findings);
void run_unknown_setting(const RuleContext& context, std::vector<Finding>& findings);
void run_group_rank_as_global(const RuleContext& context, std::vector<Finding>& findings);
void run_global_group_read(const RuleContext& context, std::vector<Finding>& findings);
void run_field_not_listed(const RuleContext& context, std::vector<Finding>& findings);
void run_default_hides_rename(const RuleContext& context, std::vector<Finding>& findings);
void run_exception_swallowed(const RuleContext& context, std::vector<Finding>& findings);
void run_keyword_swallowed(const RuleContext& context, std::vector<Finding>& findings);
void run_uneven_partition(const RuleContext& context, std::vector<Finding>& findings);
void run_shared_mutable_state(const RuleContext& context, std::vector<Finding>& findings);
void run_config_of_caller_changed(const RuleContext& context, std::vector<Finding>& findings);
void run_effect_repeated(const RuleContext& context, std::vector<Finding>& findings);
void run_docstring_disagrees(const RuleContext& context, std::vector<Finding>& findings);
void run_unreachable_code(const RuleContext& context, std::vector<Finding>& findings);
void run_leftover_debugging(const RuleContext& context, std::vector<Finding>& findings);
void run_commented_out_code(const RuleContext& context, std::vector<Finding>& findings);
void run_repeated_function(const RuleContext& context, std::vector<Finding>& findings);
void run_long_function(const RuleContext& context, std::vector<Finding>& findings);
void run_random_outside_tracker(const RuleContext& context, std::vector<Finding>& findings);
void run_loss_divided_twice(const RuleContext& context, std::vector<Finding>& findings);
void run_loss_in_low_precision(const RuleContext& context, std::vector<Finding>& findings);
void run_misplaced_attribute(const RuleContext& context, std::vector<Finding>& findings);
void run_removed_keyword_passed(const RuleContext& context, std::vector<Finding>& findings);
void run_result_kind_not_asked(const RuleContext& context, std::vector<Finding>& findings);

}  // namespace lockstep::rules
