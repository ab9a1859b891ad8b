// What calls cost on a way: the likelier a run makes a call and enters what it is taken to enter, the less.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "report/ways/conditions/call_guards.h"
#include "report/ways/functions/decorator_wrappers.h"
#include "report/ways/objects/chosen_classes.h"
#include "report/ways/objects/factory_choices.h"
#include "report/ways/objects/overrides.h"
#include "report/ways/scripts/script_reach.h"
#include "report/ways/scripts/training_loop.h"
#include "report/ways/ways.h"

namespace lockstep::report {

class WayCosts {
 public:
  static constexpr int kForeign = 24;     ///< Of a class that is named after what another script is about.
  static constexpr int kCostOfName = 30;  ///< Of a call that is taken to enter a method for its name.

  /// `aside`: by module, its folder for things beside training, empty for none. `changed`: calls that the change brings
  /// or edits. All must outlive it.
  WayCosts(const program::Program& program, CallGuards& guards, ChosenClasses& chosen,
           const DecoratorWrappers& decorators, const Overrides& overrides, const TrainingLoop& loop,
           const std::vector<std::string_view>& aside, const std::unordered_set<const python::Node*>& changed)
      : program_(program),
        guards_(guards),
        chosen_(chosen),
        decorators_(decorators),
        overrides_(overrides),
        loop_(loop),
        aside_(aside),
        changed_(changed),
        factories_(program, [&guards](program::FunctionId function, const python::Expr& condition) {
          return guards.holds_by_default(function, condition);
        }) {}

  /// Of one call that enters `callee`, on ways of `script` where given; -1: it is on no way.
  int of(program::CallId id, program::FunctionId callee, const ScriptReach* script);
  /// What a call adds that enters a function which calls what it is given.
  [[nodiscard]] int of_choice(const Ways& ways, program::CallId entering, std::uint32_t place,
                              const ScriptReach* script) const;

  [[nodiscard]] bool is_handed_on(const program::CallSite& site, const ScriptReach* script = nullptr) const;
  [[nodiscard]] bool has_handed_on(const std::vector<Leg>& legs, const ScriptReach* script = nullptr) const;
  [[nodiscard]] bool enters_decorated(const std::vector<Leg>& legs, std::size_t at) const;

  /// Calls that are done for what the target itself is done for, beside training, cost little more than others; calls
  /// of it that the change leaves as they were, where it edits others, cost a detour.
  void set_target(program::FunctionId target);

  bool is_target_for_inference = false;  ///< Its changed places run only then: see inference_targets.h.
  std::string_view aside_of_target;      ///< The target's folder for things beside training; empty for none.
  /// Of the settings that any way in question asks for: who is given `perform_rl_step` runs what the folder `rl` holds.
  std::set<std::string> asked_words;
  bool follows_handed_on = false;  ///< Through wrappers that call any of what they were given; to be checked later.

 private:
  /// For what a function is done beside training, by its name or class; empty where it is part of training.
  std::string_view aside_of(program::FunctionId function);
  /// Whether it stands among examples, tools or experiments.
  [[nodiscard]] bool is_example(program::FunctionId function) const;
  [[nodiscard]] bool iterates_data_set(const program::CallSite& site, program::FunctionId callee) const;
  bool is_off_callable(const program::CallSite& site, program::FunctionId callee);
  bool is_off(program::ClassId cls);
  /// Whether the call enters whatever its object was given: `self.run_function(x)`.
  [[nodiscard]] bool calls_what_is_kept(const program::CallSite& site, program::FunctionId callee) const;
  [[nodiscard]] bool is_module(program::FunctionId function) const;
  [[nodiscard]] bool may_be_any_module(const program::CallSite& site) const;
  bool is_inner_module(program::FunctionId callee);
  /// The method of the same class whose name is that of the function without the underscore in front and that surely
  /// calls it: `add_request` of `_add_request`. None for others.
  program::FunctionId public_twin(program::FunctionId function);

  const program::Program& program_;
  CallGuards& guards_;
  ChosenClasses& chosen_;
  const DecoratorWrappers& decorators_;
  const Overrides& overrides_;
  const TrainingLoop& loop_;
  const std::vector<std::string_view>& aside_;
  const std::unordered_set<const python::Node*>& changed_;
  FactoryChoices factories_;
  std::set<std::string_view> words_of_target_;  ///< As aside_word() gives them.
  std::string_view family_of_target_;           ///< As model_family() gives it.
  program::FunctionId target_;
  bool is_target_called_anew_ = false;  ///< The change brings or edits a call of it outside tests.
  bool is_target_example_ = false;
  std::vector<std::optional<std::string_view>> aside_words_;      ///< By function; empty until first asked.
  std::unordered_map<std::uint32_t, bool> off_classes_;           ///< See is_off(); found when asked for.
  std::unordered_map<std::uint32_t, bool> inner_modules_;         ///< See is_inner_module(); the same.
  std::unordered_map<std::uint32_t, program::FunctionId> twins_;  ///< See public_twin(); found when asked for.
};

}  // namespace lockstep::report
