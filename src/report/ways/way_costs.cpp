#include "report/ways/way_costs.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "program/queries.h"
#include "report/ways/scripts/script_places.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

/// Whether one of the conditions asks for a number to be zero: `self.trainable == 0`, `len(groups) == 0`.
bool asks_for_none(const std::vector<Guard>& guards) {
  return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) {
    const auto* compare = guard.condition == nullptr ? nullptr : python::as<python::Compare>(guard.condition);
    if (compare == nullptr || compare->ops.size() != 1) return false;
    const auto* zero = python::as<python::Constant>(compare->comparators.front());
    const auto wanted = guard.negated ? python::CompareOperator::kNotEq : python::CompareOperator::kEq;
    return zero != nullptr && zero->constant_kind != python::ConstantKind::kStr && zero->text == "0" &&
           compare->ops.front() == wanted;
  });
}

/// Whether one of them asks for what learns nothing: `not weight.requires_grad`. What trains learns.
bool asks_for_frozen(const std::vector<Guard>& guards) {
  return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) {
    const python::Expr* asked = guard.condition;
    bool holds = !guard.negated;
    for (const auto* turned = python::as<python::UnaryOp>(asked);
         turned != nullptr && turned->op == python::UnaryOperator::kNot; turned = python::as<python::UnaryOp>(asked)) {
      asked = turned->operand;
      holds = !holds;
    }
    const auto* member = python::as<python::Attribute>(asked);
    return !holds && member != nullptr && member->name.text == "requires_grad";
  });
}

}  // namespace

/// What a call adds to the cost of a way. Runs take calls that are sure to be made and to enter their target before
/// others: one that a setting guards costs more than a detour of a call.
int WayCosts::of(program::CallId id, FunctionId callee, const ScriptReach* script) {
  const program::CallSite& site = program_.calls()[id];
  constexpr int kHandedOn = 28;
  if (guards_.is_dead(id)) return -1;
  const bool is_wrapper = decorators_.enters(id, callee);
  if (!is_wrapper && is_handed_on(site, script) && !follows_handed_on) return -1;
  if (overrides_.is_never_held(id, callee)) return -1;
  if (changed_.contains(site.node)) return 0;
  int cost = is_wrapper ? 0 : 4 + (is_handed_on(site) ? kHandedOn : 0);
  // What heirs do in its place is told where nothing else leads on.
  constexpr int kSpecialCase = 30;
  if (overrides_.is_special_case(id, callee)) cost += kSpecialCase;
  // What the training loop does, too, is told as a part of it.
  constexpr int kOutsideLoop = 28;
  if (loop_.is_entered_from_outside(id, callee)) cost += kOutsideLoop;
  for (const program::CallTarget& target : site.targets) {
    if (is_wrapper || target.function != callee) continue;
    if (target.certainty != program::Certainty::kExact) cost += 3;
    if (target.kind == program::CallKind::kCallback || target.kind == program::CallKind::kImplicit) cost += 1;
    // What is registered where there is nothing of something stands in for what is registered for each of it.
    constexpr int kWhereNothingIs = 16;
    if (target.kind == program::CallKind::kCallback && asks_for_none(guards_.around(id))) cost += kWhereNothingIs;
    break;
  }
  // Where else it leads, what trains goes.
  constexpr int kFrozen = 12;
  if (asks_for_frozen(guards_.around(id))) cost += kFrozen;
  // Who goes through a loader goes through what it loads; a data set itself is asked for items by their numbers.
  constexpr int kPastLoader = 30;
  if (iterates_data_set(site, callee)) cost += kPastLoader;
  // A run that sets nothing holds another value there.
  constexpr int kOffCallable = 48;
  if (is_off_callable(site, callee)) cost += kOffCallable;
  // Which object it is says what it calls, and that is not known here.
  constexpr int kKeptCallable = 40;
  if (calls_what_is_kept(site, callee)) cost += kKeptCallable;
  // What made the object returns another one in runs that set nothing.
  constexpr int kFactoryException = 40;
  if (factories_.exception_of(id, callee)) cost += kFactoryException;
  // What `add_request` begins, `_add_request` does: others that call it are the special case.
  constexpr int kPastTwin = 16;
  if (const FunctionId twin = public_twin(callee); twin.valid() && twin != site.caller) cost += kPastTwin;
  // What is done beside training, by the function's name or where it enters a folder for such things.
  constexpr int kAside = 36;
  constexpr int kAsideAsTarget = 8;
  constexpr int kAsideFolder = 24;
  const std::string_view aside = aside_[program_.functions()[callee].module.index()];
  const bool enters_folder = !aside.empty() && aside != aside_of_target && !asked_words.contains(std::string(aside)) &&
                             aside != aside_[program_.functions()[site.caller].module.index()];
  // What the change gives the target is given where it edits calls of it.
  constexpr int kPastChange = 32;
  const int for_unchanged = callee == target_ && is_target_called_anew_ ? kPastChange : 0;
  // Who goes through code of examples and experiments is another than who runs the product.
  constexpr int kIntoExamples = 24;
  const bool enters_examples = !is_target_example_ && is_example(callee) && !is_example(site.caller);
  // Models side by side hardly run each other's layers: what a model's folder holds runs in its own.
  constexpr int kOtherModel = 24;
  const std::string_view family = model_family(program_.module_of(callee).path);
  const bool enters_other_model = !family.empty() && !family_of_target_.empty() && family != family_of_target_ &&
                                  family != model_family(program_.module_of(site.caller).path);
  if (enters_other_model) cost += kOtherModel;
  // What only inference runs is run by what infers, whoever else calls the function that holds it.
  constexpr int kBesideInference = 60;
  if (is_target_for_inference && callee == target_ && site.caller != target_ &&
      aside_[program_.functions()[site.caller].module.index()] != "inference" &&
      program_.functions()[site.caller].owner != program_.functions()[callee].owner)
    cost += kBesideInference;
  const std::string_view word = aside_of(callee);
  const int for_word = word.empty() ? 0 : words_of_target_.contains(word) ? kAsideAsTarget : kAside;
  constexpr int kInference = 24;  // What trains hardly comes there.
  const int for_inference = aside_of_target != "inference" && guards_.is_for_inference(id) ? kInference : 0;
  // Who calls a model enters the whole of it; its parts it enters from there.
  constexpr int kInnerModule = 30;
  if (may_be_any_module(site) && is_inner_module(callee)) cost += kInnerModule;
  return cost + guards_.cost(id) + for_inference + for_word + for_unchanged + (enters_folder ? kAsideFolder : 0) +
         (enters_examples ? kIntoExamples : 0);
}

