// How real runs reach the central entities: the likeliest way from a script, else from the outermost public function,
// else from a test.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/import_closure.h"
#include "report/source/words.h"
#include "report/story/story.h"
#include "report/ways/call_guards.h"
#include "report/ways/decorator_wrappers.h"
#include "report/ways/entry_scripts.h"
#include "report/ways/overrides.h"
#include "report/ways/passed_values.h"
#include "report/ways/script_places.h"
#include "report/ways/script_reach.h"
#include "report/ways/training_loop.h"
#include "report/ways/way_checks.h"
#include "report/ways/ways.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using program::EntryKind;
using program::FunctionId;
using program::Program;

namespace {

class PathFinder {
 public:
  /// `changed`: calls that the change brings or edits. A way to another changed place through one of them is the
  /// likeliest that the change is for.
  PathFinder(const DocumentInputs& inputs, const Program& program, std::unordered_set<const python::Node*> changed)
      : program_(program),
        changed_(std::move(changed)),
        closure_(program),
        made_(program),
        guards_(program, made_),
        checks_(program, *inputs.before, guards_),
        entries_(inputs, program),
        decorators_(program),
        overrides_(program, made_),
        loop_(program, inputs.step_path),
        title_words_(name_words(inputs.title)) {
    for (const program::Module& module : program.modules()) {
      is_test_.push_back(program::is_test_path(module.path));
      aside_.push_back(aside_folder(module.path));
    }
  }

  /// A way on which nothing runs of what the change touches is none.
  EntryPath find(FunctionId target, Touched touched = {}) {
    checks_.start(std::move(touched));
    calls_without_.clear();
    EntryPath path = likeliest(target);
    std::set<Needed> needed = checks_.refused();
    const bool only_unshown = needed.empty();
    for (const std::string_view parameter : path.unshown) {
      if (only_unshown) needed.insert({target, parameter});
    }
    if (needed.empty()) return path;
    // Values that calls leave out rule the nearest ways out: one on which it does not show what is passed is no better.
    checks_.need_passed();
    calls_without_ = calls_without(program_, checks_.constants(), needed);
    EntryPath passed = likeliest(target);
    if (only_unshown) return passed.kind == EntryKind::kScript && passed.frames.size() > 1 ? passed : path;
    // Of a function on the way only one call was seen to need the value: another may lead on without it.
    const bool is_target_refused =
        std::any_of(needed.begin(), needed.end(), [&](const Needed& one) { return one.function == target; });
    const bool is_worse = passed.frames.size() < 2 || passed.kind == EntryKind::kTest;
    // A script's way was checked, too: where no call shows the value, it is the one on which one may come.
    return is_worse && (!is_target_refused || path.kind == EntryKind::kScript) ? path : passed;
  }

 private:
  EntryPath likeliest(FunctionId target) {
    aside_of_target_ = aside_[program_.functions()[target].module.index()];
    is_target_aside_ = entries_.kind_of(target) == ScriptKind::kAside;
    follows_handed_on_ = true;
    const Ways ways = ways_to(target, nullptr, {});
    follows_handed_on_ = false;
    const bool only_helpers = std::none_of(entries_.scripts().begin(), entries_.scripts().end(),
                                           [&](FunctionId script) { return ways.cost(script) >= 0; });
    EntryPath unsure;
    // Who passes what others leave out need not be a script that trains.
    if (checks_.needs_passed()) {
      constexpr int kFar = 120;
      CostedPath helper = best_script(entries_.helper_scripts(), ways, target);
      const CostedPath own = helper.path.frames.empty() ? CostedPath() : best_script(entries_.scripts(), ways, target);
      const bool is_nearer = own.path.frames.empty() || own.cost > helper.cost + kFar;
      if (!helper.path.frames.empty() && is_nearer) return helper.path;
    }
    for (const std::vector<FunctionId>& sources :
         {entries_.kin_of(target, ways), entries_.scripts(), entries_.helper_scripts()}) {
      EntryPath path = best_script(sources, ways, target).path;
      path.is_helper = only_helpers;
      if (path.frames.empty()) continue;
      // An example with a word in common is told before other scripts only where its way is sure.
      const bool is_example = is_helper_path(program_.module_of(path.frames.front().function).path);
      const bool is_sure =
          std::all_of(path.frames.begin(), path.frames.end(), [](const PathFrame& frame) { return frame.is_certain; });
      // What prepares runs or serves what they made says less of them than a script that trains.
      const bool is_beside = !is_target_aside_ && entries_.kind_of(path.frames.front().function) == ScriptKind::kAside;
      if ((!is_example || is_sure || only_helpers) && !is_beside) return path;
      const auto kind_of = [&](const EntryPath& one) { return entries_.kind_of(one.frames.front().function); };
      const bool is_better = unsure.frames.empty() || (!is_target_aside_ && kind_of(unsure) == ScriptKind::kAside &&
                                                       kind_of(path) == ScriptKind::kTrains);
      if (is_better) unsure = std::move(path);
    }
    // A script that loads code by computed names may load what it calls by no import that shows.
    if (!unsure.frames.empty() && entries_.kind_of(unsure.frames.front().function) == ScriptKind::kAside) {
      if (EntryPath path = loading_by_name(ways, target); !path.frames.empty()) return path;
    }
    if (!unsure.frames.empty()) return unsure;
    if (EntryPath path = by_name(target); !path.frames.empty()) return path;
    if (EntryPath path = from_public_api(ways_to(target, nullptr, {}), target); path.frames.size() > 1) return path;
    EntryPath path = from_tests(target);
    path.kind = EntryKind::kTest;
    return path;
  }

