// How real runs reach the central entities: the likeliest way from a script, else from the outermost public function,
// else from a test.
#include <algorithm>
#include <climits>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "change/names.h"
#include "python/tree_walk.h"
#include "report/source/computed_imports.h"
#include "report/source/import_closure.h"
#include "report/source/words.h"
#include "report/story/story.h"
#include "report/ways/chosen_classes.h"
#include "report/ways/decorator_wrappers.h"
#include "report/ways/early_exits.h"
#include "report/ways/entry_scripts.h"
#include "report/ways/ill_fitting_calls.h"
#include "report/ways/inference_targets.h"
#include "report/ways/named_look_ups.h"
#include "report/ways/namesakes.h"
#include "report/ways/object_origins.h"
#include "report/ways/other_sides.h"
#include "report/ways/overrides.h"
#include "report/ways/passed_values.h"
#include "report/ways/script_places.h"
#include "report/ways/script_reaches.h"
#include "report/ways/training_loop.h"
#include "report/ways/ungiven_parameters.h"
#include "report/ways/unmade_classes.h"
#include "report/ways/used_results.h"
#include "report/ways/way_checks.h"
#include "report/ways/way_costs.h"
#include "report/ways/way_frames.h"
#include "report/ways/way_options.h"
#include "report/ways/ways.h"

namespace lockstep::report {

using program::EntryKind;
using program::FunctionId;
using program::Program;

namespace {

/// The words of a title, those within names too: "MambaModel" speaks of Mamba.
std::set<std::string> words_of_title(std::string_view title) {
  std::set<std::string> out = split_words(title);
  out.merge(name_words(title));
  return out;
}

class PathFinder {
 public:
  /// `changed`: calls that the change brings or edits. A way to another changed place through one of them is the
  /// likeliest that the change is for.
  PathFinder(const DocumentInputs& inputs, const Program& program, std::unordered_set<const python::Node*> changed)
      : program_(program),
        before_(*inputs.before),
        changed_(std::move(changed)),
        closure_(program),
        made_(program),
        ill_fitting_(program),
        guards_(program, made_),
        chosen_(program, inputs.after_files),
        checks_(program, *inputs.before, guards_),
        entries_(inputs, program),
        decorators_(program),
        overrides_(program, made_),
        loop_(program, inputs.step_path),
        title_words_(words_of_title(inputs.title)),
        costs_(program, guards_, chosen_, decorators_, overrides_, loop_, aside_, changed_),
        reaches_(program, made_, closure_, guards_, checks_.constants(), is_test_, aside_) {
    for (const change::FileSummary& file : inputs.change->files) changed_files_.insert(file.file->new_path);
    for (const program::Module& module : program.modules()) {
      is_test_.push_back(program::is_test_path(module.path));
      aside_.push_back(aside_folder(module.path));
    }
  }

  [[nodiscard]] ChosenClasses& chosen() { return chosen_; }
  [[nodiscard]] const MadeClasses& made() const { return made_; }

  /// A way to what looks a function up by its name: likeliest from a script that is kin to that one. What runs beside
  /// the looking up in its own file only tries it.
  EntryPath find_look_up(FunctionId looking, FunctionId looked_up) {
    kin_ = looked_up;
    unasked_ = program_.functions()[looking].module;
    EntryPath path = find(looking);
    kin_ = FunctionId();
    unasked_ = program::ModuleId();
    return path;
  }

  /// A way on which nothing runs of what the change touches is none.
  EntryPath find(FunctionId target, Touched touched = {}) {
    is_about_result_ = is_about_result(program_, before_, target, touched);
    is_only_inference_ = runs_only_in_inference(program_, target, touched.after);
    checks_.start(target, std::move(touched));
    calls_without_.clear();
    EntryPath path = passing(target);
    if (path.kind != EntryKind::kScript || path.frames.size() < 2) return path;
    if (checks_.is_off_by_default(legs_of(path))) {
      checks_.take_defaults(true);
      EntryPath shown = likeliest(target);
      checks_.take_defaults(false);
      const bool is_better = shown.kind == EntryKind::kScript && shown.frames.size() > 1 && shown.unshown.empty() &&
                             !checks_.is_off_by_default(legs_of(shown));
      if (is_better) path = std::move(shown);
    }
    // A script whose command line cannot ask for what the way needs comes after one whose command line can.
    const auto lacks_options = [&](const EntryPath& way) {
      needed_options_ = options_.needed(way, checks_, guards_);
      return !can_be_given_options(way.frames.front().function);
    };
    const auto is_way = [](const EntryPath& way) { return way.kind == EntryKind::kScript && way.frames.size() > 1; };
    EntryPath told;
    if (lacks_options(path)) told = likeliest(target);
    const bool is_better = is_way(told) && !lacks_options(told);
    needed_options_.clear();
    if (is_better) return told;
    // What is asked for says whose runs these are: `perform_rl_step`, those of `train_rl.py`.
    asked_words_ = words_asked_for(path);
    if (!asked_words_.empty()) told = likeliest(target);
    const bool is_for_it = !asked_words_.empty() && is_way(told);
    asked_words_.clear();
    return is_for_it ? told : path;
  }

