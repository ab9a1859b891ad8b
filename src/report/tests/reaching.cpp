// Which tests reach the central entities: by calls, through the fixtures and set-up methods that their runner calls for
// them, and by naming what they look up or patch. Comments and docstrings name nothing here, and tests that are
// switched off (skipped_tests.h), or that put stand-ins for what leads there (test_replacements.h), stand apart.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/import_closure.h"
#include "report/story/story.h"
#include "report/tests/backward_passes.h"
#include "report/tests/class_names.h"
#include "report/tests/closed_calls.h"
#include "report/tests/closed_changes.h"
#include "report/tests/expected_errors.h"
#include "report/tests/given_functions.h"
#include "report/tests/named_in_tests.h"
#include "report/tests/reached_code.h"
#include "report/tests/receivers.h"
#include "report/tests/set_for_test.h"
#include "report/tests/skipped_tests.h"
#include "report/tests/stand_in_selves.h"
#include "report/tests/test_conditions.h"
#include "report/tests/test_runner.h"
#include "report/tests/test_settings.h"
#include "report/tests/test_stand_ins.h"
#include "report/tests/unnamed_conditions.h"
#include "report/tests/used_stand_ins.h"
#include "report/tests/ways_back.h"
#include "report/tests/ways_forward.h"
#include "report/ways/conditions/asked_parameters.h"
#include "report/ways/conditions/changed_switches.h"
#include "report/ways/conditions/dead_calls.h"
#include "report/ways/functions/decorator_wrappers.h"
#include "report/ways/functions/method_wrappers.h"

namespace lockstep::report {

using program::FunctionId;
using program::Program;

namespace {

bool is_test_function(const Program& program, FunctionId id) {
  const auto& function = program.functions()[id];
  return function.name.starts_with("test") && function.kind == program::FunctionKind::kFunction &&
         program::is_test_path(program.module_of(id).path);
}

class TestFinder {
 public:
  explicit TestFinder(const DocumentInputs& inputs)
      : program_(*inputs.after),
        runner_(program_.derived<TestRunner>()),
        closure_(program_),
        stand_ins_(program_, runner_, is_test_),
        conditions_(program_, stand_ins_, is_test_),
        selves_(program_, stand_ins_, is_test_),
        wrappers_(program_),
        decorators_(program_),
        asked_parameters_(program_),
        dead_(program_),
        receivers_(program_),
        constants_(program_),
        switched_(program_),
        settings_(inputs),
        set_(program_, stand_ins_),
        skipped_(skipped_tests(program_)) {
    for (const program::Module& module : program_.modules()) is_test_.push_back(program::is_test_path(module.path));
    for (const change::EntityChange& entity : inputs.change->entities) {
      if (entity.after && entity.after->function.valid())
        changed_[entity.after->function.value] = entity.status == change::Status::kAdded;
    }
  }

  /// Tests that reach the function, those that are switched off, and those that put a stand-in for it or for what leads
  /// there.
  struct Found {
    std::vector<TestReach> tests, skipped, replacing;
    UnsetSettings unset;
    std::unordered_set<std::uint32_t> leading;  ///< Functions from which calls surely lead to it.
  };
  [[nodiscard]] const TestStandIns& stand_ins() const { return stand_ins_; }

  [[nodiscard]] Found find(FunctionId target) const {
    Found found;
    Gathered all = gather(target);
    std::vector<TestReach> running;
    for (const auto& [test, reach] : all.running) running.push_back(reach);
    sort_by_surety(running, target);
    leave_out_closed(target, all, running);
    leave_out_unset(target, all, running);
    leave_out_undefining(target, running);
    prefer_backward_passes(program_, target, running);
    for (const auto& [function, distance] : all.leading) found.leading.insert(function.value);
    for (const TestReach& reach : running) {
      (skipped_[reach.test.index()] ? found.skipped : found.tests).push_back(reach);
      all.replacing.erase(reach.test.value);
    }
    for (const std::uint32_t test : all.replacing) {
      if (!skipped_[FunctionId(test).index()])
        found.replacing.push_back(reach_of(FunctionId(test), TestLink::kPossibly, 1));
    }
    sort_by_surety(found.replacing, target);
    if (found.tests.empty() && found.skipped.empty() && found.replacing.empty() && !all.unset.empty() &&
        is_reached_when_set(target))
      found.unset.on_way.assign(all.unset.begin(), all.unset.end());
    return found;
  }

  /// The settings without which nothing that changes in the function runs, where no test sets them; none where
  /// something runs without them, or goes.
  [[nodiscard]] std::vector<std::string> unset_of_changes(const Actor& actor) const {
    std::vector<std::string> out;
    if (actor.is_added() || actor.steps.after_source == nullptr || !actor.change->after) return out;
    const auto stays = [](const Step& step) { return step.status == StepStatus::kKept && !step.is_moved; };
    if (!std::all_of(actor.steps.before.begin(), actor.steps.before.end(), stays)) return out;
    for (const Step& step : actor.steps.after) {
      if (stays(step)) continue;
      std::vector<std::string> asked;
      const auto* branch = python::as<python::If>(step.node);
      if (branch != nullptr && step.kind == StepKind::kIf && branch->orelse.empty())
        asked = settings_.asked({branch, branch->condition, false});
      if (!settings_.are_unset(asked)) {
        asked.clear();
        for (const Guard& guard : guards_of(*actor.change->after->node, step.span)) {
          asked = settings_.asked(guard);
          if (settings_.are_unset(asked)) break;
          asked.clear();
        }
      }
      if (asked.empty()) return {};
      for (std::string& one : asked) {
        if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
      }
    }
    return out;
  }

