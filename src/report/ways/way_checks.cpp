#include "report/ways/way_checks.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/ways/conditions/condition_kinds.h"
#include "report/ways/conditions/partial_givings.h"
#include "report/ways/functions/chosen_values.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

using program::FunctionId;
using program::Program;

namespace {

/// Whether the class is `base` or one below it.
bool is_or_derives(const Program& program, program::ClassId cls, program::ClassId base) {
  const auto& line = program.classes()[cls].linearized;
  return std::find(line.begin(), line.end(), base) != line.end();
}

/// A class that derives from both, such as a base with a mixin before it; none where there is none.
program::ClassId common_heir(const Program& program, program::ClassId one, program::ClassId other) {
  for (const program::ClassId heir : program::with_descendants(program, one)) {
    if (is_or_derives(program, heir, other)) return heir;
  }
  return {};
}

/// `self.name(…)` that enters a method of that name, or any call on super(); `self.layer(…)` calls another object.
bool is_on_self(const Program& program, const program::CallSite& site, FunctionId callee) {
  const auto* call = python::as<python::Call>(site.node);
  const auto* member = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
  if (member == nullptr) return false;
  if (const auto* name = python::as<python::Name>(member->value))
    return (name->id == "self" || name->id == "cls") && member->name.text == program.functions()[callee].name;
  return rules::is_method_of_super(member);
}

/// What is known in the function that the leg enters, where a variable held it: what can only be given by its name, or
/// where all is given by names, and is not, is what it is by default.
KnownValues with_left_out(const Program& program, const Leg& leg, KnownValues known) {
  const auto* call = python::as<python::Call>(program.calls()[leg.call].node);
  const python::FunctionDef* def = program.functions()[leg.to].def();
  if (call == nullptr || def == nullptr) return known;
  const bool is_spread = std::any_of(call->keywords.begin(), call->keywords.end(),
                                     [](const python::Keyword* one) { return one->name.text.empty(); });
  for (auto& [name, value] : known.named) {
    const python::Parameter* parameter = rules::parameter_named(def, name);
    if (!value.is_lost || is_spread || parameter == nullptr || rules::keyword_value(*call, name) != nullptr ||
        (parameter->parameter_kind != python::Parameter::Kind::kKeywordOnly && !call->arguments.empty()) ||
        value.by_default.kind == Value::Kind::kUnknown)
      continue;
    value.value = value.by_default;
    value.is_lost = false;
  }
  return known;
}

}  // namespace

void WayChecks::start(FunctionId target, Touched touched) {
  touched_ = std::move(touched);
  asked_by_changes_ = contradictions_.required().common_at(target, touched_.after);
  if (!touched_.before.empty()) {
    std::vector<Required> before = asking_before_.common_at(touched_.function_before, touched_.before);
    asked_by_changes_ = touched_.after.empty() ? std::move(before) : common_of(asked_by_changes_, before);
  }
  for (const Required& one : required_by_partials(program_, contradictions_.required(), target, touched_.after))
    asked_by_changes_.push_back(one);
  constants_of_changes_.clear();
  for (const Span place : touched_.after) constants_of_changes_.push_back(constants_asked_at(program_, target, place));
  for (const Span place : touched_.before)
    constants_of_changes_.push_back(constants_asked_at(before_, touched_.function_before, place));
  refused_.clear();
  needs_passed_ = false;
}

void WayChecks::need_passed() { needs_passed_ = true; }

void WayChecks::accept_contradictions(bool accepts) {
  accepts_contradictions_ = accepts;
  has_met_contradiction_ = false;
}

void WayChecks::refuse(FunctionId function, Span place) {
  const python::FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr) return;
  for (const std::string_view parameter : parameters_asked_at(*def, place)) refused_.insert({function, parameter});
}