 private:
  /// Whether words speak of what the script's runs are about.
  [[nodiscard]] bool is_named_by(const std::set<std::string>& words, FunctionId script) const {
    const std::set<std::string>& subjects = entries_.subjects_of(script);
    return std::any_of(subjects.begin(), subjects.end(), [&](const std::string& word) { return words.contains(word); });
  }

  /// The words of the settings that have to be given for the way, where they name another script that trains and not
  /// the way's own.
  [[nodiscard]] std::set<std::string> words_asked_for(const EntryPath& path) const {
    std::set<std::string> words;
    for (const PathFrame& frame : path.frames) {
      for (const python::Expr* condition : frame.asked) {
        for (const std::string& setting : config_reads(*condition)) words.merge(split_words(setting));
      }
    }
    const FunctionId own = path.frames.front().function;
    const program::ModuleId target = program_.functions()[path.frames.back().function].module;
    const auto is_other = [&](FunctionId script) {
      return program_.functions()[script].module != target && entries_.kind_of(script) == ScriptKind::kTrains &&
             is_named_by(words, script);
    };
    const bool names_other = !is_named_by(words, own) && !is_named_in_title(own) &&
                             std::any_of(entries_.scripts().begin(), entries_.scripts().end(), is_other);
    return names_other ? words : std::set<std::string>();
  }

