#include "report/documents/tests/test_risks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/risks.h"
#include "report/documents/runs/class_makers.h"
#include "report/documents/tests/calls_on_import.h"
#include "report/documents/tests/test_code.h"
#include "report/documents/tests/test_commands.h"
#include "report/documents/tests/tests.h"
#include "report/source/configuration_files.h"
#include "report/tests/test_settings.h"
#include "report/ways/functions/handed_functions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Settings that no test sets, with the functions of which what is new does not run without them, and those to which
/// then no calls of tests lead.
void add_unset_settings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  struct Unset {
    std::vector<std::string> settings;
    std::vector<std::string> changed;
    std::vector<std::string> behind;
  };
  std::vector<Unset> found;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const UnsetSettings& unset = story.unset[i];
    const bool is_behind = unset.of_changes.empty();
    const std::vector<std::string>& settings = is_behind ? unset.on_way : unset.of_changes;
    if (settings.empty()) continue;
    auto known = std::find_if(found.begin(), found.end(), [&](const Unset& one) { return one.settings == settings; });
    if (known == found.end()) known = found.insert(found.end(), {settings, {}, {}});
    (is_behind ? known->behind : known->changed).push_back(code(short_name(inputs, *story.actor(i).change)));
  }
  for (const Unset& one : found) {
    std::vector<std::string> parts;
    if (!one.changed.empty()) parts.push_back("none runs what is new in " + join_words(one.changed));
    if (!one.behind.empty()) parts.push_back("no calls lead from a test to " + join_words(one.behind));
    risks.push_back({RiskKind::kTests, fmt::format("Which test sets {}?", unset_names(one.settings)),
                     fmt::format("NOT TESTED: no test was found that does, and without {} {}",
                                 one.settings.size() > 1 ? "any of them" : "it", join(parts, ", and ")),
                     false});
  }
}

/// The central functions, as code; those that share their names with another one with their places.
std::vector<std::string> told_apart(const DocumentInputs& inputs, const std::vector<const Actor*>& actors) {
  const auto name = [&](const Actor* actor) { return code(short_name(inputs, *actor->change)); };
  std::vector<std::string> out;
  for (const Actor* actor : actors) {
    const auto alike =
        std::count_if(actors.begin(), actors.end(), [&](const Actor* other) { return name(other) == name(actor); });
    out.push_back(alike < 2 ? name(actor) : fmt::format("{} in {}", name(actor), code(actor->change->after->path)));
  }
  return out;
}

/// Whether it is told with what does not run without it.
bool is_told_as_unset(const Story& story, const Flag& flag) {
  return std::any_of(story.unset.begin(), story.unset.end(), [&](const UnsetSettings& one) {
    return std::find(one.on_way.begin(), one.on_way.end(), flag.name) != one.on_way.end() ||
           std::find(one.of_changes.begin(), one.of_changes.end(), flag.name) != one.of_changes.end();
  });
}

/// New settings whose names stand nowhere in the tests, and those that tests name and leave off.
void add_new_settings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  std::vector<const Flag*> fresh;
  for (const Flag& flag : story.flags) {
    if (flag.is_new && !flag.is_fixed && flag.derived.empty() && !is_told_as_unset(story, flag)) fresh.push_back(&flag);
  }
  const std::vector<const Flag*> flags = unnamed_in_tests(inputs, fresh);
  std::vector<std::string> names;
  for (const Flag* flag : flags) names.push_back(code(flag->name));
  // To say that one is left out takes as much room as the one.
  if (names.size() > kMost + 1) names.resize(kMost);
  if (names.size() < flags.size()) names.push_back(count_of(flags.size() - names.size(), "more setting"));
  if (!names.empty())
    risks.push_back({RiskKind::kTests, fmt::format("Which test sets {}?", join_words(names, "or")),
                     flags.size() == 1
                         ? "NOT TESTED: its name stands in no test and no changed configuration of tests"
                         : "NOT TESTED: none of their names stands in a test or a changed configuration of tests",
                     false});
  std::erase_if(fresh, [&](const Flag* flag) {
    const bool is_off = flag->default_value == "False" || flag->default_value == "None";
    return !is_off || std::find(flags.begin(), flags.end(), flag) != flags.end();
  });
  if (fresh.empty()) return;
  const TestSettings settings(inputs);
  std::size_t told = 0;
  for (const Flag* flag : fresh) {
    if (told == kMost || settings.use_of(flag->name).anywhere) continue;
    ++told;
    risks.push_back({RiskKind::kTests, fmt::format("Which test sets {}?", code(flag->name)),
                     fmt::format("NOT TESTED: its name stands in tests, and nothing was found that gives it another "
                                 "value than its default {}",
                                 code(flag->default_value)),
                     false});
  }
}

/// Settings that were there before, under which all stands that changes in a function, that are off by default and that
/// nothing of the tests names, no configuration and no script either.
void add_unnamed_switches(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  std::vector<const Flag*> flags;
  for (const Flag& flag : story.flags) {
    if (flag.guarded >= story.central.size() || flag.is_new || flag.is_behind || !flag.guards_all ||
        flag.runs_by_default != false || !flag.set_elsewhere.empty() || !story.unset[flag.guarded].of_changes.empty() ||
        !story.unset[flag.guarded].on_way.empty())
      continue;
    flags.push_back(&flag);
  }
  flags = unnamed_in_tests(inputs, std::move(flags));
  if (flags.empty()) return;
  const std::vector<ConfigurationFile> files = configuration_files(inputs.after_files, FilesOf::kTests);
  std::erase_if(flags, [&](const Flag* flag) {
    const std::string option = "--" + replace_all(flag->name, "_", "-");
    return std::any_of(files.begin(), files.end(), [&](const ConfigurationFile& file) {
      return contains(file.text, option) || find_name(file.text, flag->name) != std::string_view::npos;
    });
  });
  for (const Flag* flag : flags) {
    risks.push_back({RiskKind::kTests, fmt::format("Which test sets {}?", code(flag->name)),
                     fmt::format("NOT TESTED: what changes in {} does not run with its default, and no test names it",
                                 code(short_name(inputs, *story.actor(flag->guarded).change))),
                     false});
  }
}