bool WayChecks::goes_on_beside(const Leg& refused, const KnownValues& known) const {
  const auto& calls = program_.functions()[refused.from].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    if (id == refused.call) return false;
    const program::CallSite& site = program_.calls()[id];
    const bool enters = std::any_of(site.targets.begin(), site.targets.end(),
                                    [&](const program::CallTarget& one) { return one.function == refused.to; });
    return enters && !constants_.ruled_out_by(refused.from, known, site);
  });
}

std::optional<CallInto> WayChecks::step_into_other_experiment(const std::vector<Leg>& legs, std::size_t from,
                                                              std::string_view experiment) {
  for (std::size_t i = from; i < legs.size(); ++i) {
    const std::string_view own = experiment_of(program_.module_of(legs[i].to).path);
    if (own.empty()) continue;
    if (legs[i].call.valid() && experiments_.exclude_each_other(experiment, own))
      return CallInto(legs[i].call.value, legs[i].to.value);
    experiment = own;
  }
  return std::nullopt;
}

std::optional<CallInto> WayChecks::inconsistent_step(const std::vector<Leg>& legs, const ScriptReach* script) {
  program::ClassId self;
  std::optional<CallInto> left;  // The call by which `self` left its own class's code.
  KnownValues known;
  std::vector<KnownValues> known_in;  // By leg: in the function that it enters.
  std::vector<CallInto> calls;
  std::vector<std::size_t> dispatched;  // Legs by which methods of `self` were entered, by the class of the object.
  std::string_view experiment = legs.empty() ? "" : experiment_of(program_.module_of(legs.front().from).path);
  const bool only_trains = !legs.empty() && only_trains_ && only_trains_(legs.front().from);
  is_for_all_ = false;
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const Leg& leg = legs[i];
    // Whoever calls what is handed on passes what nobody sees; settings stay what they are.
    if (!leg.call.valid()) {
      if (const auto other = step_into_other_experiment(legs, i, experiment)) return other;
      return contradicting_step(legs, known_in);
    }
    known = constants_.values_into(program_.calls()[leg.call], leg.to, known, calls.size());
    known_in.push_back(known);
    calls.emplace_back(leg.call.value, leg.to.value);
    if (script != nullptr && guards_.is_never_made(leg.call, *script)) return calls.back();
    if (const std::string_view own = experiment_of(program_.module_of(leg.to).path); !own.empty()) {
      const bool starts_outside = program_.functions()[legs.front().from].kind == program::FunctionKind::kModuleBody &&
                                  experiment_of(program_.module_of(legs.front().from).path).empty();
      if (experiments_.exclude_each_other(experiment, own) || (starts_outside && experiments_.has_training_script(own)))
        return calls.back();
      experiment = own;
    }
    if (!fits(leg.call, leg.to)) return calls.back();
    if (comes_from_elsewhere(legs, i) || (i > 0 && gives_another(legs[i - 1], leg))) {
      is_for_all_ = fault_ == Fault::kCause;
      met_.insert(Fault::kEntering);
      return fault_ == Fault::kEntering && calls.size() > 1 ? calls[calls.size() - 2] : calls.back();
    }
    if (i + 1 < legs.size() && legs[i + 1].call.valid()) {
      const program::CallSite& next = program_.calls()[legs[i + 1].call];
      if (const auto by = constants_.ruled_out_by(leg.to, known, next)) {
        if (goes_on_beside(legs[i + 1], known)) return CallInto(legs[i + 1].call.value, legs[i + 1].to.value);
        refuse(leg.to, next.node->span);
        met_.insert(Fault::kRefused);
        if (fault_ == Fault::kRefused) return CallInto(legs[i + 1].call.value, legs[i + 1].to.value);
        return calls[*by];
      }
      // `norm = Fused if fused and residual else Plain`, and `residual` is left out.
      for (const Guard& guard : guards_of_choice(program_, next, legs[i + 1].to)) {
        const auto holds = constants_.holds_in(leg.to, with_left_out(program_, leg, known), *guard.condition);
        if (holds && *holds == guard.negated) return calls.back();
      }
      if (takes_defaults_) {
        if (const auto by = constants_.ruled_out_by_default(leg.to, known, next.node->span)) return calls[*by];
      }
    } else if (i + 1 == legs.size()) {
      if (const auto by = changes_ruled_out_by(leg.to, known)) return calls[*by];
    }
    const program::ClassId owner = program_.functions()[leg.from].owner;
    const program::ClassId next = program_.functions()[leg.to].owner;
    if (!self.valid() || !owner.valid() || !is_or_derives(program_, self, owner)) {
      self = owner;
      left.reset();
      dispatched.clear();
    }
    // `if self.is_graphed(): …` of a base, and this class says so only where it generates; others may go on there.
    if (only_trains && self.valid() && ask_class_for_inference(program_, self, guards_.around(leg.call)))
      return left ? left : std::optional(calls.back());
    const program::CallSite& site = program_.calls()[leg.call];
    if (!next.valid() || !self.valid() || !is_on_self(program_, site, leg.to)) {
      self = next;
      left.reset();
      dispatched.clear();
      if (next.valid() && is_looked_up(site, leg.to)) dispatched.push_back(i);
      continue;
    }
    // The object is of the narrowest class on its way: what that overrides, it enters there.
    if (is_looked_up(site, leg.to)) {
      if (is_overridden_in(is_or_derives(program_, next, self) ? next : self, leg.to)) return calls.back();
      dispatched.push_back(i);
    }
    if (next != self && is_or_derives(program_, next, self)) {
      const auto wrong = std::find_if(dispatched.begin(), dispatched.end(),
                                      [&](std::size_t at) { return is_overridden_in(next, legs[at].to); });
      if (wrong != dispatched.end()) return CallInto(legs[*wrong].call.value, legs[*wrong].to.value);
    }
    // Of another class's objects the shared code does go on there: only this way into it is wrong.
    if (!is_or_derives(program_, self, next) && !is_or_derives(program_, next, self)) {
      const program::ClassId heir = common_heir(program_, self, next);
      if (!heir.valid()) return left ? left : std::optional(calls.back());
      self = heir;
      left.reset();
      continue;
    }
    if (is_or_derives(program_, next, self)) {
      self = next;
      left.reset();
    } else if (!left) {
      left = calls.back();
    }
  }
  return contradicting_step(legs, known_in);
}