  [[nodiscard]] std::vector<std::string> unnamed_conditions(const Actor& actor,
                                                            const std::vector<TestReach>& tests) const {
    return UnnamedConditions(program_, settings_, set_, closure_).of(actor, tests);
  }

  /// Leaves those out that run nothing of what changes; see closed_changes.h.
  [[nodiscard]] std::vector<std::string> leave_out_not_running(const Actor& actor, Found& found) const {
    return report::leave_out_not_running(conditions_, actor, found.leading, found.tests);
  }

  /// Leaves those out that turn nothing on of what has to be on for anything that changes in the function to run, where
  /// others are left: see changed_switches.h.
  void leave_out_switched_off(const DocumentInputs& inputs, const Actor& actor, FunctionId target,
                              std::vector<TestReach>& tests) const {
    constexpr std::size_t kMostTests = 64;
    Touched touched = touched_by(actor);
    find_switches(inputs, switched_, target, actor, touched);
    if (touched.switches.empty()) return;
    const auto is_on = [&](FunctionId test, const Switched& one) {
      std::vector<FunctionId> setters;
      for (const SwitchedOn& on : one.on) setters.push_back(on.function);
      return reaches_any(program_, stand_ins_.code_of(test), setters) ||
             may_set_attribute(test, std::string(one.read->name.text));
    };
    std::vector<TestReach> left;
    std::size_t looked = 0;
    for (const TestReach& reach : tests) {
      const bool is_kept =
          looked >= kMostTests || std::all_of(touched.switches.begin(), touched.switches.end(),
                                              [&](const Switched& one) { return is_on(reach.test, one); });
      ++looked;
      if (is_kept) left.push_back(reach);
    }
    if (!left.empty()) tests = std::move(left);
  }

  /// See expected_errors.h.
  void put_refused_last(FunctionId target, std::vector<TestReach>& tests) const {
    report::put_refused_last(program_, runner_, target, tests);
  }