/// Whether no call names the function and a function outside tests hands it on.
bool is_handed_on_alone(const program::Program& program, const Actor& actor) {
  const program::FunctionId function = actor.change->after->function;
  if (!function.valid() || !program.callers_of(function).empty()) return false;
  const std::vector<HandedFunction> all = handed_on_at(program, function);
  return std::any_of(all.begin(), all.end(), [&](const HandedFunction& one) {
    return program.functions()[one.by].kind != program::FunctionKind::kModuleBody;
  });
}

}  // namespace

void add_tests(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  if (!story.only_tests) add_unset_settings(inputs, story, risks);
  if (!story.only_tests) add_new_settings(inputs, story, risks);
  if (!story.only_tests) add_unnamed_switches(inputs, story, risks);
  const bool told_by_finding =
      std::any_of(risks.begin(), risks.end(), [](const Risk& r) { return r.is_finding && r.kind == RiskKind::kTests; });
  if (told_by_finding || story.only_tests) return;
  std::vector<const Actor*> without_test;
  std::vector<const Actor*> with_stand_ins;
  std::vector<const Actor*> handed;
  std::map<std::string, std::vector<const Actor*>> made_by;  // By what is said of it.
  bool any_skipped = false;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    if (!actor.change->after || !actor.is_function() || actor.is_module_code || !story.tests[i].empty() ||
        !story.unset[i].on_way.empty() || !called_on_import(*inputs.after, actor.change->after->function).empty())
      continue;
    if (story.skipped[i].empty() && !story.replacing[i].empty()) {
      with_stand_ins.push_back(&actor);
      continue;
    }
    // What a library calls back, tests of who hands it on may run.
    if (story.skipped[i].empty() && is_handed_on_alone(*inputs.after, actor)) {
      handed.push_back(&actor);
      continue;
    }
    // A class that a function gives back is made by whoever calls that one.
    if (const std::string made = maker_tests_text(*inputs.after, actor.change->after->function);
        story.skipped[i].empty() && !made.empty()) {
      made_by[made].push_back(&actor);
      continue;
    }
    without_test.push_back(&actor);
    any_skipped = any_skipped || !story.skipped[i].empty();
  }
  std::vector<std::string> unsure;
  bool any_handed = false;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const auto& after = story.actor(i).change->after;
    if (!may_be_tested_somewhere(story, i) || (after && !called_on_import(*inputs.after, after->function).empty()))
      continue;
    unsure.push_back(code(short_name(inputs, *story.actor(i).change)));
    any_handed = any_handed || is_handed_on(story.entries[i]);
  }
  if (!unsure.empty()) {
    risks.push_back({RiskKind::kTests, fmt::format("Does a test run {}?", join_words(unsure)),
                     fmt::format("Open: the tests that were found lead there only through {}", unsure_way(any_handed)),
                     false});
  }
  if (const std::vector<std::string> names = told_apart(inputs, handed); !names.empty()) {
    const bool is_one = names.size() == 1;
    risks.push_back({RiskKind::kTests, fmt::format("Does a test run {}?", join_words(names)),
                     fmt::format("Open: {} handed on or kept as {}, and who calls {} then was not followed; no test "
                                 "was found that names {}",
                                 is_one ? "it is" : "they are", is_one ? "a value" : "values", is_one ? "it" : "them",
                                 is_one ? "it" : "them"),
                     false});
  }
  for (const auto& [text, actors] : made_by) {
    risks.push_back({RiskKind::kTests, fmt::format("Does a test run {}?", join_words(told_apart(inputs, actors))),
                     "Open: " + text, false});
  }
  const std::vector<std::string> replaced = told_apart(inputs, with_stand_ins);
  const std::vector<std::string> untested = told_apart(inputs, without_test);
  if (!replaced.empty())
    risks.push_back(
        {RiskKind::kTests, fmt::format("Which test runs {}?", join_words(replaced)),
         fmt::format("NOT TESTED: the tests found to lead to {0} replace {0}, or what leads there, by stand-ins",
                     replaced.size() > 1 ? "them" : "it"),
         false});
  if (untested.empty()) return;
  std::vector<program::FunctionId> functions;
  for (const Actor* actor : without_test) functions.push_back(actor->change->after->function);
  const std::string leading = leading_test_code(inputs, story, functions);
  std::string started;
  for (std::size_t i = 0; i < story.central.size() && started.empty() && leading.empty(); ++i) {
    if (std::find(without_test.begin(), without_test.end(), &story.actor(i)) != without_test.end())
      started = runs_of_tests(inputs, story, i);
  }
  if (!started.empty()) {
    risks.push_back({RiskKind::kTests, fmt::format("Which test runs {}?", join_words(untested)),
                     fmt::format("No test function was found that reaches {0} by the call graph, and none that names "
                                 "{0}. {1}",
                                 untested.size() > 1 ? "them" : "it", started),
                     false});
    return;
  }
  risks.push_back(
      {RiskKind::kTests, fmt::format("Which test runs {}?", join_words(untested)),
       fmt::format(
           "NOT TESTED: no test function{1} was found that reaches {0} by the call graph, and none that names {0}{2}",
           untested.size() > 1 ? "them" : "it", any_skipped ? " that is not skipped" : "",
           leading.empty() ? "" : ". " + leading),
       false});
}

}  // namespace lockstep::report
