#include <algorithm>
#include <array>

#include "base/strings.h"
#include "rules/rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

constexpr std::size_t kMostDistance = 8;  // of what was typed to the rule that is offered

constexpr std::array kRules = {
    Rule{"rank-divergent-collective", "A collective that only some ranks of its group issue", Category::kDistributed,
         Severity::kP0, false, run_rank_divergent_collective, true},
    Rule{"unordered-collective", "Collectives in an order that can differ between ranks", Category::kDistributed,
         Severity::kP0, false, run_unordered_collective, true},
    Rule{"async-handle-not-waited", "An asynchronous collective whose result is used, or lost, before a wait",
         Category::kDistributed, Severity::kP0, false, run_async_handle_not_waited, true},
    Rule{"undefined-name", "A name without a value on some path", Category::kCorrectness, Severity::kP0, false,
         run_undefined_name},
    Rule{"signature-mismatch", "A call that does not fit what it calls", Category::kCorrectness, Severity::kP0, false,
         run_signature_mismatch},
    Rule{"lost-result", "An operation whose result nobody keeps", Category::kCorrectness, Severity::kP0, false,
         run_lost_result},
    Rule{"cannot-work", "Code that fails whenever it runs, as its own text shows", Category::kCorrectness,
         Severity::kP0, false, run_cannot_work},
    Rule{"coroutine-not-awaited", "A coroutine that nothing awaits", Category::kCorrectness, Severity::kP1, false,
         run_coroutine_not_awaited},
    Rule{"counter-not-reset", "A bucket that is emptied while its size goes on counting", Category::kCorrectness,
         Severity::kP1, false, run_counter_not_reset},
    Rule{"folder-made-by-all", "A folder that every rank tests for and makes", Category::kDistributed, Severity::kP2,
         false, run_folder_made_by_all},
    Rule{"constant-condition", "A condition with a part that is always true", Category::kCorrectness, Severity::kP1,
         false, run_constant_condition},
    Rule{"none-checked-late", "A value used before it is tested for None", Category::kCorrectness, Severity::kP1, false,
         run_none_checked_late},
    Rule{"none-dereferenced", "A value used where it is None", Category::kCorrectness, Severity::kP0, false,
         run_none_dereferenced},
    Rule{"index-tested-for-truth", "An optional index tested for truth, so that 0 counts as none",
         Category::kCorrectness, Severity::kP1, false, run_index_tested_for_truth},
    Rule{"undeclared-choice", "A comparison with a text that is no declared choice", Category::kCorrectness,
         Severity::kP1, false, run_undeclared_choice},
    Rule{"keyword-left-out", "One call of many that does not pass a keyword on", Category::kCorrectness, Severity::kP1,
         false, run_keyword_left_out},
    Rule{"mixed-groups", "The rank of one process group with the size of another", Category::kDistributed,
         Severity::kP1, false, run_mixed_groups},
    Rule{"stream-not-ordered", "Work on a side stream that nothing orders with its readers", Category::kCorrectness,
         Severity::kP1, false, run_stream_not_ordered},
    Rule{"checkpoint-key-required", "A key that states saved before do not have", Category::kCompatibility,
         Severity::kP1, true, run_checkpoint_key_required},
    Rule{"checkpoint-key-renamed", "A module with parameters under another name", Category::kCompatibility,
         Severity::kP2, true, run_checkpoint_key_renamed},
    Rule{"checkpoint-shape-varies", "One checkpoint key with shapes of two lengths", Category::kCompatibility,
         Severity::kP1, false, run_checkpoint_shape_varies},
    Rule{"context-manager-not-created", "A context manager's class entered without a call", Category::kCorrectness,
         Severity::kP0, false, run_context_manager_not_created},
    Rule{"default-not-assigned", "A default that is given to another name", Category::kCorrectness, Severity::kP1,
         false, run_default_not_assigned},
    Rule{"forward-called-directly", "A wrapped module run past its hooks", Category::kCorrectness, Severity::kP2, false,
         run_forward_called_directly},
    Rule{"graph-kept-alive", "An attribute that takes up autograd graphs step by step", Category::kPerformance,
         Severity::kP1, false, run_graph_kept_alive},
    Rule{"log-arguments-lost", "A message whose values are not filled in", Category::kCorrectness, Severity::kP2, false,
         run_log_arguments_lost},
    Rule{"loop-overwrites-parameter", "A loop that overwrites a parameter it reads in later rounds",
         Category::kCorrectness, Severity::kP1, false, run_loop_overwrites_parameter},
    Rule{"mixed-and-or", "An `or` and an `and` without parentheses that read as one group", Category::kCorrectness,
         Severity::kP2, false, run_mixed_and_or},
    Rule{"optimizer-step-in-setup", "A real optimizer step on zero gradients", Category::kNumerics, Severity::kP1,
         false, run_optimizer_step_in_setup},
    Rule{"same-value-for-opposites", "The same value for two names that are opposites", Category::kCorrectness,
         Severity::kP2, false, run_same_value_for_opposites},
    Rule{"setting-overwritten", "A setting that `forward` overwrites for good", Category::kCorrectness, Severity::kP1,
         false, run_setting_overwritten},
    Rule{"sibling-left-out", "One of a family that code treats alike is left out", Category::kCorrectness,
         Severity::kP1, false, run_sibling_left_out},
    Rule{"tensor-tested-for-truth", "A tensor tested for truth where None is meant", Category::kCorrectness,
         Severity::kP1, false, run_tensor_tested_for_truth},
    Rule{"collective-skipped-when-empty", "A collective that ranks with an empty list pass over",
         Category::kDistributed, Severity::kP1, false, run_collective_skipped_when_empty},
    Rule{"unmarked-parameter", "A plain module in a model-parallel class, without marks", Category::kDistributed,
         Severity::kP2, false, run_unmarked_parameter},
    Rule{"arguments-swapped", "Two arguments that go to each other's parameters", Category::kCorrectness, Severity::kP1,
         false, run_arguments_swapped},
    Rule{"bound-not-clamped", "An end that is cut to the length in one place of a loop only", Category::kCorrectness,
         Severity::kP1, false, run_bound_not_clamped},
    Rule{"defaults-disagree", "A config field and its flag with opposite defaults", Category::kCompatibility,
         Severity::kP2, false, run_defaults_disagree},
    Rule{"divisor-may-be-zero", "A loss divided by what a mask leaves", Category::kNumerics, Severity::kP2, false,
         run_divisor_may_be_zero},
    Rule{"finaliser-reads-unset", "A `__del__` that reads what a failing constructor did not set",
         Category::kCorrectness, Severity::kP2, false, run_finaliser_reads_unset},
    Rule{"flag-without-reader", "A flag whose config field has nearly the same name", Category::kCorrectness,
         Severity::kP1, false, run_flag_without_reader},
    Rule{"gradient-may-be-none", "A gradient that frozen parameters do not have", Category::kCorrectness, Severity::kP1,
         false, run_gradient_may_be_none},
    Rule{"list-becomes-element", "A list that one branch turns into one of its elements", Category::kCorrectness,
         Severity::kP1, false, run_list_becomes_element},
    Rule{"missing-attribute", "An attribute that nothing sets, named like a local variable", Category::kCorrectness,
         Severity::kP0, false, run_missing_attribute},
    Rule{"option-never-passed", "A config field that no caller passes on", Category::kCorrectness, Severity::kP1, false,
         run_option_never_passed},
    Rule{"parameter-not-forwarded", "A parameter that is lost on the way to a callee that takes it",
         Category::kCorrectness, Severity::kP1, false, run_parameter_not_forwarded},
    Rule{"group-not-passed", "A process group at hand that this call alone leaves out", Category::kDistributed,
         Severity::kP2, false, run_group_not_passed},
    Rule{"raw-parameter-used", "A raw number passed where the object keeps it with an offset", Category::kCorrectness,
         Severity::kP2, false, run_raw_parameter_used},
    Rule{"returned-length", "A function that returns a tuple or a single value", Category::kCorrectness, Severity::kP1,
         false, run_returned_length},
    Rule{"subset-replaces-all", "A filtered list that takes the name of the whole", Category::kCorrectness,
         Severity::kP2, false, run_subset_replaces_all},
    Rule{"unguarded-import", "An import without the guard that other files have", Category::kCompatibility,
         Severity::kP2, false, run_unguarded_import},
    Rule{"unknown-setting", "A setting that no flag, field or assignment brings in", Category::kCorrectness,
         Severity::kP1, false, run_unknown_setting},
    Rule{"group-rank-as-global", "A rank within a group where torch takes a global one", Category::kDistributed,
         Severity::kP1, false, run_group_rank_as_global},
    Rule{"global-group-read", "Process-wide groups read where groups were passed in", Category::kDistributed,
         Severity::kP2, false, run_global_group_read},
    Rule{"exception-swallowed", "A broad except that does nothing", Category::kCorrectness, Severity::kP1, true,
         run_exception_swallowed},
    Rule{"default-hides-rename", "A getattr default that hides a wrong or renamed field", Category::kCorrectness,
         Severity::kP2, true, run_default_hides_rename},
    Rule{"keyword-swallowed", "A misspelt keyword that unread **kwargs take", Category::kCorrectness, Severity::kP2,
         false, run_keyword_swallowed},
    Rule{"uneven-partition", "An extent divided by a group's size that nothing tests for a rest",
         Category::kDistributed, Severity::kP2, true, run_uneven_partition},
    Rule{"shared-mutable-state", "A list or dict that all calls or objects share is changed through one",
         Category::kCorrectness, Severity::kP2, false, run_shared_mutable_state},
    Rule{"config-of-caller-changed", "A constructor or forward that changes the config it was given",
         Category::kCorrectness, Severity::kP2, true, run_config_of_caller_changed},
    Rule{"effect-repeated", "A count or a list that recomputation changes twice", Category::kCorrectness, Severity::kP2,
         false, run_effect_repeated},
    Rule{"unreachable-code", "Code that no path reaches", Category::kMaintainability, Severity::kP2, true,
         run_unreachable_code},
    Rule{"leftover-debugging", "A debugger or a print left over from looking for a mistake", Category::kMaintainability,
         Severity::kP1, true, run_leftover_debugging},
    Rule{"docstring-disagrees", "A docstring that documents other parameters than the function has", Category::kDocs,
         Severity::kP2, true, run_docstring_disagrees},
    Rule{"commented-out-code", "Code that the change adds as comments", Category::kMaintainability, Severity::kP3, true,
         run_commented_out_code},
    Rule{"repeated-function", "A new function that nearly repeats an existing one", Category::kMaintainability,
         Severity::kP2, true, run_repeated_function},
    Rule{"long-function", "A new function that is long or deeply nested", Category::kReadability, Severity::kP3, true,
         run_long_function},
    Rule{"random-outside-tracker", "A random operation outside of the tracker that guards its twin",
         Category::kDistributed, Severity::kP2, false, run_random_outside_tracker},
    Rule{"loss-divided-twice", "A loss divided twice by the same count", Category::kNumerics, Severity::kP2, false,
         run_loss_divided_twice},
    Rule{"loss-in-low-precision", "A loss added up in 16 bits", Category::kNumerics, Severity::kP2, false,
         run_loss_in_low_precision},
    Rule{"host-sync-in-step", "The host waits for the GPU in code that every training step runs",
         Category::kPerformance, Severity::kP1, false, run_host_sync_in_step},
    Rule{"stale-playbook", "A playbook line that the change makes false", Category::kDocs, Severity::kP2, true,
         nullptr},
    Rule{"missing-test", "New code that no test reaches", Category::kTests, Severity::kP0, true, run_missing_test},
    Rule{"unused-argument", "A new parameter, config field or flag that nothing reads", Category::kMaintainability,
         Severity::kP1, true, run_unused_argument},
    Rule{"written-rule", "What the repository has written down for itself", Category::kMaintainability, Severity::kP0,
         false, run_written_rule},
};

}  // namespace

std::span<const Rule> all_rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
  const auto* found = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& rule) { return rule.id == id; });
  return found == kRules.end() ? nullptr : found;
}

std::string_view nearest_rule(std::string_view id) {
  std::string_view nearest;
  std::size_t best = kMostDistance + 1;
  for (const Rule& rule : kRules) {
    const std::size_t distance = edit_distance(id, rule.id, kMostDistance);
    if (distance >= best) continue;
    best = distance;
    nearest = rule.id;
  }
  return nearest;
}

}  // namespace lockstep::rules