/// Whether the items of a data set of torch are asked for by going through it: `for x in loader_or_data_set`.
bool WayCosts::iterates_data_set(const program::CallSite& site, FunctionId callee) const {
  const program::Function& function = program_.functions()[callee];
  if (function.name != "__getitem__" || !function.owner.valid() || python::is<python::Subscript>(site.node))
    return false;
  const bool is_implicit = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
    return one.function == callee && one.kind == program::CallKind::kImplicit;
  });
  return is_implicit && program_.derives_from(function.owner, "torch.utils.data.Dataset");
}

/// Whether the call of a value enters an object of a class of which objects are made only under settings that are off
/// by default, and may enter something else.
bool WayCosts::is_off_callable(const program::CallSite& site, FunctionId callee) {
  const program::Function& function = program_.functions()[callee];
  const auto* call = python::as<python::Call>(site.node);
  if (function.name != "__call__" || !function.owner.valid() || site.targets.size() < 2 || call == nullptr ||
      !python::is<python::Name>(call->callee))
    return false;
  return is_off(function.owner);
}

bool WayCosts::calls_what_is_kept(const program::CallSite& site, FunctionId callee) const {
  constexpr std::size_t kFew = 3;
  const auto* call = python::as<python::Call>(site.node);
  const auto* kept = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
  if (kept == nullptr || rules::self_attribute(kept).empty() || site.targets.size() <= kFew || is_module(callee))
    return false;
  return std::none_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
    return one.function.valid() && program_.functions()[one.function].name == kept->name.text;
  });
}

bool WayCosts::is_module(FunctionId function) const {
  const program::Function& row = program_.functions()[function];
  return row.owner.valid() && (row.name == "forward" || row.name == "__call__") &&
         program_.derives_from(row.owner, "torch.nn.Module");
}

/// Whether a function that is no module itself calls what may be one of many: `model(x)`.
bool WayCosts::may_be_any_module(const program::CallSite& site) const {
  constexpr std::size_t kMany = 2;
  const program::ClassId owner = program_.functions()[site.caller].owner;
  return site.targets.size() >= kMany && !(owner.valid() && program_.derives_from(owner, "torch.nn.Module"));
}

/// Whether a module of another class calls the module, and hardly anything else in that place.
bool WayCosts::is_inner_module(FunctionId callee) {
  constexpr std::size_t kFew = 8;
  if (!is_module(callee)) return false;
  const auto [known, is_new] = inner_modules_.try_emplace(callee.value, false);
  if (!is_new) return known->second;
  const program::ClassId own = program_.functions()[callee].owner;
  bool is_inner = false;
  for (const program::CallId id : program_.callers_of(callee)) {
    const program::CallSite& site = program_.calls()[id];
    const program::ClassId owner = program_.functions()[site.caller].owner;
    if (is_inner || site.targets.size() > kFew || !owner.valid() || owner == own ||
        program::is_test_path(program_.module_of(site.caller).path))
      continue;
    const auto& line = program_.classes()[owner].linearized;
    const bool is_kin = std::find(line.begin(), line.end(), own) != line.end();
    is_inner = !is_kin && program_.derives_from(owner, "torch.nn.Module");
  }
  return inner_modules_[callee.value] = is_inner;
}