  /// Of ways on which it shows that values are passed which the target needs, the likeliest; else the likeliest.
  EntryPath passing(FunctionId target) {
    EntryPath path = likeliest(target);
    if (is_about_result_ && throws_it_away(path)) {
      EntryPath using_it = by_name(target);
      if (!using_it.frames.empty() && !throws_it_away(using_it)) return using_it;
    }
    std::set<Needed> needed = checks_.refused();
    // A way that leaves the function at another place does not ask for what the one that was refused did.
    std::erase_if(needed, [&](const Needed& one) { return is_left_elsewhere(path, one); });
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

  /// Whether the way goes on in the function of `refused` from a place that does not ask for that parameter.
  [[nodiscard]] bool is_left_elsewhere(const EntryPath& path, const Needed& refused) const {
    const auto frame = std::find_if(path.frames.begin(), path.frames.end(),
                                    [&](const PathFrame& one) { return one.function == refused.function; });
    if (path.kind != EntryKind::kScript || frame == path.frames.end() || frame->call == nullptr) return false;
    const python::FunctionDef* def = program_.functions()[refused.function].def();
    const std::vector<std::string_view> asked =
        def == nullptr ? std::vector<std::string_view>() : parameters_asked_at(*def, frame->call->span);
    return std::find(asked.begin(), asked.end(), refused.parameter) == asked.end();
  }

  [[nodiscard]] bool can_be_given_options(FunctionId script) {
    if (program_.functions()[script].module == unasked_) return false;
    if (!asked_words_.empty() && !is_named_by(asked_words_, script)) return false;
    return needed_options_.empty() ||
           options_.are_declared(needed_options_, closure_.from(program_.functions()[script].module));
  }

  /// A way that contradicts itself only where there is no other.
  EntryPath likeliest(FunctionId target) {
    const auto is_good = [](const EntryPath& path) { return path.frames.size() > 1 && path.kind != EntryKind::kTest; };
    checks_.accept_contradictions(false);
    EntryPath path = likeliest_checked(target);
    if (is_good(path) || !checks_.has_met_contradiction()) return path;
    checks_.accept_contradictions(true);
    EntryPath any = likeliest_checked(target);
    return is_good(any) ? any : path;
  }
  EntryPath likeliest_checked(FunctionId target) {
    bans_for_all_.clear();
    costs_.aside_of_target = aside_[program_.functions()[target].module.index()];
    costs_.set_target(target);
    costs_.is_target_for_inference = is_only_inference_;
    is_target_aside_ = entries_.kind_of(target) == ScriptKind::kAside || is_only_inference_;
    if (is_only_inference_) costs_.aside_of_target = "inference";
    costs_.follows_handed_on = true;
    const Ways ways = ways_to(target, nullptr, {});
    costs_.follows_handed_on = false;
    // Of what stands among these itself that is nothing to tell.
    const bool only_helpers = !program::is_helper_path(program_.module_of(target).path) &&
                              std::none_of(entries_.scripts().begin(), entries_.scripts().end(),
                                           [&](FunctionId script) { return ways.cost(script) >= 0; });
    EntryPath unsure;
    any_gets_there_ = false;
    // Who passes what others leave out need not be a script that trains.
    if (checks_.needs_passed()) {
      constexpr int kFar = 120;
      CostedPath helper = best_script(entries_.helper_scripts(), ways, target);
      const CostedPath own = helper.path.frames.empty() ? CostedPath() : best_script(entries_.scripts(), ways, target);
      const bool is_nearer = own.path.frames.empty() || own.cost > helper.cost + kFar;
      helper.path.is_helper = only_helpers;
      if (!helper.path.frames.empty() && is_nearer) return helper.path;
    }
    // What serves models is run by the scripts that do, however much nearer others are that train on what it makes.
    const bool is_named = std::any_of(entries_.scripts().begin(), entries_.scripts().end(), [&](FunctionId script) {
      return ways.cost(script) >= 0 && is_named_in_title(script);
    });
    const bool asks_kin = kin_.valid() || (is_target_aside_ && !is_named);
    const std::vector<FunctionId> serving = is_only_inference_ ? entries_.serving(ways) : std::vector<FunctionId>();
    for (const std::vector<FunctionId>& sources :
         {entries_.hidden_beside(target), entries_.of_experiment(target), serving,
          entries_.kin_of(kin_.valid() ? kin_ : target, ways, asks_kin), entries_.scripts(),
          entries_.helper_scripts()}) {
      EntryPath path = best_script(sources, ways, target).path;
      path.is_helper = only_helpers;
      if (path.frames.empty()) continue;
      // An example with a word in common is told before other scripts only where its way is sure.
      if (!serving.empty() && sources == serving) return path;
      const bool is_example = program::is_helper_path(program_.module_of(path.frames.front().function).path);
      const bool is_sure =
          std::all_of(path.frames.begin(), path.frames.end(), [](const PathFrame& frame) { return frame.is_certain; });
      // What prepares runs or serves what they made says less of them than a script that trains.
      const bool is_aside = entries_.kind_of(path.frames.front().function) == ScriptKind::kAside;
      const bool is_beside = !is_target_aside_ && is_aside;
      if ((!is_example || is_sure || only_helpers || (asks_kin && is_aside)) && !is_beside) return path;
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
    if (!path.frames.empty()) return path;
    EntryPath failing = best_script(entries_.failing_scripts(), ways, target).path;
    if (failing.frames.empty()) return path;
    failing.missing_import = entries_.missing_import(failing.frames.front().function);
    return failing;
  }

  /// Whether the last call of the way throws away what it returns.
  [[nodiscard]] bool throws_it_away(const EntryPath& path) const {
    const python::Node* last = path.frames.size() < 2 ? nullptr : path.frames[path.frames.size() - 2].call;
    const program::CallId call = last == nullptr ? program::CallId() : program_.call_of(last);
    return call.valid() && unused_results_.contains(call);
  }

  /// The way from the nearest script that trains and loads modules by computed names, whether or not its imports show
  /// that it loads the target's.
  EntryPath loading_by_name(const Ways& ways, FunctionId target) {
    FunctionId best;
    const auto cost = [&](FunctionId script) { return ways.cost(script) + cost_of_place(script, target); };
    for (const FunctionId script : entries_.scripts()) {
      const bool may_lead = ways.cost(script) >= 0 && entries_.kind_of(script) == ScriptKind::kTrains &&
                            (!best.valid() || cost(script) < cost(best));
      if (may_lead && can_be_given_options(script) && loads_by_name(program_.functions()[script].module)) best = script;
    }
    if (!best.valid()) return {};
    constexpr int kMostTries = 12;
    std::vector<Leg> legs = ways.legs(best, target);
    Bans bans;
    for (int i = 0; i < kMostTries && !legs.empty(); ++i) {
      const auto broken = checks_.inconsistent_step(legs);
      if (!broken && !enters_helpers(legs) && !costs_.has_handed_on(legs)) {
        EntryPath path = along(legs);
        path.kind = EntryKind::kScript;
        return path;
      }
      if (!broken) return {};
      bans.insert(*broken);
      legs = ways_to(target, nullptr, bans, best).legs(best, target);
    }
    return {};
  }

  /// Whether a module that the script loads imports others by computed names.
  bool loads_by_name(program::ModuleId script) {
    if (has_computed_imports_.empty()) has_computed_imports_ = modules_with_computed_imports(program_);
    const std::vector<int>& loaded = closure_.from(script);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      if (loaded[i] >= 0 && has_computed_imports_[i]) return true;
    }
    return false;
  }

  /// Where no known call leads there: the way that also takes calls of a method on a value of unknown class, where few
  /// methods have its name.
  EntryPath by_name(FunctionId target) {
    if (!namesakes_) namesakes_ = calls_of_namesakes(program_, is_test_);
    follows_names_ = true;
    const Ways ways = ways_to(target, nullptr, {});
    follows_names_ = false;
    std::vector<FunctionId> reaching;
    for (const FunctionId script : entries_.scripts()) {
      if (ways.cost(script) >= 0 && script != target && can_be_given_options(script)) reaching.push_back(script);
    }
    if (reaching.empty() || !keep_loading(reaching, target)) return {};
    constexpr int kMostScripts = 4;
    std::vector<Leg> legs;
    for (int i = 0; i < kMostScripts && legs.empty() && !reaching.empty(); ++i) {
      const FunctionId best =
          best_known(reaching, [&](FunctionId source) { return ways.cost(source) + cost_of_place(source, target); });
      std::erase(reaching, best);
      follows_names_ = true;
      legs = consistent_way_of_all_code(best, target);
      follows_names_ = false;
    }
    if (legs.empty()) return {};
    EntryPath path;
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

  /// Of a call that Python would refuse: another function is meant. None enters the target so; in between, where no
  /// other way is near, the right one may differ from it in that step alone.
  static constexpr int kIllFitting = 80;
  /// Of a call that throws away the result that the change is about.
  static constexpr int kUnusedResult = 40;
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
        const int step = costs_.of(call, at, script);
        const int choice = step < 0 ? -1 : costs_.of_choice(ways, call, place, script);
        const int foreign = source.valid() && entries_.is_of_another(source, at) ? WayCosts::kForeign : 0;
        const int unused = is_about_result_ && at == target && unused_results_.contains(call) ? kUnusedResult : 0;
        const int refused = choice >= 0 && ill_fitting_.contains(call, at) ? kIllFitting : 0;
        if (refused > 0 && at == target) continue;
        if (choice >= 0) ways.offer(caller, call, place, cost + step + choice + foreign + unused + refused);
      }
      if (!follows_names_) continue;
      // A function inside another that nobody is known to call is handed on where it is defined.
      const FunctionId enclosing = program_.functions()[at].enclosing;
      if (enclosing.valid() && enclosing != target && program_.callers_of(at).empty())
        ways.offer(enclosing, program::CallId(), place, cost + WayCosts::kCostOfName);
      const auto guessed = namesakes_->find(at.value);
      if (guessed == namesakes_->end()) continue;
      for (const program::CallId call : guessed->second) {
        const FunctionId caller = program_.calls()[call].caller;
        if (caller != target && !bans.contains({call.value, at.value}))
          ways.offer(caller, call, place, cost + WayCosts::kCostOfName);
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
      if (ways.cost(source) >= 0 && source != target && can_be_given_options(source)) reaching.push_back(source);
    }
    if (reaching.empty()) return {};
    std::stable_sort(reaching.begin(), reaching.end(),
                     [&](FunctionId a, FunctionId b) { return ways.cost(a) < ways.cost(b); });
    if (!keep_loading(reaching, target)) return {};
    std::vector<FunctionId> getting_there;
    std::copy_if(reaching.begin(), reaching.end(), std::back_inserter(getting_there),
                 [&](FunctionId source) { return reaches_.of(source).reaches(target); });
    const bool some_get_there = !getting_there.empty();
    any_gets_there_ = any_gets_there_ || some_get_there;
    // Where the code of some gets there, the others do not.
    const FunctionId nearest = best_known(getting_there.empty() ? reaching : getting_there, [&](FunctionId source) {
      return ways.cost(source) + cost_of_place(source, target);
    });
    std::vector<FunctionId> named;
    std::copy_if(getting_there.begin(), getting_there.end(), std::back_inserter(named),
                 [&](FunctionId source) { return is_named_in_title(source); });
    std::vector<FunctionId> candidates = entries_.candidates(std::move(getting_there));
    constexpr std::size_t kMostNamed = 3;
    for (std::size_t i = 0; i < std::min(named.size(), kMostNamed); ++i) {
      if (std::find(candidates.begin(), candidates.end(), named[i]) == candidates.end()) candidates.push_back(named[i]);
    }
    CostedPath best = within_closures(candidates, target);
    EntryPath& path = best.path;
    // No closure holds what is loaded by name while it runs; no run is of two classes at once.
    if (path.frames.empty()) {
      if (!some_get_there && any_gets_there_) return {};
      const std::vector<Leg> legs = ways.legs(nearest, target);
      if (enters_helpers(legs) || costs_.has_handed_on(legs) || checks_.inconsistent_step(legs)) return {};
      best = {along(legs), ways.cost(nearest)};
    }
    path.kind = EntryKind::kScript;
    count_others(reaching, ways, target, path);
    return best;
  }