/// Whether which method the call enters depends on the class of the object: not `super().f()`, not a constructor.
bool WayChecks::is_looked_up(const program::CallSite& site, FunctionId callee) const {
  const auto* call = python::as<python::Call>(site.node);
  const auto* member = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
  const auto* object = member == nullptr ? nullptr : python::as<python::Name>(member->value);
  const program::Function& method = program_.functions()[callee];
  return member != nullptr && member->name.text == method.name && !method.name.starts_with("__") &&
         !python::is<python::Call>(member->value) &&
         (object == nullptr || program_.resolve(site.caller, *object).kind != program::Reference::Kind::kClass);
}

/// Whether objects of the class have another method in the place of this one.
bool WayChecks::is_overridden_in(program::ClassId cls, FunctionId method) const {
  const FunctionId own = program_.find_method(cls, program_.functions()[method].name);
  const program::ClassId base = program_.functions()[method].owner;
  return own.valid() && own != method && base.valid() && program_.functions()[own].owner != base &&
         is_or_derives(program_, program_.functions()[own].owner, base);
}

std::optional<CallInto> WayChecks::contradicting_step(const std::vector<Leg>& legs,
                                                      const std::vector<KnownValues>& known) {
  contradictions_.count_only_declared_once(accepts_contradictions_);
  const auto holds = [&](std::size_t leg, const python::Expr& condition) -> std::optional<bool> {
    if (leg == 0 || leg > known.size()) return std::nullopt;
    return constants_.holds_in(legs[leg].from, with_left_out(program_, legs[leg - 1], known[leg - 1]), condition);
  };
  auto found = contradictions_.find(legs, asked_by_changes_, holds);
  if (!found) found = contradictions_.find_constants(legs, constants_of_changes_);
  if (!found) return std::nullopt;
  has_met_contradiction_ = true;
  is_for_all_ = fault_ == Fault::kCause;
  met_.insert(Fault::kRefused);
  std::size_t at = fault_ == Fault::kRefused ? std::min(found->second, legs.size() - 1) : found->first;
  if (!legs[at].call.valid()) at = found->first;
  return CallInto(legs[at].call.value, legs[at].to.value);
}

