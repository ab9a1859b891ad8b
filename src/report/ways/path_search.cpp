// The search of PathFinder: cheapest ways, and which of them hold.
#include "report/ways/path_finder.h"

#include <algorithm>
#include <climits>
#include <iterator>

#include "program/queries.h"
#include "report/ways/conditions/passed_values.h"
#include "report/ways/scripts/script_places.h"
#include "report/ways/way_frames.h"

namespace lockstep::report {

using program::EntryKind;
using program::FunctionId;

Ways PathFinder::ways_to(FunctionId target, const ScriptReach* script, const Bans& bans, FunctionId source) {
  Ways ways(program_, target, given_functions_);
  while (const auto next = ways.take()) {
    const auto [place, cost] = *next;
    const FunctionId at = ways.function_at(place);
    if (at == source) break;
    // Nothing but tests makes it, whoever calls what holds it.
    if (unmade_closures_.contains(at)) continue;
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
      const int heir = at != target && other_heirs_.contains(program_.functions()[at].owner) ? kOtherHeir : 0;
      if (choice >= 0) ways.offer(caller, call, place, cost + step + choice + foreign + unused + refused + heir);
    }
    for (const program::CallId call : module_calls_.to(at)) {
      const FunctionId caller = program_.calls()[call].caller;
      const bool is_known = script == nullptr || script->reaches(caller);
      if (is_known && caller != target && !bans.contains({call.value, at.value}))
        ways.offer(caller, call, place, cost + costs_.of(call, at, script) + kThroughBases);
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

PathFinder::CostedPath PathFinder::best_script(const std::vector<FunctionId>& sources, const Ways& ways,
                                               FunctionId target) {
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

bool PathFinder::enters_helpers(const std::vector<Leg>& legs) const {
  return !program::is_helper_path(program_.module_of(legs.front().from).path) &&
         std::any_of(legs.begin(), legs.end(),
                     [&](const Leg& leg) { return program::is_helper_path(program_.module_of(leg.to).path); });
}

void PathFinder::count_others(const std::vector<FunctionId>& sources, const Ways& ways, FunctionId target,
                              EntryPath& path) {
  std::set<std::string> files = {program_.module_of(path.frames.front().function).path};
  std::vector<FunctionId> left;
  const auto add = [&](FunctionId source, const std::vector<Leg>& legs) {
    files.insert(program_.module_of(source).path);
    const EntryPath other = along(legs);
    path.others_may = path.others_may || std::any_of(other.frames.begin(), other.frames.end(), [](const auto& frame) {
                        return !frame.is_certain || frame.off_by_default != nullptr;
                      });
  };
  for (const FunctionId source : sources) {
    if (files.contains(program_.module_of(source).path) || !reaches_.of(source).reaches(target)) continue;
    const std::vector<Leg> legs = ways.legs(source, target);
    if (costs_.has_handed_on(legs, &reaches_.of(source)) || checks_.inconsistent_step(legs, &reaches_.of(source))) {
      left.push_back(source);
    } else {
      add(source, legs);
    }
  }
  // Where hardly any does by its cheapest way, some may by another.
  constexpr std::size_t kFew = 2;
  constexpr std::size_t kMostAsked = 4;
  constexpr int kFewTries = 3;
  for (std::size_t i = 0; i < std::min(left.size(), kMostAsked) && files.size() <= kFew; ++i) {
    if (files.contains(program_.module_of(left[i]).path)) continue;
    const std::vector<Leg> legs = consistent_way(left[i], target, &reaches_.of(left[i]), kFewTries).legs;
    if (!legs.empty()) add(left[i], legs);
  }
  path.other_entries = files.size() - 1;
  path.are_all_counted = path.other_entries > 0 && entries_.are_all_to(target, files);
}

FunctionId PathFinder::best_known(const std::vector<FunctionId>& sources,
                                  const std::function<int(FunctionId)>& cost) const {
  // Where the changed lines need what training leaves out, a script that trains says no more than another.
  return entries_.best_known(sources, cost, !is_target_aside_ && !checks_.needs_passed());
}

bool PathFinder::keep_loading(std::vector<FunctionId>& sources, FunctionId target) {
  const program::ModuleId module = program_.functions()[target].module;
  const std::vector<bool> loading = closure_.loading(module);
  const auto loads = [&](FunctionId source) { return loading[program_.functions()[source].module.index()]; };
  if (std::none_of(sources.begin(), sources.end(), loads)) return !closure_.is_imported(module);
  std::erase_if(sources, [&](FunctionId source) { return !loads(source); });
  drop_without_objects(sources, target);
  return !sources.empty();
}

void PathFinder::drop_without_objects(std::vector<FunctionId>& sources, FunctionId target) {
  constexpr std::size_t kMostMakers = 20;  // Modules: what so many make is made in any run.
  const program::Function& function = program_.functions()[target];
  const auto* def = function.def();
  const bool is_of_object = def != nullptr && function.owner.valid() && !def->parameters->all.empty() &&
                            def->parameters->all.front()->name.text == "self";
  if (!is_of_object) return;
  std::set<program::ModuleId> makers;
  for (const program::ClassId cls : program::with_descendants(program_, function.owner)) {
    for (const program::CallId call : made_.makers_of(cls))
      makers.insert(program_.functions()[program_.calls()[call].caller].module);
  }
  if (makers.size() > kMostMakers) return;
  std::vector<bool> loads_maker(program_.modules().size());
  for (const program::ModuleId maker : makers) {
    const std::vector<bool> loading = closure_.loading(maker);
    for (std::size_t i = 0; i < loading.size(); ++i) loads_maker[i] = loads_maker[i] || loading[i];
  }
  const auto has_objects = [&](FunctionId source) { return loads_maker[program_.functions()[source].module.index()]; };
  const auto any_has = [&](const std::vector<FunctionId>& scripts) {
    return std::any_of(scripts.begin(), scripts.end(), has_objects);
  };
  // What surely enters the method has its objects from somewhere, be it a file.
  const auto& callers = program_.callers_of(target);
  const bool is_entered = std::any_of(callers.begin(), callers.end(), [&](program::CallId call) {
    return program::surely_enters(program_.calls()[call], target);
  });
  const bool others_have = !is_entered && (any_has(entries_.scripts()) || any_has(entries_.helper_scripts()));
  if (any_has(sources) || others_have) std::erase_if(sources, [&](FunctionId source) { return !has_objects(source); });
}

void PathFinder::drop_foreign(std::vector<FunctionId>& sources,
                              std::map<std::uint32_t, PathFinder::CostedLegs>& ways) const {
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

PathFinder::CostedPath PathFinder::within_closures(const std::vector<FunctionId>& sources, FunctionId target) {
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
    const int imports = closure_.from(program_.functions()[source].module)[program_.functions()[target].module.index()];
    return ways[source.value].cost + kCostOfImport * imports + cost_of_place(source, target);
  });
  return {along(ways[best.value].legs), ways[best.value].cost};
}

int PathFinder::cost_of_place(FunctionId script, FunctionId target) const {
  constexpr int kFolder = 3;
  constexpr int kNamed = 40;
  constexpr int kOwnFile = 40;
  const std::string& path = program_.module_of(script).path;
  // A script that trains is no trial of what its file is for others.
  const bool is_own = program_.functions()[script].module == program_.functions()[target].module;
  if (is_own && kind_of_script(path.substr(path.rfind('/') + 1)) != ScriptKind::kTrains) return kOwnFile;
  const std::set<std::string>& words = entries_.subjects_of(script);
  auto named =
      std::count_if(words.begin(), words.end(), [&](const std::string& word) { return title_words_.contains(word); });
  if (changed_files_.contains(path)) named += 2;
  return kFolder * static_cast<int>(std::count(path.begin(), path.end(), '/')) - kNamed * static_cast<int>(named);
}

PathFinder::CostedLegs PathFinder::consistent_way(FunctionId source, FunctionId target) {
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

PathFinder::CostedLegs PathFinder::consistent_way(FunctionId source, FunctionId target, const ScriptReach& script) {
  constexpr int kMostTries = 12;
  if (!script.reaches(target)) return {};
  CostedLegs found = blaming_each(source, target, &script, kMostTries);
  if (found.legs.empty() || std::none_of(found.legs.begin(), found.legs.end(),
                                         [&](const Leg& leg) { return leg.call.valid() && guards_.is_off(leg.call); }))
    return found;
  // A way that runs take without setting anything comes before one that they do not.
  constexpr int kFewTries = 6;
  for (const std::vector<std::string>& settings : asked_on(found.legs)) {
    for (const std::string& setting : settings) costs_.asked_words.merge(split_words(setting));
  }
  CostedLegs easier = consistent_way(source, target, &script, kFewTries, &found.legs);
  costs_.asked_words.clear();
  return easier.legs.empty() ? found : easier;
}

std::vector<Leg> PathFinder::consistent_way_of_all_code(FunctionId source, FunctionId target) {
  constexpr int kFewTries = 5;
  return blaming_each(source, target, nullptr, kFewTries).legs;
}

PathFinder::CostedLegs PathFinder::blaming_each(FunctionId source, FunctionId target, const ScriptReach* script,
                                                int tries) {
  checks_.forget_faults();
  const bool begins_with_bans = !bans_for_all_.empty();
  CostedLegs found = consistent_way(source, target, script, tries);
  for (const auto fault : {WayChecks::Fault::kEntering, WayChecks::Fault::kRefused}) {
    // Where nothing depends on who is blamed, the same ways come again.
    if (!found.legs.empty() || (!checks_.has_met(fault) && !begins_with_bans)) continue;
    checks_.blame(fault);
    found = consistent_way(source, target, script, tries);
    checks_.blame(WayChecks::Fault::kCause);
  }
  return found;
}

PathFinder::CostedLegs PathFinder::consistent_way(FunctionId source, FunctionId target, const ScriptReach* script,
                                                  int tries, const std::vector<Leg>* unlike) {
  CostedLegs easier;
  // What goes wrong for one script does for the next; where that leaves no way, it is looked for anew.
  Bans bans = checks_.blamed() == WayChecks::Fault::kCause ? bans_for_all_ : Bans();
  for (int i = 0; i < tries; ++i) {
    const Ways ways = ways_to(target, script, bans, source);
    if (ways.cost(source) < 0 && !bans.empty() && i == 0) {
      bans.clear();
      bans_for_all_.clear();
      continue;
    }
    if (ways.cost(source) < 0) break;
    CostedLegs found{ways.legs(source, target), ways.cost(source)};
    auto broken = checks_.inconsistent_step(found.legs, script);
    const bool holds = !broken;
    for (std::size_t k = 0; unlike != nullptr && !broken && k < found.legs.size(); ++k) {
      const Leg& leg = found.legs[k];
      if (leg.call.valid() && guards_.is_off(leg.call)) broken.emplace(leg.call.value, leg.to.value);
    }
    if (!broken) return found;
    bans.insert(*broken);
    if (!holds && checks_.is_for_all()) bans_for_all_.insert(*broken);
    if (holds && easier.legs.empty() && asks_less(found.legs, *unlike)) easier = std::move(found);
  }
  return easier;
}

PathFinder::AskedSets PathFinder::asked_on(const std::vector<Leg>& legs) {
  AskedSets out;
  for (const Leg& leg : legs) {
    if (leg.call.valid()) out.insert(guards_.asked(leg.call).begin(), guards_.asked(leg.call).end());
  }
  return out;
}

bool PathFinder::asks_less(const std::vector<Leg>& legs, const std::vector<Leg>& other) {
  const AskedSets own = asked_on(legs);
  const AskedSets others = asked_on(other);
  return !own.empty() && own.size() < others.size() &&
         std::includes(others.begin(), others.end(), own.begin(), own.end());
}

EntryPath PathFinder::from_public_api(const Ways& ways, FunctionId target) {
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

void PathFinder::drop_known(PathFrame& frame, const KnownValues& known) const {
  std::vector<const python::Expr*> dropped;
  std::erase_if(frame.guards, [&](const Guard& guard) {
    if (guard.condition == nullptr) return false;
    const std::optional<bool> holds = checks_.constants().holds_in(frame.function, known, *guard.condition);
    const bool is_known = holds && *holds != guard.negated;
    if (is_known) dropped.push_back(guard.condition);
    return is_known;
  });
  const auto is_dropped = [&](const python::Expr* one) {
    return std::find(dropped.begin(), dropped.end(), one) != dropped.end();
  };
  std::erase_if(frame.asked, is_dropped);
  std::erase_if(frame.on_by_default, is_dropped);
  if (is_dropped(frame.off_by_default)) frame.off_by_default = nullptr;
  if (is_dropped(frame.off_as_declared)) frame.off_as_declared = nullptr;
  if (is_dropped(frame.chosen_by)) frame.chosen_by = nullptr;
}

EntryPath PathFinder::along(const std::vector<Leg>& legs) {
  EntryPath out;
  KnownValues known;  // In the function that the next leg leads from.
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const Leg& leg = legs[i];
    // What a decorator puts around a function is a part of it: the frame before calls that one.
    if (leg.call.valid() && !out.frames.empty() && out.frames.back().call != nullptr &&
        decorators_.enters(leg.call, leg.to)) {
      out.frames.back().is_certain = out.frames.back().is_certain && costs_.enters_decorated(legs, i);
    } else if (leg.call.valid()) {
      out.frames.push_back(frame_of(program_, guards_, leg.call, leg.to));
      drop_known(out.frames.back(), known);
      out.frames.back().is_certain = out.frames.back().is_certain || costs_.enters_decorated(legs, i);
    } else {
      out.frames.push_back({leg.from, nullptr, {}, false});
    }
    known = leg.call.valid() ? checks_.constants().values_into(program_.calls()[leg.call], leg.to, known, i)
                             : KnownValues();
  }
  if (!legs.empty()) out.frames.push_back({legs.back().to, nullptr, {}, true});
  for (const std::string_view parameter : checks_.unshown(legs)) out.unshown.emplace_back(parameter);
  return out;
}

std::vector<Leg> PathFinder::legs_of(const EntryPath& path) const {
  std::vector<Leg> legs;
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    const python::Node* node = path.frames[i].call;
    const program::CallId call = node == nullptr ? program::CallId() : program_.call_of(node);
    if (!call.valid()) break;
    legs.push_back({path.frames[i].function, call, path.frames[i + 1].function});
  }
  return legs;
}

EntryPath PathFinder::from_tests(FunctionId target) {
  const std::set<FunctionId> tests(entries_.tests().begin(), entries_.tests().end());
  Ways ways(program_, target, given_functions_);
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
      const bool is_known = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
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

}  // namespace lockstep::report
