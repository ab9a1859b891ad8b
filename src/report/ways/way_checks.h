// Whether a way through calls can be one run: that `self` stays of one class, that no call on it is never made, that no
// setting has to be both on and off, and that what its calls pass lets it go on and lets something run of what the
// change touches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/ways/conditions/call_guards.h"
#include "report/ways/conditions/contradictions.h"
#include "report/ways/conditions/passed_values.h"
#include "report/ways/conditions/path_constants.h"
#include "report/ways/conditions/switched_attributes.h"
#include "report/ways/functions/handed_values.h"
#include "report/ways/scripts/experiments.h"
#include "report/ways/ways.h"

namespace lockstep::report {

/// What the change touches in a function: places on each side.
struct Touched {
  std::vector<Span> after;
  /// Of these, those that do something: no constant for a local, no new condition of which all that it decides is new.
  std::vector<Span> working;
  /// Of `working`, what was not done there before: neither what only moved nor a local that is worked out without
  /// calls.
  std::vector<Span> fresh;
  program::FunctionId function_before;    ///< None where it is new.
  std::vector<Span> before;               ///< Of what goes.
  std::vector<Span> gone;                 ///< Of `before`, what moved nowhere.
  std::vector<Switched> switches;         ///< Without one of which nothing of it runs.
  std::vector<Switched> branch_switches;  ///< Without one of which a new branch in it is not taken.
};

class WayChecks {
 public:
  /// All must outlive it.
  WayChecks(const program::Program& program, const program::Program& before, CallGuards& guards)
      : program_(program),
        signatures_(program),
        constants_(program),
        constants_before_(before),
        before_(before),
        handed_(program),
        contradictions_(program),
        asking_before_(before),
        guards_(guards) {}

  /// Begins with the ways to another function, in which the change touches these places.
  void start(program::FunctionId target, Touched touched);
  /// From now on a way has to show that it passes what changed places ask for.
  void need_passed();
  [[nodiscard]] bool needs_passed() const { return needs_passed_; }
  /// Whether a way has to go right with the defaults of what its calls do not show to pass (`**options`), too.
  void take_defaults(bool takes) { takes_defaults_ = takes; }
  /// Whether the way goes wrong with these, as far as its own calls decide.
  [[nodiscard]] bool is_off_by_default(const std::vector<Leg>& legs) const;
  /// Whether ways may ask for a setting both on and off, where it may be another one of the same name; they may not
  /// unless it is said here. Forgets what it met.
  void accept_contradictions(bool accepts);
  [[nodiscard]] bool has_met_contradiction() const { return has_met_contradiction_; }

  /// Says of a script whether its runs only train: none of them comes to what a class does for inference alone.
  void set_only_trains(std::function<bool(program::FunctionId)> only_trains) { only_trains_ = std::move(only_trains); }

  /// Which call inconsistent_step() holds to be at fault. Ways that go right may lead through it, too: where one kind
  /// leaves none, another may.
  enum class Fault : std::uint8_t {
    kCause,     ///< The one that passes the wrong value; a call of what was given by others than the way.
    kEntering,  ///< Of the second kind: the one that enters the function which makes such a call.
    kRefused,   ///< Of the first kind: the one that is not made with that value.
  };
  void blame(Fault fault) { fault_ = fault; }
  /// Forgets at which kinds of places ways went wrong so far.
  void forget_faults() { met_.clear(); }
  /// Whether since then a way went wrong where it matters which call is blamed, this one or the cause.
  [[nodiscard]] bool has_met(Fault fault) const { return met_.contains(fault); }
  [[nodiscard]] Fault blamed() const { return fault_; }

  /// The call at which the way goes wrong. Where a method that a class inherits or calls through super() goes on to the
  /// method of an unrelated class: one object is not of both. Where a call is never made in runs of `script`, or cannot
  /// be. And where a call passes a value with which the called function does not go on.
  std::optional<CallInto> inconsistent_step(const std::vector<Leg>& legs, const ScriptReach* script = nullptr);