  /// Whether a script that is no example goes through code of examples: who loads that is another.
  [[nodiscard]] bool enters_helpers(const std::vector<Leg>& legs) const {
    return !program::is_helper_path(program_.module_of(legs.front().from).path) &&
           std::any_of(legs.begin(), legs.end(),
                       [&](const Leg& leg) { return program::is_helper_path(program_.module_of(leg.to).path); });
  }

  /// Counts the scripts of other files whose own cheapest way holds, and says whether these are all there may be.
  void count_others(const std::vector<FunctionId>& sources, const Ways& ways, FunctionId target, EntryPath& path) {
    std::set<std::string> files = {program_.module_of(path.frames.front().function).path};
    for (const FunctionId source : sources) {
      const std::string& file = program_.module_of(source).path;
      if (files.contains(file) || !reaches_.of(source).reaches(target)) continue;
      const std::vector<Leg> legs = ways.legs(source, target);
      if (costs_.has_handed_on(legs, &reaches_.of(source)) || checks_.inconsistent_step(legs, &reaches_.of(source)))
        continue;
      files.insert(file);
      const EntryPath other = along(legs);
      path.others_may = path.others_may || std::any_of(other.frames.begin(), other.frames.end(), [](const auto& frame) {
                          return !frame.is_certain || frame.off_by_default != nullptr;
                        });
    }
    path.other_entries = files.size() - 1;
    path.are_all_counted = path.other_entries > 0 && entries_.are_all_to(target, files);
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

  /// Where a script comes there through its own classes alone, those go that come there at more cost through what
  /// others are about: however much the documentation names them, their runs hold no such objects unless told to.
  template <class CostedLegsOfScripts>
  void drop_foreign(std::vector<FunctionId>& sources, CostedLegsOfScripts& ways) const {
    const auto is_foreign = [&](FunctionId source) {
      const std::vector<Leg>& legs = ways[source.value].legs;
      return std::any_of(legs.begin(), legs.end(),
                         [&](const Leg& leg) { return entries_.is_of_another(source, leg.to); });
    };
    int own = INT_MAX;
    bool is_own_aside = !is_target_aside_;  // All that come there through their own serve or prepare.
    for (const FunctionId source : sources) {
      if (program::is_helper_path(program_.module_of(source).path) || is_foreign(source)) continue;
      own = std::min(own, ways[source.value].cost);
      is_own_aside = is_own_aside && entries_.kind_of(source) == ScriptKind::kAside;
    }
    std::erase_if(sources, [&](FunctionId source) {
      const bool trains = is_own_aside && entries_.kind_of(source) == ScriptKind::kTrains;
      return ways[source.value].cost > own && is_foreign(source) && !trains;
    });
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
    drop_foreign(open, ways);
    // A script that brings the code in itself is likelier to run it than one that loads it among everything.
    constexpr int kCostOfImport = 3;
    const FunctionId best = best_known(open, [&](FunctionId source) {
      const int imports =
          closure_.from(program_.functions()[source].module)[program_.functions()[target].module.index()];
      return ways[source.value].cost + kCostOfImport * imports + cost_of_place(source, target);
    });
    return {along(ways[best.value].legs), ways[best.value].cost};
  }

  /// Whether the title speaks of what the script's runs are about.
  [[nodiscard]] bool is_named_in_title(FunctionId script) const { return is_named_by(title_words_, script); }

  /// People start what stands at the top before what is a part of something; a change is for the runs whose script its
  /// title names. What the target's file does as a script of its own says less than what others do with it.
  [[nodiscard]] int cost_of_place(FunctionId script, FunctionId target) const {
    constexpr int kFolder = 3;
    constexpr int kNamed = 40;
    constexpr int kOwnFile = 40;
    const std::string& path = program_.module_of(script).path;
    if (program_.functions()[script].module == program_.functions()[target].module) return kOwnFile;
    const std::set<std::string>& words = entries_.subjects_of(script);
    auto named =
        std::count_if(words.begin(), words.end(), [&](const std::string& word) { return title_words_.contains(word); });
    if (changed_files_.contains(path)) named += 2;
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
    CostedLegs found = consistent_way(source, target, reaches_.of(source));
    if (found.legs.empty()) return found;
    const ScriptReach* mentioning = (costs_.aside_of_target.empty() ? reaches_.mentioning(source) : nullptr);
    if (mentioning == nullptr) {
      // What a setting names may be anything; of things beside training it is not asked.
      const bool is_aside =
          !aside_[program_.functions()[source].module.index()].empty() || !costs_.aside_of_target.empty();
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
    CostedLegs found = blaming_each(source, target, &script, kMostTries);
    if (found.legs.empty() || std::none_of(found.legs.begin(), found.legs.end(), [&](const Leg& leg) {
          return leg.call.valid() && guards_.is_off(leg.call);
        }))
      return found;
    // A way that runs take without setting anything comes before one that they do not.
    constexpr int kFewTries = 6;
    CostedLegs by_default = consistent_way(source, target, &script, kFewTries, true);
    return by_default.legs.empty() ? found : by_default;
  }
  /// The same, whatever the script loads.
  std::vector<Leg> consistent_way_of_all_code(FunctionId source, FunctionId target) {
    constexpr int kFewTries = 5;
    return blaming_each(source, target, nullptr, kFewTries).legs;
  }
  /// What closes a way may be held against one or another of its calls: each is left out in turn.
  CostedLegs blaming_each(FunctionId source, FunctionId target, const ScriptReach* script, int tries) {
    checks_.forget_faults();
    const bool begins_with_bans = !bans_for_all_.empty();
    CostedLegs found = consistent_way(source, target, script, tries, false);
    for (const auto fault : {WayChecks::Fault::kEntering, WayChecks::Fault::kRefused}) {
      // Where nothing depends on who is blamed, the same ways come again.
      if (!found.legs.empty() || (!checks_.has_met(fault) && !begins_with_bans)) continue;
      checks_.blame(fault);
      found = consistent_way(source, target, script, tries, false);
      checks_.blame(WayChecks::Fault::kCause);
    }
    return found;
  }
  /// `script`: what it reaches; null for all code.
  CostedLegs consistent_way(FunctionId source, FunctionId target, const ScriptReach* script, int tries,
                            bool by_default) {
    // What goes wrong for one script does for the next; where that leaves no way, it is looked for anew.
    Bans bans = checks_.blamed() == WayChecks::Fault::kCause ? bans_for_all_ : Bans();
    for (int i = 0; i < tries; ++i) {
      const Ways ways = ways_to(target, script, bans, source);
      if (ways.cost(source) < 0 && !bans.empty() && i == 0) {
        bans.clear();
        bans_for_all_.clear();
        continue;
      }
      if (ways.cost(source) < 0) return {};
      CostedLegs found{ways.legs(source, target), ways.cost(source)};
      auto broken = checks_.inconsistent_step(found.legs, script);
      for (std::size_t k = 0; by_default && !broken && k < found.legs.size(); ++k) {
        const Leg& leg = found.legs[k];
        if (leg.call.valid() && guards_.is_off(leg.call)) broken.emplace(leg.call.value, leg.to.value);
      }
      if (!broken) return found;
      bans.insert(*broken);
      if (checks_.is_for_all()) bans_for_all_.insert(*broken);
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
      if (program::is_helper_path(program_.module_of(id).path) || function.kind != program::FunctionKind::kFunction ||
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
        out.frames.back().is_certain = out.frames.back().is_certain && costs_.enters_decorated(legs, i);
      } else if (leg.call.valid()) {
        out.frames.push_back(frame_of(program_, guards_, leg.call, leg.to));
        out.frames.back().is_certain = out.frames.back().is_certain || costs_.enters_decorated(legs, i);
      } else {
        out.frames.push_back({leg.from, nullptr, {}, false});
      }
    }
    if (!legs.empty()) out.frames.push_back({legs.back().to, nullptr, {}, true});
    for (const std::string_view parameter : checks_.unshown(legs)) out.unshown.emplace_back(parameter);
    return out;
  }

  /// The calls of a way that was found; one that no call leads on by itself ends it.
  [[nodiscard]] std::vector<Leg> legs_of(const EntryPath& path) const {
    std::vector<Leg> legs;
    for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
      const python::Node* node = path.frames[i].call;
      const program::CallId call = node == nullptr ? program::CallId() : program_.call_of(node);
      if (!call.valid()) break;
      legs.push_back({path.frames[i].function, call, path.frames[i + 1].function});
    }
    return legs;
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
      // A test that does not load the target's module holds no object of its classes.
      if (at != target && tests.contains(at) &&
          closure_.from(program_.functions()[at].module)[program_.functions()[target].module.index()] >= 0)
        return along(ways.legs_from(place, target));
      const bool is_of_test = is_test_[program_.functions()[at].module.index()];
      for (const program::CallId call : program_.callers_of(at)) {
        const program::CallSite& site = program_.calls()[call];
        if (is_of_test && !is_test_[program_.functions()[site.caller].module.index()]) continue;
        const bool is_known =
            std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
              return one.function == at && one.certainty != program::Certainty::kByName;
            });
        if (!is_known || costs_.is_handed_on(site) || site.caller == target || guards_.is_dead(call) ||
            ways.leads_on(call, place) == Ways::LeadsOn::kNo)
          continue;
        if (const auto found = ways.offer(site.caller, call, place, static_cast<int>(next) + 1))
          pending.push_back(*found);
      }
    }
    return {};
  }

