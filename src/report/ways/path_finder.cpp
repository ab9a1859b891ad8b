// Which of several ways is told: of what a way asks for, and whose runs go there.
#include "report/ways/path_finder.h"

#include <algorithm>

#include "report/source/computed_imports.h"
#include "report/ways/conditions/left_out_values.h"
#include "report/ways/objects/held_objects.h"
#include "report/ways/objects/named_heirs.h"
#include "report/ways/scripts/literal_look_ups.h"
#include "report/ways/scripts/script_places.h"
#include "report/ways/way_frames.h"

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

}  // namespace

PathFinder::PathFinder(const DocumentInputs& inputs, const Program& program,
                       std::unordered_set<const python::Node*> changed)
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
  checks_.set_only_trains(
      [this](FunctionId script) { return !is_only_inference_ && entries_.kind_of(script) == ScriptKind::kTrains; });
  for (const program::Module& module : program.modules()) {
    is_test_.push_back(program::is_test_path(module.path));
    aside_.push_back(aside_folder(module.path));
  }
}

EntryPath PathFinder::find_look_up(FunctionId looking, FunctionId looked_up) {
  kin_ = looked_up;
  unasked_ = program_.functions()[looking].module;
  EntryPath path = find(looking);
  kin_ = FunctionId();
  unasked_ = program::ModuleId();
  return path;
}

EntryPath PathFinder::find(FunctionId target, Touched touched) {
  other_heirs_ = heirs_beside_named(program_, target, title_words_);
  const std::string_view left_out = parameter_left_out_for(program_, target, touched.working);
  if (left_out.empty()) return find_any(target, touched);
  EntryPath path = find_any(target, touched);
  prefer_left_out(target, left_out, std::move(touched), path);
  return path;
}

void PathFinder::prefer_left_out(FunctionId target, std::string_view parameter, Touched touched, EntryPath& path) {
  LeavingCalls calls = calls_leaving_out(program_, target, parameter);
  if (calls.leaving.empty()) return;
  const auto goes_through = [&](const EntryPath& way, const CallsInto& some) {
    const std::vector<Leg> legs = legs_of(way);
    return std::any_of(legs.begin(), legs.end(), [&](const Leg& leg) {
      return some.contains({leg.call.value, leg.to.value});
    });
  };
  if (path.kind == EntryKind::kScript && path.frames.size() > 1 && goes_through(path, calls.giving)) {
    checks_.start(target, std::move(touched));
    calls_without_ = std::move(calls.giving);
    calls_without_.merge(calls.unshown);
    EntryPath other = likeliest(target);
    // As in find_any(): what is asked for says whose runs these are.
    if (other.kind == EntryKind::kScript && other.frames.size() > 1) asked_words_ = words_asked_for(other);
    if (!asked_words_.empty()) {
      EntryPath named = likeliest(target);
      if (named.kind == EntryKind::kScript && named.frames.size() > 1) other = std::move(named);
    }
    asked_words_.clear();
    calls_without_.clear();
    const auto is_aside = [&](const EntryPath& way) {
      const FunctionId script = way.frames.front().function;
      return entries_.kind_of(script) == ScriptKind::kAside || program::is_helper_path(program_.module_of(script).path);
    };
    const bool is_better = other.kind == EntryKind::kScript && other.frames.size() > 1 &&
                           goes_through(other, calls.leaving_into) && (is_aside(path) || !is_aside(other));
    if (is_better) path = std::move(other);
  }
  path.left_out = parameter;
  path.leaving_out = std::move(calls.leaving);
}

