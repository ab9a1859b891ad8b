#include "report/ways/scripts/script_reach.h"

#include <algorithm>

#include "program/queries.h"
#include "report/ways/conditions/class_guards.h"
#include "report/ways/objects/ill_fitting_calls.h"

namespace lockstep::report {

using program::CallId;
using program::CallKind;
using program::ClassId;
using program::FunctionId;
using program::Program;

MadeClasses::MadeClasses(const Program& program)
    : makers_(program.classes().size()), is_known_(program.classes().size()) {
  std::vector<bool> is_test;
  for (const program::Module& module : program.modules()) is_test.push_back(program::is_test_path(module.path));
  for (std::size_t i = 0; i < program.calls().size(); ++i) {
    const FunctionId caller = program.calls()[CallId(i)].caller;
    if (!is_test[program.functions()[caller].module.index()]) note(program, CallId(i));
  }
}

void MadeClasses::note(const Program& program, CallId call) {
  const program::CallSite& site = program.calls()[call];
  const auto* node = python::as<python::Call>(site.node);
  // What a function returns was made elsewhere.
  const bool may_make =
      node != nullptr && (site.targets.empty() ||
                          std::any_of(site.targets.begin(), site.targets.end(), [](const program::CallTarget& target) {
                            return target.kind == CallKind::kConstructor;
                          }));
  if (!may_make || makes_nothing(program, site)) return;
  std::vector<ClassId> classes = program.instance_classes(site.caller, *node);
  // Of calls that also run other functions, only those whose constructor is entered.
  const bool is_mixed = std::any_of(site.targets.begin(), site.targets.end(), [](const program::CallTarget& target) {
    return target.function.valid() && target.kind != CallKind::kConstructor;
  });
  if (is_mixed) {
    std::erase_if(classes, [&](ClassId cls) {
      const FunctionId init = program.find_method(cls, "__init__");
      return std::none_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
        return target.kind == CallKind::kConstructor && target.function == init;
      });
    });
  }
  for (const ClassId cls : classes) {
    // The members of an enumeration are made by its class.
    if (program.derives_from(cls, "enum.Enum") || program.derives_from(cls, "enum.IntEnum")) continue;
    makers_[cls.index()].push_back(call);
    for (const ClassId base : program.classes()[cls].linearized) is_known_[base.index()] = true;
  }
  if (classes.empty()) return;
  if (program.resolve(site.caller, *node->callee).kind != program::Reference::Kind::kClass) given_.insert(call.value);
  made_[call.value] = std::move(classes);
}

std::span<const ClassId> MadeClasses::made_by(CallId call) const {
  const auto found = made_.find(call.value);
  return found == made_.end() ? std::span<const ClassId>() : std::span(found->second);
}

ScriptReach::ScriptReach(const Program& program, const MadeClasses& made, const ClassGuards& guards,
                         const std::vector<int>& loaded, ClassMentions* mentions, LeavesOut leaves_out)
    : program_(program),
      made_(made),
      guards_(guards),
      loaded_(loaded),
      reached_(program.functions().size()),
      is_made_(program.classes().size()),
      mentions_(mentions),
      leaves_out_(std::move(leaves_out)) {
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    if (loaded[i] >= 0) reach(program.modules()[program::ModuleId(i)].body, CallId());
  }
  while (!pending_.empty()) {
    const Visit visit = pending_.back();
    pending_.pop_back();
    if (mentions_ != nullptr && !visit.entering.valid()) {
      for (const std::string_view name : mentions_->in(visit.function)) bring(name);
    }
    for (const CallId call : program_.functions()[visit.function].calls) {
      if (program_.depends_on_caller(call) == visit.entering.valid()) look_at(call, visit.entering);
    }
  }
}

/// Only files what is to be looked at: `bring` and `make` come here again, once for each class of a chain.
void ScriptReach::reach(FunctionId function, CallId entering) {
  if (!reached_[function.index()]) {
    reached_[function.index()] = true;
    order_.push_back(function);
    pending_.push_back({function, CallId()});
  }
  const auto& calls = program_.functions()[function].calls;
  const bool depends = entering.valid() && std::any_of(calls.begin(), calls.end(),
                                                       [&](CallId call) { return program_.depends_on_caller(call); });
  if (depends && entered_.insert(std::uint64_t{function.value} << 32 | entering.value).second)
    pending_.push_back({function, entering});
}