  bool follows_names_ = false;         ///< Also calls of a method on values of unknown class.
  Bans bans_for_all_;                  ///< Of the target in question.
  CallsInto calls_without_;            ///< Through which nothing comes to the target of what its changed places need.
  WayOptions::Names needed_options_;   ///< Scripts that cannot be given them are left out.
  std::set<std::string> asked_words_;  ///< Of settings that a way asks for: only scripts that are named so are asked.
  bool any_gets_there_ = false;        ///< By its code some script that was asked for the target in question does.
  bool is_only_inference_ = false;     ///< Its changed places ask for inference, wherever it stands.
  bool is_target_aside_ = false;       ///< Its file or folder is for inference or evaluation.

  FunctionId kin_;             ///< To which scripts are kin, in place of the target.
  program::ModuleId unasked_;  ///< The scripts of which are not asked.

  bool is_about_result_ = false;  ///< All that changes in the target only makes what it returns.
  const Program& program_;
  mutable UnusedResults unused_results_{program_};
  const Program& before_;
  const std::unordered_set<const python::Node*> changed_;
  std::optional<std::map<std::uint32_t, std::vector<program::CallId>>> namesakes_;  ///< Found when first asked for.
  ImportClosure closure_;
  const MadeClasses made_;
  IllFittingCalls ill_fitting_;
  CallGuards guards_;
  ChosenClasses chosen_;
  WayChecks checks_;
  const EntryScripts entries_;
  const DecoratorWrappers decorators_;
  const Overrides overrides_;
  const TrainingLoop loop_;
  const std::set<std::string> title_words_;
  std::set<std::string> changed_files_;
  std::vector<bool> has_computed_imports_;  ///< By module; found when first asked for.
  std::vector<bool> is_test_;               ///< By module.
  std::vector<std::string_view> aside_;     ///< By module: its folder for things beside training; empty for none.
  WayOptions options_{program_, is_test_};
  WayCosts costs_;
  ScriptReaches reaches_;
};