  /// Leaves those out that cannot set what the changed lines need, where others can; of as sure ones those come first
  /// that show that they do.
  /// Returns whether surer ones than those that stay are among them.
  [[nodiscard]] bool prefer_setting(const Actor& actor, std::vector<TestReach>& tests) const {
    using Naming = UnnamedConditions::Naming;
    const std::vector<Naming> naming = UnnamedConditions(program_, settings_, set_, closure_).naming_of(actor, tests);
    if (std::all_of(naming.begin(), naming.end(), [&](Naming one) { return one == naming.front(); })) return false;
    std::vector<std::pair<Naming, TestReach>> kept;
    bool any_sure = false;
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (naming[i] != Naming::kNowhere) kept.emplace_back(naming[i], tests[i]);
      any_sure = any_sure || (naming[i] == Naming::kNowhere && tests[i].link == TestLink::kCalls);
    }
    std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
      return std::make_pair(a.second.link, b.first) < std::make_pair(b.second.link, a.first);
    });
    tests.clear();
    for (const auto& [unused, reach] : kept) tests.push_back(reach);
    return any_sure && tests.front().link != TestLink::kCalls;
  }

 private:
  /// Tests that reach a function, and those that would be among them, did they not replace something on the way; by
  /// test.
  struct Gathered {
    std::map<std::uint32_t, TestReach> running;
    std::set<std::uint32_t> replacing;
    std::set<std::string> unset;  ///< Settings that no test sets, and under which calls on the way stand.
    /// Functions from which calls surely lead to it, with their distances, nearest first.
    std::vector<std::pair<FunctionId, int>> leading;
    std::vector<StepForward> steps;           ///< By which they do.
    std::vector<StepForward> possible_steps;  ///< By which they may.
  };

  /// Whether tests would get to the function, did they set what calls on the way stand under.
  [[nodiscard]] bool is_reached_when_set(FunctionId target) const {
    Gathered all;
    are_taken_as_set_ = true;
    for (const bool surely : {true, false}) add_running(target, surely, all);
    are_taken_as_set_ = false;
    return !all.running.empty();
  }

  [[nodiscard]] Gathered gather(FunctionId target) const {
    Gathered all;
    for (const bool surely : {true, false}) add_running(target, surely, all);
    add_naming(target, all);
    // A function that is handed on where it is defined: what runs its definition may run it.
    const FunctionId enclosing = program_.functions()[target].enclosing;
    if (!any_runs(all.running) && enclosing.valid()) {
      Gathered outer = gather(enclosing);
      for (auto& [test, reach] : outer.running) {
        reach.link = TestLink::kPossibly;
        all.running.emplace(test, reach);
      }
      all.replacing.merge(outer.replacing);
    }
    // What leads there under settings that no test sets, no object of a test's leads there either.
    if (!any_runs(all.running) && all.unset.empty()) add_by_class(target, all);
    return all;
  }

  void sort_by_surety(std::vector<TestReach>& out, FunctionId target) const {
    // Of far ones one alone is told: of those as near as one another the one that has its name after the function.
    constexpr int kFar = 3;
    std::string_view name = program_.functions()[target].name;
    while (name.starts_with("_")) name.remove_prefix(1);
    std::stable_sort(out.begin(), out.end(), [&](const TestReach& a, const TestReach& b) {
      const auto key = [&](const TestReach& reach) {
        const bool close = reach.link != TestLink::kPossibly && reach.is_changed;
        const bool is_named = reach.distance > kFar && contains(program_.functions()[reach.test].name, name);
        return std::make_tuple(!close, reach.link, !reach.is_changed, reach.distance, !is_named);
      };
      if (key(a) != key(b)) return key(a) < key(b);
      return program_.functions()[a.test].qualified_name < program_.functions()[b.test].qualified_name;
    });
  }

  [[nodiscard]] bool any_runs(const std::map<std::uint32_t, TestReach>& found) const {
    return std::any_of(found.begin(), found.end(), [&](const auto& one) { return !skipped_[one.second.test.index()]; });
  }

  /// What a walk against the calls came to.
  struct Walk {
    std::vector<TestReach> tests;
    std::vector<std::pair<FunctionId, int>> visited;  ///< Functions with their distances, nearest first.
    std::set<std::string> unset;                      ///< As in Gathered.
    std::vector<StepForward> steps;                   ///< All that were taken between these.
  };

  /// Adds those of walk() that still get there with what they replace.
  /// `wanted`: methods that the object has to have on which `target` is called, where that is known.
  void add_running(FunctionId target, bool surely, Gathered& out, const std::vector<FunctionId>& wanted = {}) const {
    constexpr int kNear = 2;                // Where a call may enter several functions, farther ones say little.
    constexpr std::size_t kMostWalks = 24;  // Past them a test may run it, and no more is said.
    const Walk all = walk(target, surely, {}, wanted);
    out.unset.insert(all.unset.begin(), all.unset.end());
    if (surely) {
      out.leading = all.visited;
      out.steps = all.steps;
    } else {
      out.possible_steps = all.steps;
    }
    std::set<std::string_view> names;
    std::set<program::ModuleId> modules;  // What is replaced there may give the objects on the way.
    std::unordered_set<std::uint32_t> leading;
    for (const auto& [function, distance] : all.visited) {
      leading.insert(function.value);
      const program::Function& one = program_.functions()[function];
      if (surely) modules.insert(one.module);
      if (is_test_[one.module.index()] || (!surely && distance > kNear)) continue;
      names.insert(one.name == "__init__" && one.owner.valid() ? std::string_view(program_.classes()[one.owner].name)
                                                               : std::string_view(one.name));
    }
    std::map<std::vector<Replacement>, Walk> walks;
    const auto add = [&](const TestReach& reach) { out.running.emplace(reach.test.value, reach); };
    for (const TestReach& reach : all.tests) {
      std::vector<Replacement> own;
      for (const Replacement& one : stand_ins_.of_test(reach.test)) {
        if ((names.contains(one.name) || modules.contains(one.module)) && (surely || one.is_sure)) own.push_back(one);
      }
      if (own.empty()) {
        add(reach);
        continue;
      }
      std::vector<Replacement> kinds = own;
      std::sort(kinds.begin(), kinds.end());
      kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
      if (walks.size() >= kMostWalks && !walks.contains(kinds)) {
        add({reach.test, TestLink::kPossibly, reach.distance, reach.is_changed, reach.is_new});
        continue;
      }
      const auto [place, is_new] = walks.try_emplace(kinds);
      if (is_new) place->second = walk(target, surely, kinds, wanted);
      const auto& tests = place->second.tests;
      const auto still =
          std::find_if(tests.begin(), tests.end(), [&](const TestReach& one) { return one.test == reach.test; });
      if (still != tests.end()) {
        add(*still);
        continue;
      }
      switch (stand_ins_.calls_outside(reach.test, own, leading)) {
        case TestStandIns::Outside::kYes:
          add(reach);
          break;
        case TestStandIns::Outside::kMaybe:
          add({reach.test, TestLink::kPossibly, reach.distance, reach.is_changed, reach.is_new});
          break;
        case TestStandIns::Outside::kNo:
          out.replacing.insert(reach.test.value);
          break;
      }
    }
  }

  /// Tests from which calls lead to the target only where what they set, pass or leave out closes a condition on the
  /// way: they go where others are left, and elsewhere may lead there. Asked of the first ones, until there are enough
  /// of those that stay to be told.
  void leave_out_closed(FunctionId target, const Gathered& all, std::vector<TestReach>& running) const {
    constexpr std::size_t kMostKept = 6;
    constexpr std::size_t kMostTests = 48;
    constexpr std::size_t kMostWalks = 8;
    const ClosedCalls closed_calls({program_, settings_, conditions_, selves_}, all.leading,
                                   [&](FunctionId test, program::CallId call) { return may_be_set(test, call); });
    WaysForward forward(program_, constants_, target, all.steps);
    std::map<std::set<std::uint32_t>, Walk> walks;  // By the calls that are closed.
    const auto goes_without = [&](FunctionId test, const std::set<std::uint32_t>& closed) {
      if (closed.empty() || (walks.size() >= kMostWalks && !walks.contains(closed))) return true;
      const auto [place, is_new] = walks.try_emplace(closed);
      if (is_new) place->second = walk(target, true, {}, {}, closed);
      const std::vector<TestReach>& tests = place->second.tests;
      return std::any_of(tests.begin(), tests.end(),
                         [&](const TestReach& one) { return one.test == test && one.link == TestLink::kCalls; });
    };
    std::unordered_set<std::uint32_t> closed;
    std::size_t looked = 0;
    std::size_t kept = 0;
    for (TestReach& reach : running) {
      if (reach.link != TestLink::kCalls || kept >= kMostKept) break;
      if (skipped_[reach.test.index()] || !closed_calls.leads(reach.test)) continue;
      // Of what was not asked no more is said than that it may.
      if (++looked > kMostTests) {
        reach.link = TestLink::kPossibly;
        continue;
      }
      std::set<std::uint32_t> own = closed_calls.of(reach.test);
      if (!goes_without(reach.test, own) || !forward.may_arrive(stand_ins_.code_of(reach.test))) {
        closed.insert(reach.test.value);
      } else if (!goes_without(reach.test, closed_calls.with_unclear(reach.test, std::move(own)))) {
        reach.link = TestLink::kPossibly;
      } else {
        ++kept;
      }
    }
    const auto is_one = [&](const TestReach& reach) { return closed.contains(reach.test.value); };
    const bool leaves_any = std::any_of(running.begin(), running.end(), [&](const TestReach& reach) {
      return !is_one(reach) && !skipped_[reach.test.index()];
    });
    if (leaves_any) running.erase(std::remove_if(running.begin(), running.end(), is_one), running.end());
    for (TestReach& reach : running) {
      if (is_one(reach)) reach.link = TestLink::kPossibly;
    }
    sort_by_surety(running, target);
  }

  /// Of tests from which calls lead to a function that another one defines and hands on (a hook that an attribute
  /// keeps), takes those out that do not come to the function which defines it: then there is none to be called. Asked
  /// of the first ones, which are told; where none of them is left, tests that come to that function may run it.
  void leave_out_undefining(FunctionId target, std::vector<TestReach>& running) const {
    constexpr std::size_t kMostTests = 48;
    const FunctionId enclosing = program_.functions()[target].enclosing;
    if (!enclosing.valid() || is_test_[program_.functions()[target].module.index()] || running.empty()) return;
    std::size_t looked = 0;
    std::erase_if(running, [&](const TestReach& reach) {
      return reach.link != TestLink::kNames && ++looked <= kMostTests &&
             !reaches_any(program_, stand_ins_.code_of(reach.test), {enclosing});
    });
    if (!running.empty()) return;
    for (const auto& [test, reach] : gather(enclosing).running)
      running.push_back({reach.test, TestLink::kPossibly, reach.distance, reach.is_changed, reach.is_new});
    sort_by_surety(running, target);
  }

  /// Takes those out that may lead to the target only through calls under settings that are off by default and that
  /// nothing of the test sets, or names. Asked of the first ones, which are told.
  void leave_out_unset(FunctionId target, const Gathered& all, std::vector<TestReach>& running) const {
    constexpr std::size_t kMostTests = 24;
    constexpr std::size_t kMostCalls = 200;
    constexpr std::size_t kMostWalks = 6;
    if (running.empty() || running.front().link != TestLink::kPossibly) return;
    std::vector<program::CallId> under;
    for (const StepForward& step : all.possible_steps) {
      if (under.size() == kMostCalls) break;
      if (step.call.valid() && !settings_.asked_at(step.call).empty() &&
          std::find(under.begin(), under.end(), step.call) == under.end())
        under.push_back(step.call);
    }
    if (under.empty()) return;
    std::map<std::set<std::uint32_t>, Walk> walks;  // By the calls that are not made.
    const auto goes_without = [&](FunctionId test) {
      std::set<std::uint32_t> closed;
      for (const program::CallId call : under) {
        if (!may_name(test, call)) closed.insert(call.value);
      }
      if (closed.empty() || (walks.size() >= kMostWalks && !walks.contains(closed))) return true;
      const auto [place, is_new] = walks.try_emplace(closed);
      if (is_new) place->second = walk(target, false, {}, {}, closed);
      const std::vector<TestReach>& tests = place->second.tests;
      return std::any_of(tests.begin(), tests.end(), [&](const TestReach& one) { return one.test == test; });
    };
    std::size_t looked = 0;
    std::erase_if(running, [&](const TestReach& reach) {
      // What makes an object of the class of a method of which no calls are known, no walk tells of.
      const bool is_walked = std::any_of(all.possible_steps.begin(), all.possible_steps.end(),
                                         [&](const StepForward& step) { return step.from == reach.test; });
      return reach.link == TestLink::kPossibly && is_walked && ++looked <= kMostTests && !goes_without(reach.test);
    });
  }

  /// Breadth first against the calls, but for those that `replaced` sends elsewhere and those that are `closed`; with
  /// `surely`, only through calls that enter one function alone.
  [[nodiscard]] Walk walk(FunctionId target, bool surely, const std::vector<Replacement>& replaced,
                          const std::vector<FunctionId>& wanted, const std::set<std::uint32_t>& closed = {}) const {
    constexpr std::size_t kMostVisited = 20'000;
    constexpr int kNearSettings = 4;  // Farther conditions are many, and most of them are about something else.
    WaysBack ways;
    ways.add({target, 0, {}, {}, {}, wanted, true});
    std::set<std::string> unset;
    std::vector<StepForward> steps;
    std::vector<TestReach> out;
    std::unordered_map<std::uint32_t, std::size_t> told;  // Test -> its place in `out`.
    for (std::size_t next = 0; next < ways.pending.size() && next < kMostVisited; ++next) {
      const FunctionId at = ways.pending[next].function;
      const int distance = ways.pending[next].distance;
      const std::vector<program::ClassId> needed = ways.pending[next].classes;
      const std::vector<std::string_view> parameters = ways.pending[next].parameters;
      const std::vector<program::CallId> under = ways.pending[next].under;
      const std::vector<FunctionId> methods = ways.pending[next].methods;
      const bool is_known = ways.pending[next].is_sure;
      if (next > 0 && is_test_function(program_, at)) {
        const bool is_sure =
            surely && is_known && methods.empty() &&
            std::all_of(needed.begin(), needed.end(), [&](program::ClassId cls) { return may_make(at, cls); }) &&
            std::all_of(under.begin(), under.end(), [&](program::CallId call) { return may_set(at, call); });
        const TestReach reach = reach_of(at, is_sure ? TestLink::kCalls : TestLink::kPossibly, distance);
        const auto [place, is_first] = told.try_emplace(at.value, out.size());
        if (is_first) out.push_back(reach);
        // Of two ways the surer one, though it is longer.
        else if (is_sure && out[place->second].link != TestLink::kCalls)
          out[place->second] = reach;
      }
      // What calls a stub of one test does so for that test: not for all others that run the caller.
      const bool is_of_test = is_test_[program_.functions()[at].module.index()];
      for (const program::CallId call : program_.callers_of(at)) {
        const FunctionId caller = program_.calls()[call].caller;
        if (is_of_test && !is_test_[program_.functions()[caller].module.index()]) continue;
        if (!closed.empty() && closed.contains(call.value)) continue;
        std::vector<FunctionId> own_methods;
        if (dead_.contains(call) || !takes(call, at, surely, !wanted.empty(), methods, own_methods)) continue;
        if (!replaced.empty() && stand_ins_.is_replaced(replaced, call, at, surely)) continue;
        std::vector<std::string_view> wants;
        if (!parameters.empty() && !asked_parameters_.may_give(call, at, parameters, wants)) continue;
        if (surely || distance < 2) {
          const std::vector<std::string_view>& own = asked_parameters_.of(call);
          wants.insert(wants.end(), own.begin(), own.end());
        }
        std::vector<program::CallId> settings = under;
        if (const auto& asked = distance < kNearSettings ? settings_.asked_at(call) : none_; !asked.empty()) {
          if (!are_taken_as_set_ && settings_.are_unset(asked)) {
            unset.insert(asked.begin(), asked.end());
            continue;
          }
          if (surely) settings.push_back(call);
        }
        std::vector<program::ClassId> classes = needed;
        for (const program::ClassId cls : surely ? asked_classes(call) : std::vector<program::ClassId>()) {
          if (std::find(classes.begin(), classes.end(), cls) == classes.end()) classes.push_back(cls);
        }
        steps.push_back({caller, call, at});
        ways.add({caller, distance + 1, std::move(classes), std::move(wants), std::move(settings),
                  std::move(own_methods), is_known && !receivers_.may_pass_by(program_.calls()[call])});
      }
      // Through the wrapper that a decorator puts around it: who enters the wrapper enters this one.
      for (const program::CallId call : program_.callers_of(at)) {
        if (!decorators_.enters(call, at)) continue;
        for (const program::CallId entering : program_.callers_of(program_.calls()[call].caller)) {
          const FunctionId caller = program_.calls()[entering].caller;
          const bool is_ours = !is_of_test || is_test_[program_.functions()[caller].module.index()];
          // What tests pass on is not followed by caller: there the name tells.
          const bool is_known_here =
              decorators_.is_known_to_enter(entering, call, at) || decorators_.is_named(entering, at);
          if (!is_ours || !is_known_here || dead_.contains(entering)) continue;
          if (!replaced.empty() && stand_ins_.is_replaced(replaced, entering, at, surely)) continue;
          if (!closed.empty() && closed.contains(entering.value)) continue;
          std::vector<FunctionId> own_methods;
          const bool has_methods = hands_methods_on(entering, at, methods, own_methods);
          steps.push_back({caller, program::CallId(), at});
          ways.add({caller, distance + 1, needed, {}, under, std::move(own_methods), is_known && has_methods});
        }
      }
      // Through a function that calls what it is given: who gives it this one enters this one.
      for (const program::CallId entering : calls_giving(program_, at)) {
        const FunctionId caller = program_.calls()[entering].caller;
        if ((is_of_test && !is_test_[program_.functions()[caller].module.index()]) || dead_.contains(entering))
          continue;
        if (!replaced.empty() && stand_ins_.is_replaced(replaced, entering, at, surely)) continue;
        if (!closed.empty() && closed.contains(entering.value)) continue;
        steps.push_back({caller, program::CallId(), at});
        ways.add({caller, distance + 2, needed, {}, under, {}, is_known && methods.empty()});
      }
      for (const FunctionId user : runner_.callers_of(at)) {
        steps.push_back({user, program::CallId(), at});
        ways.add({user, distance + 1, needed, {}, under, {}, is_known && methods.empty()});
      }
    }
    std::vector<std::pair<FunctionId, int>> visited;
    for (const WayBack& way : ways.pending) visited.emplace_back(way.function, way.distance);
    return {std::move(out), std::move(visited), std::move(unset), std::move(steps)};
  }

  /// Classes of the repository of which something must be an object for the call to be made: `isinstance(x, C)`.
  const std::vector<program::ClassId>& asked_classes(program::CallId id) const {
    const auto [place, is_first] = asked_classes_.try_emplace(id.value);
    std::vector<program::ClassId>& classes = place->second;
    if (!is_first) return classes;
    const program::CallSite& site = program_.calls()[id];
    const program::Function& caller = program_.functions()[site.caller];
    if (caller.node == nullptr || is_test_[caller.module.index()] ||
        !contains(source_of(program_, site.caller).slice(caller.node->span), "isinstance("))
      return classes;
    for (const Guard& guard : guards_of(*caller.node, site.node->span)) {
      const auto* asks = python::as<python::Call>(guard.condition);
      if (asks == nullptr || guard.negated || callee_name(*asks) != "isinstance" || asks->arguments.size() != 2)
        continue;
      const python::Expr& type = *asks->arguments[1];
      const auto* name = python::as<python::Name>(&type);
      const program::Reference to = name == nullptr ? program::Reference() : program_.resolve(site.caller, *name);
      const bool is_new = to.kind == program::Reference::Kind::kClass &&
                          std::find(classes.begin(), classes.end(), to.cls) == classes.end();
      if (is_new) classes.push_back(to.cls);
    }
    return classes;
  }

  /// Whether a walk goes against `call` to `at`, of whose object `methods` are known to be wanted; what is wanted of
  /// the caller's object then is added to `own`. With `is_lenient` an object of a class that is not known may have
  /// them.
  [[nodiscard]] bool takes(program::CallId call, FunctionId at, bool surely, bool is_lenient,
                           const std::vector<FunctionId>& methods, std::vector<FunctionId>& own) const {
    const program::CallSite& site = program_.calls()[call];
    const Receivers::Entry entry = receivers_.entry_of(site, at);
    const bool is_only = enters_only(call, at);
    switch (entry) {
      case Receivers::Entry::kOther:
        return false;
      case Receivers::Entry::kSame:
        own = methods;
        // A method that others override: which is entered the object says.
        if (!is_only && is_one_of_overrides(site, at)) {
          own.push_back(at);
          return true;
        }
        return is_only || !surely;
      case Receivers::Entry::kSuper:
        // The object has the caller's method by that name, or one below it: none of it says which is entered here.
        own = methods;
        return is_only || !surely;
      case Receivers::Entry::kEnters:
      case Receivers::Entry::kMakes: {
        const bool is_entered = is_only || (entry == Receivers::Entry::kEnters && is_by_one_name(site, at));
        bool is_known = false;
        const bool gives = methods.empty() || receivers_.gives(site, at, methods, is_known);
        if (!gives && is_known) return false;
        return (is_entered && (gives || is_lenient)) || !surely;
      }
      case Receivers::Entry::kUnknown:
        break;
    }
    return !surely || (is_only && (methods.empty() || is_lenient));
  }

  /// Whether it is known, where `call` enters the decorated `at`, what that says of the object: it has `methods`, or
  /// those that are added to `own` are wanted of the caller's.
  [[nodiscard]] bool hands_methods_on(program::CallId call, FunctionId at, const std::vector<FunctionId>& methods,
                                      std::vector<FunctionId>& own) const {
    const program::CallSite& site = program_.calls()[call];
    const Receivers::Entry entry = receivers_.entry_of(site, at);
    bool is_known = false;
    if (entry == Receivers::Entry::kEnters && receivers_.gives(site, at, methods, is_known)) return true;
    if (methods.empty()) return true;
    if (entry != Receivers::Entry::kSame) return false;
    own = methods;
    own.push_back(at);
    return true;
  }

  /// Whether nothing of another name may be entered: a function that stands in for the method of some object.
  [[nodiscard]] bool is_by_one_name(const program::CallSite& site, FunctionId at) const {
    const std::string_view name = program_.functions()[at].name;
    return std::all_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
      return !target.function.valid() || program_.functions()[target.function].name == name;
    });
  }

  /// Whether all that the call may enter are methods of one name, of classes above and below one another.
  [[nodiscard]] bool is_one_of_overrides(const program::CallSite& site, FunctionId at) const {
    const program::Function& method = program_.functions()[at];
    return std::all_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
      return target.function.valid() && target.kind == program::CallKind::kDirect &&
             program_.functions()[target.function].owner.valid() &&
             program_.functions()[target.function].name == method.name;
    });
  }

  /// Whether code of tests that may run for the test sets what the call stands under, or who sets it is not only tests.
  [[nodiscard]] bool may_set(FunctionId test, program::CallId call) const {
    const std::vector<int>& loaded = closure_.from(program_.functions()[test].module);
    for (const std::string& setting : settings_.asked_at(call)) {
      const SettingUse& use = settings_.use_of(setting);
      if (use.anywhere && !use.only_in_tests) return true;
      if (sets_itself(test, setting, use, loaded)) return true;
    }
    return false;
  }

  /// The same, and who sets it outside tests is code that the test reaches, or loads.
  [[nodiscard]] bool may_be_set(FunctionId test, program::CallId call) const {
    const std::vector<int>& loaded = closure_.from(program_.functions()[test].module);
    for (const std::string& setting : settings_.asked_at(call)) {
      const SettingUse& use = settings_.use_of(setting);
      if (sets_itself(test, setting, use, loaded)) return true;
      if (!use.anywhere || use.only_in_tests) continue;
      const TestSettings::Setters& setters = settings_.setters_outside(setting);
      const auto is_loaded = [&](program::ModuleId module) { return loaded[module.index()] >= 0; };
      if (!setters.are_known || std::any_of(setters.modules.begin(), setters.modules.end(), is_loaded) ||
          reaches_any(program_, stand_ins_.code_of(test), setters.functions) || reads_configurations(test))
        return true;
    }
    return false;
  }

  /// As may_be_set(), but that a command line is parsed says nothing of what stands in it.
  [[nodiscard]] bool may_name(FunctionId test, program::CallId call) const {
    static constexpr std::string_view kReaders[] = {
        "yaml", "json", "toml", "load_checkpoint", "from_hf", "from_pretrained", "use_checkpoint_args"};
    const python::FileFacts& facts = *program_.module_of(test).facts;
    const bool reads_files = std::any_of(std::begin(kReaders), std::end(kReaders),
                                         [&](std::string_view name) { return facts.has_name(name); });
    if (reads_files) return true;
    const std::vector<int>& loaded = closure_.from(program_.functions()[test].module);
    for (const std::string& setting : settings_.asked_at(call)) {
      const SettingUse& use = settings_.use_of(setting);
      if (sets_itself(test, setting, use, loaded)) return true;
      const TestSettings::Setters& setters = settings_.setters_outside(setting);
      if (!setters.are_known || reaches_any(program_, stand_ins_.code_of(test), setters.functions)) return true;
      const bool is_loaded = std::any_of(setters.modules.begin(), setters.modules.end(),
                                         [&](program::ModuleId module) { return loaded[module.index()] >= 0; });
      if (is_loaded) return true;
    }
    return false;
  }

  /// Whether the test's code reads files that may give any setting: configurations, checkpoints with arguments.
  [[nodiscard]] bool reads_configurations(FunctionId test) const {
    static constexpr std::string_view kReaders[] = {"yaml",
                                                    "json",
                                                    "toml",
                                                    "load_checkpoint",
                                                    "from_hf",
                                                    "from_pretrained",
                                                    "parse_args",
                                                    "initialize_megatron",
                                                    "use_checkpoint_args"};
    const python::FileFacts& facts = *program_.module_of(test).facts;
    return std::any_of(std::begin(kReaders), std::end(kReaders),
                       [&](std::string_view name) { return facts.has_name(name); });
  }

  /// Whether code of tests that may run for the test stores to an attribute of that name.
  [[nodiscard]] bool may_set_attribute(FunctionId test, const std::string& name) const {
    const std::vector<int>& loaded = closure_.from(program_.functions()[test].module);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      const program::ModuleId module(i);
      if (loaded[i] >= 0 && is_test_[i] && program_.modules()[module].facts->has_name(name) &&
          set_.may_set(test, name, module))
        return true;
    }
    return false;
  }

  [[nodiscard]] bool sets_itself(FunctionId test, const std::string& setting, const SettingUse& use,
                                 const std::vector<int>& loaded) const {
    return std::any_of(use.in_tests.begin(), use.in_tests.end(), [&](program::ModuleId module) {
      return loaded[module.index()] >= 0 && set_.may_set(test, setting, module);
    });
  }

  /// Whether the file of the test, or one of tests that it imports, names the class, one below it, or something else
  /// that may stand for it. What it gets from code under test is not followed.
  [[nodiscard]] bool may_make(FunctionId test, program::ClassId cls) const {
    const auto [place, is_new] = may_make_.try_emplace({program_.functions()[test].module.value, cls.value}, false);
    if (!is_new) return place->second;
    const std::vector<int>& loaded = closure_.from(program_.functions()[test].module);
    const std::vector<bool>& naming = naming_tests(cls);
    for (std::size_t i = 0; i < naming.size() && !place->second; ++i) place->second = naming[i] && loaded[i] >= 0;
    return place->second;
  }

  /// By module: whether it is one of tests and names the class or one below it.
  const std::vector<bool>& naming_tests(program::ClassId cls) const {
    const auto [place, is_new] = naming_.try_emplace(cls.value);
    std::vector<bool>& naming = place->second;
    if (!is_new) return naming;
    std::set<std::string_view> names;
    for (const program::Class& each : program_.classes()) {
      if (std::find(each.linearized.begin(), each.linearized.end(), cls) != each.linearized.end())
        names.insert(each.name);
    }
    naming.resize(program_.modules().size());
    for (std::size_t i = 0; i < naming.size(); ++i) {
      if (!is_test_[i]) continue;
      const python::FileFacts& facts = *program_.modules()[program::ModuleId(i)].facts;
      naming[i] = std::any_of(names.begin(), names.end(), [&](std::string_view name) { return facts.has_name(name); });
    }
    return naming;
  }

  [[nodiscard]] bool enters_only(program::CallId call, FunctionId callee) const {
    // What is registered is called by somebody else, or not at all.
    const program::CallSite& site = program_.calls()[call];
    return handing_of(site, callee) != Handing::kRegisters &&
           (wrappers_.surely_enters(site, callee) || is_of_twins(site, callee));
  }

  /// Whether all that the call may enter are definitions of one name in branches of its module: `if HAVE_X: def f(): …`
  /// and `else: def f(): …`, of which one process has one.
  [[nodiscard]] bool is_of_twins(const program::CallSite& site, FunctionId callee) const {
    const program::Function& one = program_.functions()[callee];
    return site.targets.size() > 1 && !one.owner.valid() && !one.enclosing.valid() &&
           std::all_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
             return target.kind == program::CallKind::kDirect && target.function.valid() &&
                    program_.functions()[target.function].qualified_name == one.qualified_name;
           });
  }

  /// Where no call leads to a method, or to the method above it that nobody calls (a hook, a callback): tests that make
  /// an object of its class may run it.
  void add_by_class(FunctionId target, Gathered& all) const {
    std::vector<FunctionId> above{target};
    for (const program::Reached& reached : program::reaching(program_, target, 500)) above.push_back(reached.function);
    std::set<std::uint32_t> seen;
    for (const FunctionId one : above) {
      const program::ClassId owner = program_.functions()[one].owner;
      if (!owner.valid() || !seen.insert(owner.value).second) continue;
      const FunctionId constructor = program_.find_method(owner, "__init__");
      if (!constructor.valid() || constructor == target) continue;
      Gathered made;
      add_running(constructor, true, made, one == target ? std::vector{target} : std::vector<FunctionId>());
      all.replacing.merge(made.replacing);
      for (auto& [test, reach] : made.running) {
        reach.link = TestLink::kPossibly;
        const std::vector<Replacement>& own = stand_ins_.of_test(reach.test);
        const bool replaces = std::any_of(own.begin(), own.end(), [&](const Replacement& each) {
          // For as long as what may call it: one that ends before its function does may be gone by then.
          const bool is_throughout = each.is_lasting || (each.by == reach.test && each.scope.begin == 0);
          return each.is_sure && is_throughout && each.cls.valid() && each.cls == program_.functions()[target].owner &&
                 each.name == program_.functions()[target].name;
        });
        if (replaces) {
          all.replacing.insert(reach.test.value);
        } else {
          all.running.emplace(test, reach);
        }
      }
    }
  }

  /// The test that the function is, or that it is defined in; none for others.
  [[nodiscard]] FunctionId test_around(FunctionId function) const {
    while (function.valid() && !is_test_function(program_, function))
      function = program_.functions()[function].enclosing;
    return function;
  }

  /// Tests whose text names the function, other than to replace it. Where others share its name, the file must name its
  /// class or module, too.
  void add_naming(FunctionId target, Gathered& all) const {
    const program::Function& function = program_.functions()[target];
    const std::string_view name = function.name;
    // A constructor is named by its class.
    if (name == "__init__" && function.owner.valid() && all.running.empty()) {
      for (const FunctionId naming : test_functions_naming(program_, function.owner)) {
        const FunctionId holder = test_around(naming);
        if (holder.valid() && !all.replacing.contains(holder.value)) name_found(holder, all.running);
      }
    }
    if (name.size() < 8 || name.starts_with("__") || name == "load_state_dict" || name == "state_dict" ||
        name == "backward")
      return;
    constexpr std::size_t kMostLooked = 1'000;  // places of a name in one file
    const std::string_view home = home_of(program_, function);
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::Module& module = program_.modules()[program::ModuleId(i)];
      if (!program::is_test_path(module.path)) continue;
      const python::FileFacts& facts = *module.facts;
      if (!home.empty() && !facts.has_name(home)) continue;
      std::size_t looked = 0;
      for (std::size_t at = facts.find_name(name); at != std::string_view::npos && looked < kMostLooked;
           at = facts.find_name(name, at + 1), ++looked) {
        if (!may_mean(program_, target, program::ModuleId(i), static_cast<std::uint32_t>(at), !home.empty())) continue;
        const FunctionId naming = program_.function_at(program::ModuleId(i), static_cast<std::uint32_t>(at));
        const bool replaces = naming.valid() && is_in_replacement(naming, name, static_cast<std::uint32_t>(at));
        const FunctionId holder = test_around(naming);
        if (holder.valid() && replaces) {
          all.replacing.insert(holder.value);
        } else if (holder.valid() &&
                   is_call_on_loaded(program_, target, program::ModuleId(i), static_cast<std::uint32_t>(at))) {
          all.running[holder.value] = reach_of(holder, TestLink::kCalls, 1);
        } else if (holder.valid()) {
          name_found(holder, all.running);
        }
      }
    }
  }

  /// Whether the name at `at` says what a call or statement of `function` replaces.
  [[nodiscard]] bool is_in_replacement(FunctionId function, std::string_view name, std::uint32_t at) const {
    const std::vector<Replacement>& own = stand_ins_.of(function);
    return std::any_of(own.begin(), own.end(),
                       [&](const Replacement& one) { return one.name == name && one.text.contains(at); });
  }

  void name_found(FunctionId test, std::map<std::uint32_t, TestReach>& found) const {
    TestReach& reach = found[test.value];
    const bool is_sure = reach.test.valid() && reach.link == TestLink::kCalls;
    if (!is_sure) reach = reach_of(test, TestLink::kNames, 1);
  }

  [[nodiscard]] TestReach reach_of(FunctionId test, TestLink link, int distance) const {
    const auto known = changed_.find(test.value);
    return {test, link, distance, known != changed_.end(), known != changed_.end() && known->second};
  }

  const Program& program_;
  const TestRunner& runner_;
  mutable ImportClosure closure_;
  TestStandIns stand_ins_;
  TestConditions conditions_;
  StandInSelves selves_;
  MethodWrappers wrappers_;
  DecoratorWrappers decorators_;
  AskedParameters asked_parameters_;
  const DeadCalls dead_;
  Receivers receivers_;
  const PathConstants constants_;
  const SwitchedAttributes switched_;
  TestSettings settings_;
  SetForTest set_;
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, bool> may_make_;  ///< By module of tests and class.
  mutable std::unordered_map<std::uint32_t, std::vector<program::ClassId>> asked_classes_;  ///< By call.
  mutable std::map<std::uint32_t, std::vector<bool>> naming_;                               ///< By class.
  const std::vector<std::string> none_;
  mutable bool are_taken_as_set_ = false;  ///< While it is asked what tests reached, did they set all settings.
  std::unordered_map<std::uint32_t, bool> changed_;  ///< Functions that the change adds (true) or edits.
  std::vector<bool> is_test_;                        ///< By module.
  std::vector<bool> skipped_;                        ///< By function.
};

}  // namespace