EntryPath PathFinder::find_any(FunctionId target, const Touched& touched) {
  // What has to be turned on for new branches is asked for as well, where some script reaches that.
  std::vector<std::vector<std::vector<SwitchedOn>>> tries;
  const auto add = [](const std::vector<Switched>& some, std::vector<std::vector<SwitchedOn>>& needed) {
    for (const Switched& one : some) needed.push_back(one.on);
  };
  if (!touched.branch_switches.empty()) add(touched.branch_switches, tries.emplace_back());
  for (auto& needed : tries) add(touched.switches, needed);
  if (!touched.switches.empty()) add(touched.switches, tries.emplace_back());
  const auto is_way = [](const EntryPath& way) { return way.kind == EntryKind::kScript && way.frames.size() > 1; };
  guards_.ask_switches(true);
  for (auto& needed : tries) {
    needed_on_ = std::move(needed);
    EntryPath path = find_set(target, touched);
    if (is_way(path)) {
      EntryPath through = through_switch(target, touched, path);
      needed_on_.clear();
      return is_way(through) ? through : path;
    }
    needed_on_.clear();
  }
  EntryPath path = find_set(target, touched);
  if (is_way(path) || !guards_.has_met_switch()) return path;
  guards_.ask_switches(false);
  EntryPath any = find_set(target, touched);
  guards_.ask_switches(true);
  return is_way(any) ? any : path;
}

EntryPath PathFinder::through_switch(FunctionId target, const Touched& touched, const EntryPath& path) {
  constexpr int kFewTries = 5;
  constexpr std::size_t kMostFrames = 8;
  for (const Switched& one : touched.switches) {
    for (const SwitchedOn& on : one.on) {
      const bool is_on_way = std::any_of(path.frames.begin(), path.frames.end(),
                                         [&](const PathFrame& frame) { return frame.function == on.function; });
      if (is_on_way) return {};
      if (!on.is_self || on.function == target) continue;
      checks_.start(on.function, {});
      EntryPath way = likeliest(on.function);
      if (way.kind != EntryKind::kScript || way.frames.size() < 2) continue;
      checks_.start(target, touched);
      costs_.set_target(target);
      const ScriptReach& script = reaches_.of(way.frames.front().function);
      std::vector<Leg> legs = legs_of(way);
      const std::vector<Leg> rest = consistent_way(on.function, target, &script, kFewTries).legs;
      if (rest.empty()) continue;
      legs.insert(legs.end(), rest.begin(), rest.end());
      if (checks_.inconsistent_step(legs, &script)) continue;
      const EntryPath end = along(rest);
      const bool is_sure =
          end.frames.size() <= kMostFrames &&
          std::all_of(end.frames.begin(), end.frames.end(), [](const PathFrame& frame) { return frame.is_certain; });
      if (!is_sure) continue;
      way.frames.pop_back();
      way.frames.insert(way.frames.end(), end.frames.begin(), end.frames.end());
      way.unshown = end.unshown;
      return way;
    }
  }
  return {};
}

