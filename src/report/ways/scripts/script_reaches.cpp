#include "report/ways/scripts/script_reaches.h"

#include <algorithm>

#include "report/source/code.h"
#include "report/story/story.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using program::FunctionId;

const ScriptReach& ScriptReaches::of(FunctionId script) {
  std::unique_ptr<ScriptReach>& known = reaches_[script.value];
  if (known == nullptr)
    known = std::make_unique<ScriptReach>(program_, made_, class_guards_,
                                          closure_.from(program_.functions()[script].module));
  return *known;
}

const ScriptReach* ScriptReaches::mentioning(FunctionId script) {
  const program::ModuleId module = program_.functions()[script].module;
  if (!aside_[module.index()].empty()) return nullptr;
  const std::vector<int>& loaded = closure_.from(module);
  if (mentions_ == nullptr) mentions_ = std::make_unique<ClassMentions>(program_);
  std::unique_ptr<ScriptReach>& known = mentioning_reaches_[script.value];
  if (known == nullptr)
    known = std::make_unique<ScriptReach>(program_, made_, class_guards_, loaded, mentions_.get(),
                                          [this, &loaded](program::CallId call, FunctionId callee) {
                                            return !aside_[program_.functions()[callee].module.index()].empty() ||
                                                   guards_.is_off(call) || makes_up_for_nothing(call, loaded);
                                          });
  const auto [named, is_new] = is_named_by_setting_.try_emplace(script.value, false);
  if (is_new) named->second = takes_what_a_setting_names(*known);
  return named->second ? nullptr : known.get();
}

/// Whether the call is made without asking before whether the settings are there.
bool ScriptReaches::takes_unasked(program::CallId id, const std::vector<std::string>& settings) {
  const program::CallSite& site = program_.calls()[id];
  const python::Node* body = program_.functions()[site.caller].node;
  if (settings.empty() || body == nullptr || guards_.is_off(id)) return false;
  const std::vector<Guard> guards = guards_of(*body, site.node->span);
  return std::none_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    // `if args.spec: … else: raise`: nothing runs without it.
    const auto* branch = python::as<python::If>(guard.statement);
    if (branch != nullptr && !guard.negated && !branch->orelse.empty() &&
        python::is<python::Raise>(branch->orelse.back()))
      return false;
    const auto asked = guard.condition == nullptr ? std::vector<std::string>() : config_reads(*guard.condition);
    return std::any_of(asked.begin(), asked.end(), [&](const std::string& one) {
      return std::find(settings.begin(), settings.end(), one) != settings.end();
    });
  });
}

/// Whether the script imports what a setting names, `import_module(args.spec)`: that may be any class.
bool ScriptReaches::takes_what_a_setting_names(const ScriptReach& script) {
  for (const FunctionId function : script.order()) {
    for (const program::CallId id : program_.functions()[function].calls) {
      const auto* call = python::as<python::Call>(program_.calls()[id].node);
      const bool imports = call != nullptr && callee_name(*call) == "import_module" && !call->arguments.empty();
      if (imports && takes_unasked(id, config_reads(*call->arguments[0]))) return true;
    }
  }
  return false;
}

/// Whether the call is made only where a parameter of its function is left out, and all calls that a script loads
/// give one: `if model is None: model = default_model()`.
bool ScriptReaches::makes_up_for_nothing(program::CallId id, const std::vector<int>& loaded) const {
  const program::CallSite& site = program_.calls()[id];
  const python::FunctionDef* def = program_.functions()[site.caller].def();
  if (def == nullptr) return false;
  const std::vector<Guard> guards = guards_of(*def, site.node->span);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    const auto test = guard.condition == nullptr ? std::nullopt : rules::none_test(*guard.condition);
    return test && test->is_none != guard.negated &&
           is_always_given(site.caller, rules::name_of(test->subject), loaded);
  });
}
bool ScriptReaches::is_always_given(FunctionId function, std::string_view parameter,
                                    const std::vector<int>& loaded) const {
  if (rules::parameter_named(program_.functions()[function].def(), parameter) == nullptr) return false;
  std::size_t given = 0;
  for (const program::CallId id : program_.callers_of(function)) {
    const program::CallSite& site = program_.calls()[id];
    const std::size_t module = program_.functions()[site.caller].module.index();
    if (is_test_[module] || loaded[module] < 0) continue;
    const auto* call = python::as<python::Call>(site.node);
    const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                     [&](const program::CallTarget& one) { return one.function == function; });
    const auto signature =
        call == nullptr || target == site.targets.end() ? std::nullopt : constants_.signature_of(site, *target);
    if (!signature) return false;
    const python::Expr* value = rules::given_to(*signature, *call, parameter).value;
    // What a caller has as a parameter it may have been left without itself.
    const bool is_thing =
        python::is<python::Call>(value) ||
        (python::is<python::Name>(value) &&
         rules::parameter_named(program_.functions()[site.caller].def(), rules::name_of(value)) == nullptr);
    if (value == nullptr || !is_thing) return false;
    ++given;
  }
  return given > 0;
}

}  // namespace lockstep::report