bool ScriptReach::is_for_others(CallId call) const {
  const auto& around = guards_.around(call);
  return std::any_of(around.begin(), around.end(), [&](const ClassGuards::AnyOf& makers) {
    return std::none_of(makers.begin(), makers.end(), [&](program::ModuleId one) { return loaded_[one.index()] >= 0; });
  });
}

void ScriptReach::look_at(CallId call, CallId entering) {
  if (is_for_others(call)) return;
  const program::CallSite& site = program_.calls()[call];
  for (const ClassId cls : made_.made_by(call)) {
    const FunctionId init = program_.find_method(cls, "__init__");
    const bool is_target = std::any_of(site.targets.begin(), site.targets.end(),
                                       [&](const program::CallTarget& target) { return target.function == init; });
    if (entering.valid() && is_target && !program_.can_follow(entering, call, init)) continue;
    if (!waits_for_mention(call, cls)) make(cls);
  }
  for (const program::CallTarget& target : site.targets) {
    if (!target.function.valid() || target.certainty == program::Certainty::kByName) continue;
    if (!entering.valid() || program_.can_follow(entering, call, target.function)) enter(call, target);
  }
}

void ScriptReach::enter(CallId call, const program::CallTarget& target) {
  const program::Function& function = program_.functions()[target.function];
  if (loaded_[function.module.index()] < 0 || (leaves_out_ && leaves_out_(call, target.function))) return;
  const ClassId owner = function.owner;
  const bool needs_object = owner.valid() && made_.is_known(owner) && !is_made_[owner.index()] &&
                            (target.kind != CallKind::kConstructor || waits_for_mention(call, owner));
  if (!needs_object) return reach(target.function, call);
  // `Class.method(…)` and the methods of the class itself need no object.
  const python::FunctionDef* def = function.def();
  const bool is_of_class =
      def != nullptr && std::any_of(def->decorators.begin(), def->decorators.end(), [](const python::Expr* decorator) {
        const auto* name = python::as<python::Name>(decorator);
        return name != nullptr && (name->id == "staticmethod" || name->id == "classmethod");
      });
  if (is_of_class || target.kind == CallKind::kAutograd) return reach(target.function, call);
  waiting_[owner.value].emplace_back(call, target.function);
}

/// Whether the call makes objects of what it is given, and of this class only once code on the way has mentioned it.
bool ScriptReach::waits_for_mention(CallId call, ClassId cls) const {
  return mentions_ != nullptr && made_.is_given(call) && mentions_->is_told(cls) &&
         !brought_.contains(program_.classes()[cls].name);
}

/// A name of a class, or of a variable of a module, that code on the way mentions; and what that one holds. What is
/// mentioned may be made: who does it may have got it in ways that no call shows.
void ScriptReach::bring(std::string_view name) {
  std::vector<std::string_view> open = {name};
  while (!open.empty()) {
    const std::string_view next = open.back();
    open.pop_back();
    if (!brought_.insert(next).second) continue;
    const std::vector<std::string_view>& held = mentions_->held_by(next);
    open.insert(open.end(), held.begin(), held.end());
    for (const ClassId cls : mentions_->classes_named(next)) {
      make(cls);
      if (!mentions_->is_imported_by_text(cls) || loaded_[program_.classes()[cls].module.index()] < 0) continue;
      for (const FunctionId method : program_.classes()[cls].methods) reach(method, CallId());
    }
  }
}

void ScriptReach::make(ClassId cls) {
  for (const ClassId base : program_.classes()[cls].linearized) {
    if (is_made_[base.index()]) continue;
    is_made_[base.index()] = true;
    const auto found = waiting_.find(base.value);
    if (found == waiting_.end()) continue;
    const auto calls = std::move(found->second);
    waiting_.erase(found);
    for (const auto& [call, function] : calls) reach(function, call);
  }
}

}  // namespace lockstep::report