  /// The way from the nearest script that trains and loads modules by computed names, whether or not its imports show
  /// that it loads the target's.
  EntryPath loading_by_name(const Ways& ways, FunctionId target) {
    FunctionId best;
    for (const FunctionId script : entries_.scripts()) {
      const bool may_lead = ways.cost(script) >= 0 && entries_.kind_of(script) == ScriptKind::kTrains &&
                            (!best.valid() || ways.cost(script) < ways.cost(best));
      if (may_lead && loads_by_name(program_.functions()[script].module)) best = script;
    }
    if (!best.valid()) return {};
    const std::vector<Leg> legs = ways.legs(best, target);
    if (enters_helpers(legs) || has_handed_on(legs) || checks_.inconsistent_step(legs)) return {};
    EntryPath path = along(legs);
    path.kind = EntryKind::kScript;
    return path;
  }

  /// Whether a module that the script loads imports others by computed names.
  bool loads_by_name(program::ModuleId script) {
    const std::vector<int>& loaded = closure_.from(script);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      if (loaded[i] < 0) continue;
      constexpr std::string_view kCall = "import_module(";
      const std::string_view text = program_.modules()[program::ModuleId(i)].facts->source().bytes();
      for (std::size_t at = find_text(text, kCall); at != std::string_view::npos; at = find_text(text, kCall, at + 1)) {
        const std::size_t argument = text.find_first_not_of(" \t\r\n", at + kCall.size());
        if (argument != std::string_view::npos && text[argument] != '"' && text[argument] != '\'') return true;
      }
    }
    return false;
  }