void find_tests(const DocumentInputs& inputs, Story& story) {
  const TestFinder finder(inputs);
  // A story that looked before and has more central functions now looks for all of them.
  story.tests.clear();
  story.skipped.clear();
  story.replacing.clear();
  story.unset.clear();
  for (const std::size_t index : story.central) {
    const FunctionId target = callable_of(*inputs.after, *story.actors[index].change);
    TestFinder::Found found = target.valid() ? finder.find(target) : TestFinder::Found();
    finder.leave_out_switched_off(inputs, story.actors[index], target, found.tests);
    found.unset.sure_ones_lack_it = finder.prefer_setting(story.actors[index], found.tests);
    const std::vector<std::string> unmet = finder.leave_out_not_running(story.actors[index], found);
    finder.put_refused_last(target, found.tests);
    story.tests.push_back(std::move(found.tests));
    story.skipped.push_back(std::move(found.skipped));
    story.replacing.push_back(std::move(found.replacing));
    found.unset.of_changes = finder.unset_of_changes(story.actors[index]);
    if (found.unset.of_changes.empty())
      found.unset.unnamed = finder.unnamed_conditions(story.actors[index], story.tests.back());
    if (found.unset.of_changes.empty() && found.unset.unnamed.empty()) found.unset.unnamed = unmet;
    story.unset.push_back(std::move(found.unset));
  }
  find_stand_ins(*inputs.after, finder.stand_ins(), story);
}

}  // namespace lockstep::report