EntryPath PathFinder::find_set(FunctionId target, Touched touched) {
  is_about_result_ = is_about_result(program_, before_, target, touched);
  is_only_inference_ =
      runs_only_in_inference(program_, target, touched.after) || is_held_only_in_inference(program_, target);
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

bool PathFinder::is_named_by(const std::set<std::string>& words, FunctionId script) const {
  const std::set<std::string>& subjects = entries_.subjects_of(script);
  return std::any_of(subjects.begin(), subjects.end(), [&](const std::string& word) { return words.contains(word); });
}

std::set<std::string> PathFinder::words_asked_for(const EntryPath& path) const {
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

EntryPath PathFinder::passing(FunctionId target) {
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
  calls_without_ = calls_without(program_, checks_.constants(), needed, [&](const Needed& one, const Value& value) {
    return one.function == target && checks_.rules_changes_out(target, one.parameter, value);
  });
  EntryPath passed = likeliest(target);
  if (only_unshown) return passed.kind == EntryKind::kScript && passed.frames.size() > 1 ? passed : path;
  // Of a function on the way only one call was seen to need the value: another may lead on without it.
  const bool is_target_refused =
      std::any_of(needed.begin(), needed.end(), [&](const Needed& one) { return one.function == target; });
  const bool is_worse = passed.frames.size() < 2 || passed.kind == EntryKind::kTest;
  // A script's way was checked, too: where no call shows the value, it is the one on which one may come.
  return is_worse && (!is_target_refused || path.kind == EntryKind::kScript) ? path : passed;
}

bool PathFinder::is_left_elsewhere(const EntryPath& path, const Needed& refused) const {
  const auto frame = std::find_if(path.frames.begin(), path.frames.end(),
                                  [&](const PathFrame& one) { return one.function == refused.function; });
  if (path.kind != EntryKind::kScript || frame == path.frames.end() || frame->call == nullptr) return false;
  const python::FunctionDef* def = program_.functions()[refused.function].def();
  const std::vector<std::string_view> asked =
      def == nullptr ? std::vector<std::string_view>() : parameters_asked_at(*def, frame->call->span);
  return std::find(asked.begin(), asked.end(), refused.parameter) == asked.end();
}

bool PathFinder::can_be_given_options(FunctionId script) {
  if (program_.functions()[script].module == unasked_) return false;
  const program::ModuleId own = program_.functions()[script].module;
  if (kin_.valid() && unasked_.valid() &&
      (looks_up_another(program_, own, kin_) || is_of_another_experiment(program_, own, kin_)))
    return false;
  if (!asked_words_.empty() && !is_named_by(asked_words_, script)) return false;
  const auto is_reached = [&](const std::vector<SwitchedOn>& any) {
    return std::any_of(any.begin(), any.end(),
                       [&](const SwitchedOn& on) { return reaches_.of(script).reaches(on.function); });
  };
  if (!std::all_of(needed_on_.begin(), needed_on_.end(), is_reached)) return false;
  return needed_options_.empty() ||
         options_.are_declared(needed_options_, closure_.from(program_.functions()[script].module));
}

EntryPath PathFinder::likeliest(FunctionId target) {
  const auto is_good = [](const EntryPath& path) { return path.frames.size() > 1 && path.kind != EntryKind::kTest; };
  checks_.accept_contradictions(false);
  EntryPath path = likeliest_checked(target);
  if (is_good(path) || !checks_.has_met_contradiction()) return path;
  checks_.accept_contradictions(true);
  EntryPath any = likeliest_checked(target);
  return is_good(any) ? any : path;
}

EntryPath PathFinder::likeliest_checked(FunctionId target) {
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
        entries_.kin_of(kin_.valid() ? kin_ : target, ways, asks_kin), entries_.scripts(), entries_.helper_scripts()}) {
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
  // What closes the ways of scripts may close that one, too.
  if (path.frames.size() > 2 && checks_.inconsistent_step(legs_of(path))) path = EntryPath();
  path.kind = EntryKind::kTest;
  if (!path.frames.empty()) return path;
  EntryPath failing = best_script(entries_.failing_scripts(), ways, target).path;
  if (failing.frames.empty()) return path;
  failing.missing_import = entries_.missing_import(failing.frames.front().function);
  return failing;
}

bool PathFinder::throws_it_away(const EntryPath& path) const {
  const python::Node* last = path.frames.size() < 2 ? nullptr : path.frames[path.frames.size() - 2].call;
  const program::CallId call = last == nullptr ? program::CallId() : program_.call_of(last);
  return call.valid() && unused_results_.contains(call);
}

EntryPath PathFinder::loading_by_name(const Ways& ways, FunctionId target) {
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

bool PathFinder::loads_by_name(program::ModuleId script) {
  if (has_computed_imports_.empty()) has_computed_imports_ = modules_with_computed_imports(program_);
  const std::vector<int>& loaded = closure_.from(script);
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    if (loaded[i] >= 0 && has_computed_imports_[i]) return true;
  }
  return false;
}

EntryPath PathFinder::by_name(FunctionId target) {
  if (!namesakes_) namesakes_ = calls_of_namesakes(program_, is_test_, closure_);
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
    const std::vector<program::CallId>& through = module_calls_.to(leg.to);
    const bool is_known = std::find(through.begin(), through.end(), leg.call) != through.end() ||
                          std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& one) {
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

}  // namespace lockstep::report