/// Whether the call names the function, or a local that only ever holds functions by their names, this one among them.
bool WayChecks::names(const program::CallSite& site, const python::Call& call, FunctionId callee) const {
  if (program_.resolve(site.caller, *call.callee).function == callee) return true;
  const auto* local = python::as<python::Name>(call.callee);
  const python::FunctionDef* caller = program_.functions()[site.caller].def();
  if (local == nullptr || caller == nullptr) return false;
  std::size_t bound = 0;
  bool is_held = false;
  bool are_all_named = true;
  python::walk_of<python::Name>(*caller, python::Nested::kEnter, [&](const python::Name* name) {
    bound += name->id == local->id && name->context != python::ExprContext::kLoad ? 1 : 0;
  });
  python::walk_statements(*caller, python::Nested::kSkip, [&](const python::Stmt* statement) {
    const auto* assign = python::as<python::Assign>(statement);
    if (assign == nullptr || assign->targets.size() != 1 || rules::name_of(assign->targets[0]) != local->id) return;
    const program::Reference held = program_.resolve(site.caller, *assign->value);
    are_all_named = are_all_named && held.kind == program::Reference::Kind::kFunction;
    is_held = is_held || held.function == callee;
    --bound;
  });
  return is_held && are_all_named && bound == 0;
}

bool WayChecks::fits(program::CallId call, FunctionId callee) {
  const auto [known, is_new] = fits_.try_emplace({call.value, callee.value}, true);
  if (is_new) known->second = may_fit(program_.calls()[call], callee);
  return known->second;
}
/// False where the call names the function that it enters, and does not give it what it requires: it raises an error.
bool WayChecks::may_fit(const program::CallSite& site, FunctionId callee) const {
  const auto* call = python::as<python::Call>(site.node);
  const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == callee; });
  if (is_receiver_refused(program_, site, callee)) return false;
  // `build(spec, size=4)` makes an object only of a class that takes a size.
  const bool is_through = call != nullptr && target != site.targets.end() &&
                          target->kind == program::CallKind::kConstructor &&
                          program_.resolve(site.caller, *call->callee).kind == program::Reference::Kind::kFunction;
  if (is_through) {
    const auto accepted = signatures_.of_function(callee, 1);
    return !accepted || accepted->takes_any_keyword() ||
           std::all_of(call->keywords.begin(), call->keywords.end(), [&](const python::Keyword* one) {
             return one->name.text.empty() || accepted->find(one->name.text) != nullptr;
           });
  }
  // `Engine(model, limit=4)` of a class that takes no limit raises an error, too.
  const bool makes_class = call != nullptr && target != site.targets.end() &&
                           target->kind == program::CallKind::kConstructor &&
                           program_.functions()[callee].name == "__init__" &&
                           program_.resolve(site.caller, *call->callee).kind == program::Reference::Kind::kClass;
  if (makes_class) {
    const auto accepted = signatures_.of_target(site, *target);
    return !accepted || !rules::bind_arguments(*accepted, *call);
  }
  const bool is_direct = call != nullptr && target != site.targets.end() && target->kind == program::CallKind::kDirect;
  if (!is_direct || !names(site, *call, callee)) return true;
  const bool is_function = !program_.functions()[callee].owner.valid();
  const auto signature = is_function ? signatures_.of_function(callee, 0) : constants_.signature_of(site, *target);
  return !signature || !rules::bind_arguments(*signature, *call);
}