FunctionId WayCosts::public_twin(FunctionId function) {
  const program::Function& row = program_.functions()[function];
  if (!row.owner.valid() || !row.name.starts_with("_") || row.name.starts_with("__")) return {};
  const auto [known, is_new] = twins_.try_emplace(function.value);
  if (!is_new) return known->second;
  const FunctionId twin = program_.find_method(row.owner, row.name.substr(1));
  if (!twin.valid()) return {};
  const auto& calls = program_.functions()[twin].calls;
  const bool begins = std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    return program::surely_enters(program_.calls()[id], function);
  });
  return twins_[function.value] = begins ? twin : FunctionId();
}

/// Whether objects of the class are made only under settings that are off by default.
bool WayCosts::is_off(program::ClassId cls) {
  const auto [known, is_new] = off_classes_.try_emplace(cls.value, false);
  if (!is_new) return known->second;
  const std::optional<ChosenClass> chosen = chosen_.of(cls);
  const bool is_off = chosen && chosen->free.empty() &&
                      std::all_of(chosen->places.begin(), chosen->places.end(), [&](const ChoosingPlace& place) {
                        const std::optional<bool> holds =
                            guards_.holds_by_default(place.function, *place.guard.condition);
                        return place.parameter.empty() ? holds == place.guard.negated : place.holds == false;
                      });
  return off_classes_[cls.value] = is_off;
}

std::string_view WayCosts::aside_of(FunctionId function) {
  if (aside_words_.empty()) aside_words_.resize(program_.functions().size());
  std::optional<std::string_view>& known = aside_words_[function.index()];
  if (known) return *known;
  const program::Function& asked = program_.functions()[function];
  known = aside_word(asked.name);
  // Of the names of classes only this one says that what they do is done in such runs alone.
  if (known->empty() && asked.owner.valid() && contains(program_.classes()[asked.owner].name, "CudaGraph"))
    known = aside_word("CudaGraph");
  return *known;
}

bool WayCosts::is_example(FunctionId function) const {
  return program::is_helper_path(program_.module_of(function).path);
}

void WayCosts::set_target(FunctionId target) {
  is_target_example_ = is_example(target);
  words_of_target_ = {aside_of(target), aside_word(program_.modules()[program_.functions()[target].module].path)};
  target_ = target;
  family_of_target_ = model_family(program_.module_of(target).path);
  const auto& calls = program_.callers_of(target);
  is_target_called_anew_ = std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    return changed_.contains(program_.calls()[id].node) &&
           !program::is_test_path(program_.module_of(program_.calls()[id].caller).path);
  });
}

/// What a call adds that enters a function which calls what it is given: nothing where this is known to be what
/// stands at `place`, more than a detour where it may be something else; -1 for none where it may be just anything.
int WayCosts::of_choice(const Ways& ways, program::CallId entering, std::uint32_t place,
                        const ScriptReach* script) const {
  constexpr int kSeveral = 20;
  constexpr int kAnything = 28;
  const program::CallId next = ways.call_at(place);
  // What of() leaves to the call that enters the wrapper.
  if (next.valid() && decorators_.enters(next, ways.entered_at(place)) &&
      !decorators_.is_known_to_enter(entering, next, ways.entered_at(place))) {
    if (is_handed_on(program_.calls()[next], script) && !follows_handed_on) return -1;
    return kAnything;
  }
  if (ways.leads_on(entering, place) == Ways::LeadsOn::kUnknown) return kAnything;
  return ways.choices(entering, place) > 1 ? kSeveral : 0;
}

/// A wrapper that calls what it was given: who called the wrapper decides what it enters, so that no way leads
/// through it to just any of them. Of a script's way only those count that its runs get to.
bool WayCosts::is_handed_on(const program::CallSite& site, const ScriptReach* script) const {
  constexpr std::size_t kFew = 3;
  const auto* call = python::as<python::Call>(site.node);
  if (call == nullptr || !python::is<python::Name>(call->callee) || site.targets.size() <= kFew ||
      !program_.functions()[site.caller].enclosing.valid())
    return false;
  if (script == nullptr) return true;
  const auto reached = std::count_if(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
    return one.function.valid() && script->reaches(one.function);
  });
  return static_cast<std::size_t>(reached) > kFew;
}
bool WayCosts::has_handed_on(const std::vector<Leg>& legs, const ScriptReach* script) const {
  for (std::size_t i = 0; i < legs.size(); ++i) {
    if (legs[i].call.valid() && is_handed_on(program_.calls()[legs[i].call], script) && !enters_decorated(legs, i))
      return true;
  }
  return false;
}
/// Whether a call on a way enters the function that the call before it is decorated for.
bool WayCosts::enters_decorated(const std::vector<Leg>& legs, std::size_t at) const {
  const Leg& leg = legs[at];
  return at > 0 && decorators_.enters(leg.call, leg.to) &&
         decorators_.is_known_to_enter(legs[at - 1].call, leg.call, leg.to);
}

}  // namespace lockstep::report