  /// Where no known call leads there: the way that also takes calls of a method on a value of unknown class, where few
  /// methods have its name.
  EntryPath by_name(FunctionId target) {
    if (!namesakes_) find_namesakes();
    constexpr int kMostTries = 6;
    std::optional<Ways> ways;
    FunctionId best;
    Bans bans;
    for (int i = 0; i < kMostTries; ++i) {
      follows_names_ = true;
      ways = ways_to(target, nullptr, bans);
      follows_names_ = false;
      std::vector<FunctionId> reaching;
      for (const FunctionId script : entries_.scripts()) {
        if (ways->cost(script) >= 0 && script != target) reaching.push_back(script);
      }
      if (reaching.empty() || !keep_loading(reaching, target)) return {};
      best = best_known(reaching, [&](FunctionId source) { return ways->cost(source); });
      const auto broken = checks_.inconsistent_step(ways->legs(best, target));
      if (!broken) break;
      bans.insert(*broken);
      best = FunctionId();
    }
    if (!best.valid()) return {};
    EntryPath path;
    const std::vector<Leg> legs = ways->legs(best, target);
    for (const Leg& leg : legs) {
      if (!leg.call.valid()) {
        path.handed_on_in.emplace_back(short_name(program_, leg.from));
        continue;
      }
      const auto& targets = program_.calls()[leg.call].targets;
      const bool is_known = std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& one) {
        return one.function == leg.to && one.certainty != program::Certainty::kByName;
      });
      if (!is_known) path.by_name.emplace_back(program_.functions()[leg.to].name);
    }
    EntryPath found = along(legs);
    // A lambda has no name to show: its calls stand in the function that holds it.
    for (std::size_t i = 1; i + 1 < found.frames.size();) {
      const PathFrame& frame = found.frames[i];
      if (program_.functions()[frame.function].kind != program::FunctionKind::kLambda ||
          found.frames[i - 1].call != nullptr) {
        ++i;
        continue;
      }
      found.frames[i - 1].call = frame.call;
      found.frames.erase(found.frames.begin() + static_cast<std::ptrdiff_t>(i));
    }
    found.kind = EntryKind::kScript;
    found.by_name = std::move(path.by_name);
    found.handed_on_in = std::move(path.handed_on_in);
    return found;
  }

  /// For each method with a rare name the calls `x.name(…)` outside tests that enter nothing known.
  void find_namesakes() {
    constexpr std::size_t kFewMethods = 4;
    constexpr std::size_t kFewCalls = 12;
    namesakes_.emplace();
    std::map<std::string_view, std::vector<FunctionId>> methods;
    for (std::size_t i = 0; i < program_.functions().size(); ++i) {
      const program::Function& function = program_.functions()[FunctionId(i)];
      const bool counts =
          function.owner.valid() && !function.name.starts_with("__") && !is_test_[function.module.index()];
      if (counts) methods[function.name].emplace_back(i);
    }
    std::map<std::string_view, std::vector<program::CallId>> calls;
    for (std::size_t i = 0; i < program_.calls().size(); ++i) {
      const program::CallSite& site = program_.calls()[program::CallId(i)];
      const auto* call = python::as<python::Call>(site.node);
      if (!site.targets.empty() || call == nullptr || !python::is<python::Attribute>(call->callee) ||
          is_test_[program_.functions()[site.caller].module.index()])
        continue;
      const std::string_view name = callee_name(*call);
      if (methods.contains(name)) calls[name].emplace_back(i);
    }
    for (const auto& [name, sites] : calls) {
      const std::vector<FunctionId>& named = methods[name];
      if (named.size() > kFewMethods || sites.size() > kFewCalls) continue;
      for (const FunctionId method : named) (*namesakes_)[method.value] = sites;
    }
  }

  static constexpr int kForeign = 10;     ///< Of a class that is named after what another script is about.
  static constexpr int kCostOfName = 30;  ///< Of a call that is taken to enter a method for its name.

  /// What a call adds to the cost of a way. Runs take calls that are sure to be made and to enter their target before
  /// others: one that a setting guards costs more than a detour of a call.
  int cost_of(program::CallId id, FunctionId callee, const ScriptReach* script) {
    const program::CallSite& site = program_.calls()[id];
    constexpr int kHandedOn = 28;
    if (guards_.is_dead(id)) return -1;
    const bool is_wrapper = decorators_.enters(id, callee);
    if (!is_wrapper && is_handed_on(site, script) && !follows_handed_on_) return -1;
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
      if (target.certainty == program::Certainty::kByName) {
        constexpr std::size_t kFewMethods = 4;
        if (!follows_names_ || site.targets.size() > kFewMethods) return -1;
        cost += kCostOfName;
      }
      if (target.certainty != program::Certainty::kExact) cost += 3;
      if (target.kind == program::CallKind::kCallback || target.kind == program::CallKind::kImplicit) cost += 1;
      break;
    }
    // What is done beside training, by the function's name or where it enters a folder for such things.
    constexpr int kAside = 36;
    constexpr int kAsideFolder = 24;
    const std::string_view aside = aside_[program_.functions()[callee].module.index()];
    const bool enters_folder = !aside.empty() && aside != aside_of_target_ &&
                               aside != aside_[program_.functions()[site.caller].module.index()];
    return cost + guards_.cost(id) + (is_done_aside(callee) ? kAside : 0) + (enters_folder ? kAsideFolder : 0);
  }

  [[nodiscard]] bool is_done_aside(FunctionId function) const {
    const program::ClassId owner = program_.functions()[function].owner;
    return is_aside(program_.functions()[function].name) ||
           (owner.valid() && contains(program_.classes()[owner].name, "CudaGraph"));
  }

  /// What a call adds that enters a function which calls what it is given: nothing where this is known to be what
  /// stands at `place`, more than a detour where it may be something else; -1 for none where it may be just anything.
  [[nodiscard]] int cost_of_choice(const Ways& ways, program::CallId entering, std::uint32_t place,
                                   const ScriptReach* script) const {
    constexpr int kSeveral = 20;
    constexpr int kUnknown = 28;
    const program::CallId next = ways.call_at(place);
    // What cost_of() leaves to the call that enters the wrapper.
    if (next.valid() && decorators_.enters(next, ways.entered_at(place)) &&
        !decorators_.is_known_to_enter(entering, next, ways.entered_at(place))) {
      if (is_handed_on(program_.calls()[next], script) && !follows_handed_on_) return -1;
      return kUnknown;
    }
    if (ways.leads_on(entering, place) == Ways::LeadsOn::kUnknown) return kUnknown;
    return ways.choices(entering, place) > 1 ? kSeveral : 0;
  }

  /// A wrapper that calls what it was given: who called the wrapper decides what it enters, so that no way leads
  /// through it to just any of them. Of a script's way only those count that its runs get to.
  [[nodiscard]] bool is_handed_on(const program::CallSite& site, const ScriptReach* script = nullptr) const {
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
  [[nodiscard]] bool has_handed_on(const std::vector<Leg>& legs, const ScriptReach* script = nullptr) const {
    for (std::size_t i = 0; i < legs.size(); ++i) {
      if (legs[i].call.valid() && is_handed_on(program_.calls()[legs[i].call], script) && !enters_decorated(legs, i))
        return true;
    }
    return false;
  }
  /// Whether a call on a way enters the function that the call before it is decorated for.
  [[nodiscard]] bool enters_decorated(const std::vector<Leg>& legs, std::size_t at) const {
    const Leg& leg = legs[at];
    return at > 0 && decorators_.enters(leg.call, leg.to) &&
           decorators_.is_known_to_enter(legs[at - 1].call, leg.call, leg.to);
  }

  const ScriptReach& reach_of(FunctionId script) {
    std::unique_ptr<ScriptReach>& known = reaches_[script.value];
    if (known == nullptr)
      known = std::make_unique<ScriptReach>(program_, made_, closure_.from(program_.functions()[script].module));
    return *known;
  }

  /// The same where a class counts as made of what a call is given only if the script's code mentions it, without what
  /// is done beside training or only where somebody sets it: that makes everything. Null for scripts of such things.
  const ScriptReach* mentioning_reach_of(FunctionId script) {
    const program::ModuleId module = program_.functions()[script].module;
    if (!aside_[module.index()].empty() || !aside_of_target_.empty()) return nullptr;
    const std::vector<int>& loaded = closure_.from(module);
    if (mentions_ == nullptr) mentions_ = std::make_unique<ClassMentions>(program_);
    std::unique_ptr<ScriptReach>& known = mentioning_reaches_[script.value];
    if (known == nullptr)
      known = std::make_unique<ScriptReach>(program_, made_, loaded, mentions_.get(),
                                            [this, &loaded](program::CallId call, FunctionId callee) {
                                              return !aside_[program_.functions()[callee].module.index()].empty() ||
                                                     guards_.is_off(call) || makes_up_for_nothing(call, loaded);
                                            });
    if (known == nullptr) return nullptr;
    const auto [named, is_new] = is_named_by_setting_.try_emplace(script.value, false);
    if (is_new) named->second = takes_what_a_setting_names(*known);
    return named->second ? nullptr : known.get();
  }

  /// Whether the call is made without asking before whether the settings are there.
  bool takes_unasked(program::CallId id, const std::vector<std::string>& settings) {
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
  bool takes_what_a_setting_names(const ScriptReach& script) {
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
  [[nodiscard]] bool makes_up_for_nothing(program::CallId id, const std::vector<int>& loaded) const {
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
  [[nodiscard]] bool is_always_given(FunctionId function, std::string_view parameter,
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
      const auto signature = call == nullptr || target == site.targets.end()
                                 ? std::nullopt
                                 : checks_.constants().signature_of(site, *target);
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

  /// A call and a function that it does not enter on the way in question.
  using Bans = CallsInto;

  /// Cheapest ways to the target from everything outside tests, by Dijkstra's algorithm; ties by function. Only through
  /// what `script` reaches, where given; where `source` is, ways that cost more than the one from there may be missing.
  Ways ways_to(FunctionId target, const ScriptReach* script, const Bans& bans, FunctionId source = FunctionId()) {
    Ways ways(program_, target);
    while (const auto next = ways.take()) {
      const auto [place, cost] = *next;
      const FunctionId at = ways.function_at(place);
      if (at == source) break;
      for (const program::CallId call : program_.callers_of(at)) {
        const FunctionId caller = program_.calls()[call].caller;
        const std::size_t module = program_.functions()[caller].module.index();
        if (caller == target || is_test_[module] || (script != nullptr && !script->reaches(caller))) continue;
        const Ways::LeadsOn leads_on = ways.leads_on(call, place);
        if (leads_on == Ways::LeadsOn::kNo || bans.contains({call.value, at.value}) ||
            calls_without_.contains({call.value, at.value}))
          continue;
        const int step = cost_of(call, at, script);
        const int choice = step < 0 ? -1 : cost_of_choice(ways, call, place, script);
        const int foreign = source.valid() && entries_.is_of_another(source, at) ? kForeign : 0;
        if (choice >= 0) ways.offer(caller, call, place, cost + step + choice + foreign);
      }
      if (!follows_names_) continue;
      // A function inside another that nobody is known to call is handed on where it is defined.
      const FunctionId enclosing = program_.functions()[at].enclosing;
      if (enclosing.valid() && enclosing != target && program_.callers_of(at).empty())
        ways.offer(enclosing, program::CallId(), place, cost + kCostOfName);
      const auto guessed = namesakes_->find(at.value);
      if (guessed == namesakes_->end()) continue;
      for (const program::CallId call : guessed->second) {
        const FunctionId caller = program_.calls()[call].caller;
        if (caller != target && !bans.contains({call.value, at.value}))
          ways.offer(caller, call, place, cost + kCostOfName);
      }
    }
    return ways;
  }

  struct CostedPath {
    EntryPath path;
    int cost = -1;
  };
  /// Cheapest from any script; among scripts that are about as near, the one that the documentation names most.
  CostedPath best_script(const std::vector<FunctionId>& sources, const Ways& ways, FunctionId target) {
    std::vector<FunctionId> reaching;
    for (const FunctionId source : sources) {
      if (ways.cost(source) >= 0 && source != target) reaching.push_back(source);
    }
    if (reaching.empty()) return {};
    std::stable_sort(reaching.begin(), reaching.end(),
                     [&](FunctionId a, FunctionId b) { return ways.cost(a) < ways.cost(b); });
    if (!keep_loading(reaching, target)) return {};
    const FunctionId nearest = best_known(reaching, [&](FunctionId source) { return ways.cost(source); });
    std::vector<FunctionId> getting_there;
    std::copy_if(reaching.begin(), reaching.end(), std::back_inserter(getting_there),
                 [&](FunctionId source) { return reach_of(source).reaches(target); });
    CostedPath best = within_closures(entries_.candidates(std::move(getting_there)), target);
    EntryPath& path = best.path;
    // No closure holds what is loaded by name while it runs; no run is of two classes at once.
    if (path.frames.empty()) {
      const std::vector<Leg> legs = ways.legs(nearest, target);
      if (enters_helpers(legs) || has_handed_on(legs) || checks_.inconsistent_step(legs)) return {};
      best = {along(legs), ways.cost(nearest)};
    }
    path.kind = EntryKind::kScript;
    count_others(reaching, ways, target, path);
    return best;
  }

  /// Whether a script that is no example goes through code of examples: who loads that is another.
  [[nodiscard]] bool enters_helpers(const std::vector<Leg>& legs) const {
    return !is_helper_path(program_.module_of(legs.front().from).path) &&
           std::any_of(legs.begin(), legs.end(),
                       [&](const Leg& leg) { return is_helper_path(program_.module_of(leg.to).path); });
  }

  /// Counts the scripts of other files whose own cheapest way holds, and says whether these are all there may be.
  void count_others(const std::vector<FunctionId>& sources, const Ways& ways, FunctionId target, EntryPath& path) {
    std::set<std::string> files = {program_.module_of(path.frames.front().function).path};
    for (const FunctionId source : sources) {
      const std::string& file = program_.module_of(source).path;
      if (files.contains(file) || !reach_of(source).reaches(target)) continue;
      const std::vector<Leg> legs = ways.legs(source, target);
      if (has_handed_on(legs, &reach_of(source)) || checks_.inconsistent_step(legs, &reach_of(source))) continue;
      files.insert(file);
      const EntryPath other = along(legs);
      path.others_may = path.others_may || std::any_of(other.frames.begin(), other.frames.end(), [](const auto& frame) {
                          return !frame.is_certain || frame.off_by_default != nullptr;
                        });
    }
    path.other_entries = files.size() - 1;
    path.are_all_counted = path.other_entries > 0 && holds_all_scripts_to(target, files);
  }

  /// Whether all scripts are in `files` from which any known calls lead to the target, however unsure.
  [[nodiscard]] bool holds_all_scripts_to(FunctionId target, const std::set<std::string>& files) const {
    std::vector<bool> reaches(program_.functions().size());
    for (const program::Reached& one : program::reaching(program_, target, reaches.size()))
      reaches[one.function.index()] = true;
    const auto is_missing = [&](FunctionId script) {
      return script != target && reaches[script.index()] && !files.contains(program_.module_of(script).path);
    };
    return std::none_of(entries_.scripts().begin(), entries_.scripts().end(), is_missing) &&
           std::none_of(entries_.helper_scripts().begin(), entries_.helper_scripts().end(), is_missing);
  }

  FunctionId best_known(const std::vector<FunctionId>& sources, const std::function<int(FunctionId)>& cost) const {
    // Where the changed lines need what training leaves out, a script that trains says no more than another.
    return entries_.best_known(sources, cost, !is_target_aside_ && !checks_.needs_passed());
  }

  /// Drops the scripts that do not load the target's module. False if none does, and yet something imports it: then
  /// these scripts do not bring it in. A module that nothing imports is loaded by its path, by whom is not known.
  bool keep_loading(std::vector<FunctionId>& sources, FunctionId target) {
    const program::ModuleId module = program_.functions()[target].module;
    const std::vector<bool> loading = closure_.loading(module);
    const auto loads = [&](FunctionId source) { return loading[program_.functions()[source].module.index()]; };
    if (std::none_of(sources.begin(), sources.end(), loads)) return !closure_.is_imported(module);
    std::erase_if(sources, [&](FunctionId source) { return !loads(source); });
    return true;
  }

  /// The best way that stays within what its script loads and in which `self` stays of one class; empty where none
  /// does.
  CostedPath within_closures(const std::vector<FunctionId>& sources, FunctionId target) {
    std::map<std::uint32_t, CostedLegs> ways;
    std::vector<FunctionId> open;
    for (const FunctionId source : sources) {
      CostedLegs own = consistent_way(source, target);
      if (own.legs.empty()) continue;
      constexpr int kThroughTheChange = 30;
      if (std::any_of(own.legs.begin(), own.legs.end(), [&](const Leg& leg) {
            return leg.call.valid() && changed_.contains(program_.calls()[leg.call].node);
          }))
        own.cost -= kThroughTheChange;
      ways[source.value] = std::move(own);
      open.push_back(source);
    }
    if (open.empty()) return {};
    // A script that brings the code in itself is likelier to run it than one that loads it among everything.
    constexpr int kCostOfImport = 3;
    const FunctionId best = best_known(open, [&](FunctionId source) {
      const int imports =
          closure_.from(program_.functions()[source].module)[program_.functions()[target].module.index()];
      return ways[source.value].cost + kCostOfImport * imports + cost_of_place(source);
    });
    return {along(ways[best.value].legs), ways[best.value].cost};
  }

  /// People start what stands at the top before what is a part of something; a change is for the runs whose script its
  /// title names.
  [[nodiscard]] int cost_of_place(FunctionId script) const {
    constexpr int kFolder = 3;
    constexpr int kNamed = 12;
    const std::string& path = program_.module_of(script).path;
    const std::set<std::string> words = entries_.subjects_of(script);
    const auto named =
        std::count_if(words.begin(), words.end(), [&](const std::string& word) { return title_words_.contains(word); });
    return kFolder * static_cast<int>(std::count(path.begin(), path.end(), '/')) - kNamed * static_cast<int>(named);
  }

  struct CostedLegs {
    std::vector<Leg> legs;
    int cost = -1;
  };
  /// Where the way goes through objects of classes that the script's code never mentions, one without such comes first,
  /// and scripts that do mention them.
  CostedLegs consistent_way(FunctionId source, FunctionId target) {
    constexpr int kUnmentioned = 40;
    CostedLegs found = consistent_way(source, target, reach_of(source));
    if (found.legs.empty()) return found;
    const ScriptReach* mentioning = mentioning_reach_of(source);
    if (mentioning == nullptr) {
      // What a setting names may be anything; of things beside training it is not asked.
      const bool is_aside = !aside_[program_.functions()[source].module.index()].empty() || !aside_of_target_.empty();
      found.cost += is_aside ? 0 : kUnmentioned;
      return found;
    }
    if (std::all_of(found.legs.begin(), found.legs.end(), [&](const Leg& leg) { return mentioning->reaches(leg.to); }))
      return found;
    found.cost += kUnmentioned;
    CostedLegs other = consistent_way(source, target, *mentioning);
    return other.legs.empty() || other.cost > found.cost ? found : other;
  }
  CostedLegs consistent_way(FunctionId source, FunctionId target, const ScriptReach& script) {
    constexpr int kMostTries = 12;
    if (!script.reaches(target)) return {};
    checks_.shun_entering(false);
    CostedLegs found = consistent_way(source, target, script, kMostTries, false);
    if (found.legs.empty() && checks_.shun_entering(true)) {
      found = consistent_way(source, target, script, kMostTries, false);
      checks_.shun_entering(false);
    }
    if (found.legs.empty() || std::none_of(found.legs.begin(), found.legs.end(), [&](const Leg& leg) {
          return leg.call.valid() && guards_.is_off(leg.call);
        }))
      return found;
    // A way that runs take without setting anything comes before one that they do not.
    constexpr int kFewTries = 6;
    CostedLegs by_default = consistent_way(source, target, script, kFewTries, true);
    return by_default.legs.empty() ? found : by_default;
  }
  CostedLegs consistent_way(FunctionId source, FunctionId target, const ScriptReach& script, int tries,
                            bool by_default) {
    Bans bans;
    for (int i = 0; i < tries; ++i) {
      const Ways ways = ways_to(target, &script, bans, source);
      if (ways.cost(source) < 0) return {};
      CostedLegs found{ways.legs(source, target), ways.cost(source)};
      auto broken = checks_.inconsistent_step(found.legs, &script);
      for (std::size_t k = 0; by_default && !broken && k < found.legs.size(); ++k) {
        const Leg& leg = found.legs[k];
        if (leg.call.valid() && guards_.is_off(leg.call)) broken.emplace(leg.call.value, leg.to.value);
      }
      if (!broken) return found;
      bans.insert(*broken);
    }
    return {};
  }

  /// Up through callers outside tests until nobody calls: the outermost function there is.
  EntryPath from_public_api(const Ways& ways, FunctionId target) {
    FunctionId top;
    for (std::size_t i = 0; i < program_.functions().size(); ++i) {
      const FunctionId id(i);
      if (ways.cost(id) <= 0) continue;
      const auto& function = program_.functions()[id];
      if (is_helper_path(program_.module_of(id).path) || function.kind != program::FunctionKind::kFunction ||
          function.name.starts_with("_") ||
          (function.owner.valid() && program_.classes()[function.owner].name.starts_with("_")))
        continue;
      const auto callers = program_.callers_of(id);
      const bool called = std::any_of(callers.begin(), callers.end(), [&](program::CallId call) {
        return !is_test_[program_.functions()[program_.calls()[call].caller].module.index()];
      });
      if (!called && (!top.valid() || ways.cost(id) < ways.cost(top)) &&
          !checks_.inconsistent_step(ways.legs(id, target)))
        top = id;
    }
    if (!top.valid()) return {};
    EntryPath path = along(ways.legs(top, target));
    path.kind = EntryKind::kPublicApi;
    return path;
  }

  [[nodiscard]] EntryPath along(const std::vector<Leg>& legs) {
    EntryPath out;
    for (std::size_t i = 0; i < legs.size(); ++i) {
      const Leg& leg = legs[i];
      // What a decorator puts around a function is a part of it: the frame before calls that one.
      if (leg.call.valid() && !out.frames.empty() && out.frames.back().call != nullptr &&
          decorators_.enters(leg.call, leg.to)) {
        out.frames.back().is_certain = out.frames.back().is_certain && enters_decorated(legs, i);
      } else if (leg.call.valid()) {
        add_frame(out, leg.call, leg.to);
        out.frames.back().is_certain = out.frames.back().is_certain || enters_decorated(legs, i);
      } else {
        out.frames.push_back({leg.from, nullptr, {}, false});
      }
    }
    if (!legs.empty()) out.frames.push_back({legs.back().to, nullptr, {}, true});
    for (const std::string_view parameter : checks_.unshown(legs)) out.unshown.emplace_back(parameter);
    return out;
  }

  /// The shortest way from a test. Where the repository's code calls something that a test defines, a stub say, it does
  /// so for that test: the way up goes no further.
  [[nodiscard]] EntryPath from_tests(FunctionId target) {
    const std::set<FunctionId> tests(entries_.tests().begin(), entries_.tests().end());
    Ways ways(program_, target);
    std::vector<std::uint32_t> pending{ways.place_of(target)};
    for (std::size_t next = 0; next < pending.size(); ++next) {
      const std::uint32_t place = pending[next];
      const FunctionId at = ways.function_at(place);
      if (at != target && tests.contains(at)) return along(ways.legs(at, target));
      const bool is_of_test = is_test_[program_.functions()[at].module.index()];
      for (const program::CallId call : program_.callers_of(at)) {
        const program::CallSite& site = program_.calls()[call];
        if (is_of_test && !is_test_[program_.functions()[site.caller].module.index()]) continue;
        const bool is_known =
            std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
              return one.function == at && one.certainty != program::Certainty::kByName;
            });
        if (!is_known || is_handed_on(site) || site.caller == target || guards_.is_dead(call) ||
            ways.leads_on(call, place) == Ways::LeadsOn::kNo)
          continue;
        if (const auto found = ways.offer(site.caller, call, place, static_cast<int>(next) + 1))
          pending.push_back(*found);
      }
    }
    return {};
  }

  void add_frame(EntryPath& out, program::CallId call, FunctionId callee) {
    const program::CallSite& site = program_.calls()[call];
    PathFrame frame;
    frame.function = site.caller;
    frame.call = site.node;
    if (const python::Node* body = program_.functions()[site.caller].node)
      frame.guards = guards_of(*body, site.node->span);
    bool is_set_in_code = false;  // Off as declared, but code sets what it asks for.
    for (const Guard& guard : frame.guards) {
      const std::optional<bool> holds =
          guard.condition == nullptr ? std::nullopt : guards_.holds_by_default(site.caller, *guard.condition);
      if (!holds || *holds != guard.negated) continue;
      const bool stays = !guards_.may_be_set_in_code(*guard.condition);
      if (stays) frame.off_by_default = guard.condition;
      is_set_in_code = is_set_in_code || !stays;
    }
    frame.handing = handing_of(site, callee);
    frame.is_certain = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
      return target.function == callee && target.certainty == program::Certainty::kExact;
    });
    frame.is_certain = frame.is_certain && !is_set_in_code;
    out.frames.push_back(std::move(frame));
  }

  CallsInto calls_without_;           ///< Through which nothing comes to the target of what its changed places need.
  std::string_view aside_of_target_;  ///< Its folder for things beside training; empty for none.
  bool is_target_aside_ = false;      ///< Its file or folder is for inference or evaluation.

  using Namesakes = std::map<std::uint32_t, std::vector<program::CallId>>;
  const Program& program_;
  const std::unordered_set<const python::Node*> changed_;
  std::optional<Namesakes> namesakes_;  ///< Found when first asked for.
  bool follows_names_ = false;
  bool follows_handed_on_ = false;  ///< Through wrappers that call any of what they were given; to be checked later.
  ImportClosure closure_;
  const MadeClasses made_;
  CallGuards guards_;
  WayChecks checks_;
  const EntryScripts entries_;
  const DecoratorWrappers decorators_;
  const Overrides overrides_;
  const TrainingLoop loop_;
  const std::set<std::string> title_words_;
  std::map<std::uint32_t, std::unique_ptr<ScriptReach>> reaches_;  ///< By script.
  std::unique_ptr<ClassMentions> mentions_;                        ///< Found when first asked for.
  std::map<std::uint32_t, std::unique_ptr<ScriptReach>> mentioning_reaches_;
  std::map<std::uint32_t, bool> is_named_by_setting_;  ///< By script.
  std::vector<bool> is_test_;                          ///< By module.
  std::vector<std::string_view> aside_;  ///< By module: its folder for things beside training; empty for none.
};