/// Whether the leg enters something that its function was given, and that only functions beside the way hand on.
bool WayChecks::comes_from_elsewhere(const std::vector<Leg>& legs, std::size_t at) {
  const Leg& leg = legs[at];
  const program::Function& callee = program_.functions()[leg.to];
  const auto* call = python::as<python::Call>(program_.calls()[leg.call].node);
  const bool is_value =
      call != nullptr && (callee.enclosing.valid() || (callee.owner.valid() && python::is<python::Name>(call->callee)));
  if (!is_value) return false;
  const std::vector<FunctionId>* handing = handed_.handed_by(leg.to);
  return handing != nullptr && std::none_of(handing->begin(), handing->end(), [&](FunctionId one) {
           return std::any_of(legs.begin(), legs.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                              [&](const Leg& earlier) { return earlier.from == one; });
         });
}

/// The function that the name stands for where `at` reads it: one that it or a function around it defines, or a global.
FunctionId WayChecks::function_named(FunctionId at, const python::Name& name) const {
  for (FunctionId around = at; around.valid(); around = program_.functions()[around].enclosing) {
    const python::FunctionDef* def = program_.functions()[around].def();
    if (def == nullptr) break;
    FunctionId found;
    std::size_t bound = 0;
    python::walk_statements(*def, python::Nested::kSkip, [&](const python::Stmt* statement) {
      const auto* inner = python::as<python::FunctionDef>(statement);
      if (inner == nullptr || inner->name.text != name.id) return;
      found = inner->decorators.empty() ? program_.function_of(inner) : FunctionId();
      ++bound;
    });
    if (bound > 0) return bound == 1 ? found : FunctionId();
    if (rules::binds_name(*def, name.id)) return {};
  }
  const program::Reference global = program_.resolve(at, name);
  if (global.kind != program::Reference::Kind::kFunction) return {};
  const python::FunctionDef* def = program_.functions()[global.function].def();
  return def != nullptr && def->decorators.empty() ? global.function : FunctionId();
}

/// Whether the leg enters something else than what the leg before it gives the function to call.
bool WayChecks::is_given_another(const Leg& before, const Leg& leg) const {
  const python::FunctionDef* def = program_.functions()[leg.from].def();
  const auto* call = python::as<python::Call>(program_.calls()[leg.call].node);
  if (!before.call.valid() || before.to != leg.from || def == nullptr || call == nullptr) return false;
  const program::CallSite& entering = program_.calls()[before.call];
  const auto* entering_call = python::as<python::Call>(entering.node);
  const auto target = std::find_if(entering.targets.begin(), entering.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == leg.from; });
  if (entering_call == nullptr || target == entering.targets.end()) return false;
  const auto signature = constants_.signature_of(entering, *target);
  if (!signature) return false;
  const auto given = [&](const python::Expr* expression) -> FunctionId {
    const auto* name = python::as<python::Name>(expression);
    if (name == nullptr || rules::parameter_named(def, name->id) == nullptr) return {};
    const auto* value = python::as<python::Name>(rules::given_to(*signature, *entering_call, name->id).value);
    return value == nullptr ? FunctionId() : function_named(entering.caller, *value);
  };
  if (python::is<python::Name>(call->callee)) {
    const FunctionId called = given(call->callee);
    if (called.valid()) return called != leg.to;
  }
  // `library.checkpoint(function, …)` calls what it is given.
  const auto& targets = program_.calls()[leg.call].targets;
  const bool is_outside =
      std::any_of(targets.begin(), targets.end(), [](const program::CallTarget& one) { return !one.function.valid(); });
  if (!is_outside || call->arguments.empty()) return false;
  const FunctionId handed = given(call->arguments[0]);
  return handed.valid() && handed != leg.to;
}

