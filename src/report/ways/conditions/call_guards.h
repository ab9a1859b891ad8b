// The conditions around calls: whether they hold where nobody sets anything, and what they add to the cost of a way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/ways/conditions/dead_calls.h"
#include "report/ways/conditions/given_settings.h"
#include "report/ways/conditions/stored_settings.h"
#include "report/ways/conditions/switched_attributes.h"
#include "report/ways/scripts/script_reach.h"
#include "report/ways/scripts/script_settings.h"

namespace lockstep::report {

class CallGuards {
 public:
  /// Both must outlive it.
  CallGuards(const program::Program& program, const MadeClasses& made)
      : program_(program),
        defaults_(program),
        stored_(program, defaults_),
        settings_(program, made),
        switched_(program),
        dead_(program),
        costs_(program.calls().size(), -1),
        is_off_(program.calls().size(), -1),
        is_for_inference_(program.calls().size(), -1) {}

  /// The conditions around the call, in its function.
  const std::vector<Guard>& around(program::CallId call);
  /// What the conditions around a call add to the cost of a way through it; 0 where there are none.
  int cost(program::CallId call);
  /// Whether a condition in `function` holds where nobody sets anything; none where that does not decide it.
  std::optional<bool> holds_by_default(program::FunctionId function, const python::Expr& condition);
  /// The same whatever code stores in settings later.
  std::optional<bool> holds_as_declared(program::FunctionId function, const python::Expr& condition);
  /// Whether code may set what the condition asks for to something else than what is declared.
  bool may_be_set_in_code(const python::Expr& condition) { return stored_.are_read_in(condition); }
  /// Whether the call stands under a condition that does not hold unless somebody sets what it asks for, be it given to
  /// a parameter that the condition reads.
  bool is_off(program::CallId call);
  /// What somebody has to set for the call to be made: of the conditions around it that do not hold otherwise, the
  /// settings that each part reads which has to hold, or its text where it reads none by that name.
  const std::set<std::vector<std::string>>& asked(program::CallId call);
  /// Whether the call stands under a condition that only runs which generate or serve meet.
  bool is_for_inference(program::CallId call);
  /// Whether no run makes the call, whatever anybody sets.
  [[nodiscard]] bool is_dead(program::CallId call) const { return dead_.contains(call); }
  /// Whether a condition on the call fails in all runs of the script: nothing that it reaches sets what is asked for.
  bool is_never_made(program::CallId call, const ScriptReach& script);
  /// Whether attributes that nothing which the script reaches turns on count there, too; forgets whether one did.
  void ask_switches(bool asks) {
    asks_switches_ = asks;
    has_met_switch_ = false;
  }
  [[nodiscard]] bool has_met_switch() const { return has_met_switch_; }

 private:
  /// Whether the parameter is true where nobody sets anything: all calls outside tests give it constants and settings
  /// of which that is known, and they agree.
  std::optional<bool> given_by_default(program::FunctionId function, std::string_view parameter);
  /// Whether a condition that reads nothing but a parameter does not hold then.
  bool is_ungiven(program::FunctionId function, const Guard& guard);
  /// Whether the call asks for an attribute that nothing which the script reaches turns on.
  bool is_switched_off(program::CallId call, const ScriptReach& script);

  const program::Program& program_;
  const Defaults defaults_;
  StoredSettings stored_;
  ScriptSettings settings_;
  const SwitchedAttributes switched_;
  bool asks_switches_ = true;
  bool has_met_switch_ = false;
  std::unordered_map<std::uint32_t, std::vector<Switched>> switches_;  ///< By call; found when asked for.
  const DeadCalls dead_;
  std::vector<signed char> costs_;                                               ///< By call; -1: not known yet.
  std::vector<signed char> is_off_;                                              ///< The same.
  std::vector<signed char> is_for_inference_;                                    ///< The same.
  std::unordered_map<std::uint32_t, std::vector<Guard>> around_;                 ///< By call; found when asked for.
  std::unordered_map<std::uint32_t, std::set<std::vector<std::string>>> asked_;  ///< The same.
  std::optional<GivenSettings> given_;                                           ///< Made when first asked for.
  std::map<std::pair<std::uint32_t, std::string_view>, std::optional<bool>>
      by_default_;  ///< By function and parameter.
};

}  // namespace lockstep::report