  /// Whether what inconsistent_step() found last likely goes wrong in runs of other scripts, too: no value or setting
  /// of a script decides, only the calls before it.
  [[nodiscard]] bool is_for_all() const { return is_for_all_; }

  /// The parameters of which it does not show whether the way passes them, where all changed places ask for such.
  [[nodiscard]] std::vector<std::string_view> unshown(const std::vector<Leg>& legs) const;

  /// Whether no changed place of the target runs where that parameter of it is the constant.
  [[nodiscard]] bool rules_changes_out(program::FunctionId target, std::string_view parameter,
                                       const Value& value) const;

  /// What the conditions around a call of a way ask for, and what those around all changed places do.
  const std::vector<Required>& asked_by(program::CallId call, program::FunctionId callee) {
    return contradictions_.required().of(call, callee);
  }
  [[nodiscard]] const std::vector<Required>& asked_by_changes() const { return asked_by_changes_; }
  /// The parameters whose values ruled ways out since `start`.
  [[nodiscard]] const std::set<Needed>& refused() const { return refused_; }
  [[nodiscard]] const PathConstants& constants() const { return constants_; }

 private:
  void refuse(program::FunctionId function, Span place);
  [[nodiscard]] bool names(const program::CallSite& site, const python::Call& call, program::FunctionId callee) const;
  [[nodiscard]] bool is_looked_up(const program::CallSite& site, program::FunctionId callee) const;
  [[nodiscard]] bool is_overridden_in(program::ClassId cls, program::FunctionId method) const;
  bool fits(program::CallId call, program::FunctionId callee);
  [[nodiscard]] bool may_fit(const program::CallSite& site, program::FunctionId callee) const;
  [[nodiscard]] program::FunctionId function_named(program::FunctionId at, const python::Name& name) const;
  /// Of the legs from that one on, the first call that leaves an experiment for one that excludes it.
  std::optional<CallInto> step_into_other_experiment(const std::vector<Leg>& legs, std::size_t from,
                                                     std::string_view experiment);
  std::optional<CallInto> contradicting_step(const std::vector<Leg>& legs, const std::vector<KnownValues>& known);
  [[nodiscard]] bool is_given_another(const Leg& before, const Leg& leg) const;
  bool gives_another(const Leg& before, const Leg& leg);
  /// Whether another call of the same function enters the same one, and is made with what is known.
  [[nodiscard]] bool goes_on_beside(const Leg& refused, const KnownValues& known) const;
  bool comes_from_elsewhere(const std::vector<Leg>& legs, std::size_t at);
  /// The call that fixed a value with which no changed place of the target runs; none where one of them may.
  std::optional<std::size_t> changes_ruled_out_by(program::FunctionId target, const KnownValues& known);

  const program::Program& program_;
  const rules::Signatures signatures_;
  const PathConstants constants_;
  const PathConstants constants_before_;
  const program::Program& before_;
  HandedValues handed_;
  Contradictions contradictions_;
  const RequiredSettings asking_before_;
  CallGuards& guards_;
  Touched touched_;
  std::vector<Required> asked_by_changes_;
  std::vector<std::vector<AskedConstants>> constants_of_changes_;  ///< By changed place, on both sides.
  std::set<Needed> refused_;
  bool needs_passed_ = false;
  bool takes_defaults_ = false;
  Fault fault_ = Fault::kCause;
  std::set<Fault> met_;
  bool is_for_all_ = false;
  std::function<bool(program::FunctionId)> only_trains_;
  bool accepts_contradictions_ = false;
  bool has_met_contradiction_ = false;
  Experiments experiments_{program_};
  std::map<CallInto, bool> fits_;                                ///< Answers of may_fit().
  std::map<std::pair<CallInto, CallInto>, bool> gives_another_;  ///< Answers of is_given_another().
};

}  // namespace lockstep::report