bool WayChecks::gives_another(const Leg& before, const Leg& leg) {
  if (!before.call.valid() || before.to != leg.from) return false;
  const std::pair<CallInto, CallInto> legs{{before.call.value, before.to.value}, {leg.call.value, leg.to.value}};
  const auto [known, is_new] = gives_another_.try_emplace(legs, false);
  if (is_new) known->second = is_given_another(before, leg);
  return known->second;
}

std::optional<std::size_t> WayChecks::changes_ruled_out_by(FunctionId target, const KnownValues& known) {
  std::optional<std::size_t> latest;
  const auto rules_out = [&](const PathConstants& constants, FunctionId function, Span place) {
    auto by = constants.ruled_out_by(function, known, place);
    if (by && &constants == &constants_) refuse(function, place);
    if (!by && needs_passed_) {
      for (const LostValue& lost : constants.lost_at(function, known, place))
        by = std::min(by.value_or(lost.step), lost.step);
    }
    if (by) latest = std::max(latest.value_or(0), *by);
    return by.has_value();
  };
  // That a new condition is asked is nothing where all that it decides is ruled out.
  const bool has_fresh = !touched_.fresh.empty() || !touched_.gone.empty();
  for (const Span place : has_fresh ? touched_.fresh : touched_.after) {
    if (!rules_out(constants_, target, place)) return std::nullopt;
  }
  for (const Span place : has_fresh ? touched_.gone : touched_.before) {
    if (!rules_out(constants_before_, touched_.function_before, place)) return std::nullopt;
  }
  return latest;
}

bool WayChecks::is_off_by_default(const std::vector<Leg>& legs) const {
  KnownValues known;
  for (std::size_t i = 0; i + 1 < legs.size(); ++i) {
    if (!legs[i].call.valid() || !legs[i + 1].call.valid()) return false;
    known = constants_.values_into(program_.calls()[legs[i].call], legs[i].to, known, i);
    if (constants_.ruled_out_by_default(legs[i].to, known, program_.calls()[legs[i + 1].call].node->span)) return true;
  }
  return false;
}

bool WayChecks::rules_changes_out(FunctionId target, std::string_view parameter, const Value& value) const {
  KnownValues known;
  known.named[parameter].value = value;
  const bool has_fresh = !touched_.fresh.empty() || !touched_.gone.empty();
  const std::vector<Span>& now = has_fresh ? touched_.fresh : touched_.after;
  const std::vector<Span>& was = has_fresh ? touched_.gone : touched_.before;
  return (!now.empty() || !was.empty()) &&
         std::all_of(now.begin(), now.end(),
                     [&](Span place) { return constants_.ruled_out_by(target, known, place).has_value(); }) &&
         std::all_of(was.begin(), was.end(), [&](Span place) {
           return constants_before_.ruled_out_by(touched_.function_before, known, place).has_value();
         });
}

std::vector<std::string_view> WayChecks::unshown(const std::vector<Leg>& legs) const {
  KnownValues known;
  for (std::size_t i = 0; i < legs.size(); ++i) {
    if (!legs[i].call.valid()) return {};
    known = constants_.values_into(program_.calls()[legs[i].call], legs[i].to, known, i);
  }
  std::vector<std::string_view> out;
  if (legs.empty()) return out;
  const bool has_fresh = !touched_.fresh.empty() || !touched_.gone.empty();
  for (const Span place : has_fresh ? touched_.gone : touched_.before) {
    if (constants_before_.lost_at(touched_.function_before, known, place).empty()) return {};
  }
  for (const Span place : has_fresh ? touched_.fresh : touched_.after) {
    const std::vector<LostValue> lost = constants_.lost_at(legs.back().to, known, place);
    if (lost.empty()) return {};  // It runs whatever the way passes.
    for (const LostValue& one : lost) {
      if (std::find(out.begin(), out.end(), one.parameter) == out.end()) out.push_back(one.parameter);
    }
  }
  return out;
}

}  // namespace lockstep::report