/// What makes objects of this class alone: a constructor that it inherits makes those of others, too.
FunctionId own_constructor(const Program& program, program::ClassId cls) {
  const FunctionId init = program.find_method(cls, "__init__");
  return init.valid() && program.functions()[init].owner == cls ? init : FunctionId();
}

/// The calls in lines that the change brings or edits, outside tests.
std::unordered_set<const python::Node*> changed_calls(const Story& story) {
  std::unordered_set<const python::Node*> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.is_added()) continue;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.is_moved || step.node == nullptr) continue;
      python::walk_of<python::Call>(*step.node, python::Nested::kEnter, [&](const python::Call* call) {
        if (step.span.contains(call->span)) out.insert(call);
      });
    }
  }
  return out;
}

}  // namespace

FunctionId callable_of(const Program& program, const change::EntityChange& entity) {
  if (!entity.after) return {};
  switch (entity.kind) {
    case change::EntityKind::kClass:
      return entity.after->cls.valid() ? own_constructor(program, entity.after->cls) : FunctionId();
    case change::EntityKind::kFunction:
    case change::EntityKind::kMethod:
      return entity.after->function;
    default:
      return {};
  }
}

void find_paths(const DocumentInputs& inputs, Story& story) {
  PathFinder finder(inputs, *inputs.after, changed_calls(story));
  for (const std::size_t index : story.central) {
    const FunctionId target = callable_of(*inputs.after, *story.actors[index].change);
    const Actor& actor = story.actors[index];
    Touched touched;
    if (!actor.is_added() && actor.change->before && actor.change->before->function.valid()) {
      touched.function_before = actor.change->before->function;
      const auto add = [](const std::vector<Step>& steps, std::vector<Span>& places) {
        for (const Step& step : steps) {
          if (step.status != StepStatus::kKept) places.push_back(step.span);
        }
      };
      add(actor.steps.after, touched.after);
      add(actor.steps.before, touched.before);
    }
    story.entries.push_back(target.valid() ? finder.find(target, std::move(touched)) : EntryPath());
    EntryPath& path = story.entries.back();
    // A function that is handed on where it is defined: a run gets at least to its definition.
    const FunctionId enclosing = target.valid() ? inputs.after->functions()[target].enclosing : FunctionId();
    if (path.frames.size() >= 2 || !enclosing.valid()) continue;
    path = finder.find(enclosing);
    path.is_definition = path.frames.size() >= 2;
    if (path.is_definition) path.frames.push_back({target, nullptr, {}, true});
  }
}

}  // namespace lockstep::report