/// What makes objects of this class alone: a constructor that it inherits makes those of others, too.
FunctionId own_constructor(const Program& program, program::ClassId cls) {
  const FunctionId init = program.find_method(cls, "__init__");
  return init.valid() && program.functions()[init].owner == cls ? init : FunctionId();
}

/// The class whose objects the entity is of, or is; none for others.
program::ClassId class_of(const Program& program, const change::EntityChange& entity, FunctionId target) {
  if (entity.kind == change::EntityKind::kClass && entity.after) return entity.after->cls;
  return target.valid() && runs_on_object(program, target) ? program.functions()[target].owner : program::ClassId();
}

/// Whether a new call of that name stands where the very code of its callee stood.
bool only_replaces(const Actor& actor, std::string_view callee) {
  bool went_there = false;
  for (const Step& step : actor.steps.before) {
    if (step.status != StepStatus::kRemoved || step.is_moved) continue;
    if (step.elsewhere == nullptr || step.differs_there ||
        change::last_part(step.elsewhere->latest().qualified_name) != callee)
      return false;
    went_there = true;
  }
  return went_there;
}

/// The calls in lines that the change brings or edits, outside tests, and those of objects that are made there.
std::unordered_set<const python::Node*> changed_calls(const Story& story) {
  std::unordered_set<const python::Node*> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.is_added()) continue;
    std::set<std::string> made;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.is_moved || step.node == nullptr) continue;
      python::walk_of<python::Call>(*step.node, python::Nested::kEnter, [&](const python::Call* call) {
        if (step.span.contains(call->span) && !only_replaces(actor, callee_name(*call))) out.insert(call);
      });
      const python::Expr* target = nullptr;
      const python::Expr* value = step.kind == StepKind::kPlain ? assigned_value(step.node, target) : nullptr;
      if (python::is<python::Call>(value) && target != nullptr) made.insert(dotted_text(target));
    }
    made.erase("");
    for (const Step& step : actor.steps.after) {
      if (made.empty() || step.node == nullptr || step.kind != StepKind::kPlain) continue;
      python::walk_of<python::Call>(*step.node, python::Nested::kEnter, [&](const python::Call* call) {
        const auto* method = python::as<python::Attribute>(call->callee);
        if (method != nullptr && made.contains(dotted_text(method->value))) out.insert(call);
      });
    }
  }
  return out;
}

/// Puts the way to what looks a function up by its name before a way on which nothing is known to call that one.
void add_look_up(const Program& program, PathFinder& finder, NamedLookUps& look_ups, FunctionId target,
                 EntryPath& path) {
  if (path.kind == EntryKind::kScript && !path.frames.empty()) return;
  const bool has_top = path.kind == EntryKind::kPublicApi && !path.frames.empty();
  const auto found = look_ups.of(has_top ? path.frames.front().function : target);
  if (!found) return;
  EntryPath way = finder.find_look_up(found->function, target);
  if (way.kind != EntryKind::kScript || way.frames.empty()) return;
  PathFrame& last = way.frames.back();
  last.call = found->call;
  last.is_certain = false;
  last.handing = Handing::kLooksUp;
  if (const python::Node* body = program.functions()[found->function].node; body != nullptr)
    last.guards = guards_of(*body, found->call->span);
  if (has_top) {
    way.frames.insert(way.frames.end(), path.frames.begin(), path.frames.end());
  } else {
    way.frames.push_back({target, nullptr, {}, true});
  }
  path = std::move(way);
}

/// Notes where a way goes on in a function that was looked up by its name, and lets it come from a script that is kin
/// to that one.
void note_look_ups(PathFinder& finder, NamedLookUps& look_ups, EntryPath& path) {
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    PathFrame& frame = path.frames[i];
    const FunctionId looked_up = path.frames[i + 1].function;
    if (frame.call == nullptr || frame.handing != Handing::kNone ||
        !look_ups.is_look_up(frame.function, frame.call, looked_up))
      continue;
    frame.handing = Handing::kLooksUp;
    frame.is_certain = false;
    EntryPath way = finder.find_look_up(frame.function, looked_up);
    if (way.kind != EntryKind::kScript || way.frames.empty()) return;
    PathFrame looking = frame;
    path.frames.erase(path.frames.begin(), path.frames.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    way.frames.back() = std::move(looking);
    way.frames.insert(way.frames.end(), path.frames.begin(), path.frames.end());
    path.frames = std::move(way.frames);
    return;
  }
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
  UngivenParameters ungiven(*inputs.after);
  const UnmadeClasses unmade(*inputs.after);
  NamedLookUps look_ups(*inputs.after);
  ChosenClasses& chosen = finder.chosen();
  const OtherSides other_sides(*inputs.after);
  const ObjectOrigins origins(
      *inputs.after, finder.made(), [&](FunctionId function) { return finder.find(function); }, inputs.step_path);
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
    const program::ClassId never_made = unmade.of(target);
    story.entries.push_back(target.valid() && !never_made.valid() ? finder.find(target, touched) : EntryPath());
    EntryPath& path = story.entries.back();
    if (never_made.valid()) {
      path.unmade = never_made;
      story.origins.emplace_back();
      continue;
    }
    if (target.valid()) add_look_up(*inputs.after, finder, look_ups, target, path);
    note_look_ups(finder, look_ups, path);
    other_sides.mark(path);
    const program::ClassId cls = class_of(*inputs.after, *actor.change, target);
    if (cls.valid()) path.chosen = chosen.of(cls);
    if (path.frames.size() >= 2) {
      const program::ClassId owner = inputs.after->functions()[target].owner;
      if (owner.valid() && path.kind != EntryKind::kTest) path.ungiven = ungiven.of(owner);
      if (!path.chosen && path.kind != EntryKind::kTest) path.chosen = chosen.on_way(path.frames);
      if (path.ungiven.function.valid()) path.chosen.reset();
      find_exits(inputs, target, touched, path);
    }
    story.origins.push_back(target.valid() ? origins.of(path, target) : ObjectOrigin());
    // A function that is handed on where it is defined: a run gets at least to its definition.
    const FunctionId enclosing = target.valid() ? inputs.after->functions()[target].enclosing : FunctionId();
    if (path.frames.size() >= 2 || !enclosing.valid()) continue;
    path = finder.find(enclosing);
    path.is_definition = path.frames.size() >= 2;
    if (path.is_definition) path.frames.push_back({target, nullptr, {}, true});
  }
}

}  // namespace lockstep::report
