#include "report/documents/tests/tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/runs/changed_runs.h"
#include "report/documents/runs/class_makers.h"
#include "report/documents/tests/calls_on_import.h"
#include "report/documents/tests/own_code.h"
#include "report/documents/tests/test_code.h"
#include "report/documents/tests/test_commands.h"
#include "report/story/wording/changes.h"
#include "report/story/wording/status.h"
#include "report/tests/expected_errors.h"
#include "report/tests/skipped_tests.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

bool is_handed_on(const EntryPath& path) {
  return std::any_of(path.frames.begin(), path.frames.end(),
                     [](const PathFrame& frame) { return frame.handing != Handing::kNone; });
}

std::string_view unsure_way(bool is_handed_on) {
  return is_handed_on ? "functions that are registered or handed on, or calls that may not be made or can enter other "
                        "functions as well"
                      : "calls that may not be made or can enter other functions as well";
}

namespace {

/// "`test_f` (new here, tests/test_f.py:3) and …". `target`: what they lead to, where it is to be told that a test
/// expects an error of its calls that do.
std::string test_names(const DocumentInputs& inputs, std::span<const TestReach> tests,
                       program::FunctionId target = {}) {
  std::vector<std::string> names;
  for (const TestReach& reach : tests) {
    const std::string error = expected_error(*inputs.after, reach.test, target);
    names.push_back(fmt::format("{} ({}{}{}{})", code(inputs.after->functions()[reach.test].name),
                                reach.is_new       ? "new here, "
                                : reach.is_changed ? "changed here, "
                                                   : "",
                                place_of(*inputs.after, reach.test), error.empty() ? "" : ", expects ", error));
  }
  return join_words(names);
}

/// " Those of the change that are named are skipped where `not HAVE_TE` holds." where marks skip all of these under the
/// same condition; else empty. Whoever counts on them must know it; what skips others was known.
std::string skipping_words(const DocumentInputs& inputs, std::span<const TestReach> named) {
  constexpr std::size_t kMostConditions = 2;
  std::optional<std::vector<std::string>> common;
  std::size_t own_tests = 0;
  for (const TestReach& reach : named) {
    if (!reach.is_changed) continue;
    ++own_tests;
    std::vector<std::string> own = skip_conditions(*inputs.after, reach.test);
    if (common) {
      std::erase_if(*common,
                    [&](const std::string& one) { return std::find(own.begin(), own.end(), one) == own.end(); });
    } else {
      common = std::move(own);
    }
  }
  if (!common || common->empty() || common->size() > kMostConditions) return {};
  for (std::string& one : *common) one = code(one);
  return fmt::format(" {} skipped where {} holds.", own_tests > 1 ? "Those of the change are" : "That of the change is",
                     join_words(*common, "or"));
}

constexpr std::size_t kFewTests = 3;

/// Of tests none of which surely leads there a few are named; of many only those that the change itself brings.
std::string possible_tests_words(const DocumentInputs& inputs, const Story& story, std::size_t index,
                                 std::size_t most) {
  const auto& tests = story.tests[index];
  const std::string_view way = unsure_way(is_handed_on(story.entries[index]));
  const program::FunctionId target = callable_of(*inputs.after, *story.actor(index).change);
  std::vector<TestReach> named(tests.begin(), tests.end());
  if (tests.size() > kFewTests) std::erase_if(named, [](const TestReach& reach) { return !reach.is_changed; });
  if (named.size() > most) named.resize(most);
  const std::string_view none = story.unset[index].sure_ones_lack_it
                                    ? "those that surely do were not found to set what the changed lines ask for"
                                    : "none was found that surely does";
  if (tests.size() > named.size())
    return fmt::format("Tests may lead to it through {}{}; {}.", way,
                       named.empty() ? "" : ", among them " + test_names(inputs, named, target), none);
  return fmt::format("{} {} may lead to it through {}; {}.", named.size() == 1 ? "The test" : "The tests",
                     test_names(inputs, named, target), way, none);
}

/// Tests of the change itself that look as if they ran it, and do not.
std::string stand_ins_words(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t most) {
  std::vector<TestReach> own;
  std::copy_if(story.replacing[index].begin(), story.replacing[index].end(), std::back_inserter(own),
               [](const TestReach& reach) { return reach.is_changed; });
  if (own.empty()) return {};
  // Others may do so in ways that the call graph does not see.
  return fmt::format(" {} it, or what leads to it, by a stand-in: {}{}.",
                     own.size() == 1 ? "A test of the change replaces" : "Tests of the change replace",
                     test_names(inputs, std::span(own).first(std::min(most, own.size()))),
                     own.size() > most ? fmt::format(" and {} more", own.size() - most) : "");
}

/// Whether all that changes in a function of both versions stands in branches of it.
bool changes_in_branches(const Actor& actor) {
  if (actor.is_added() || !actor.change->after) return false;
  const auto is_kept = [](const Step& step) { return step.status == StepStatus::kKept; };
  if (std::all_of(actor.steps.after.begin(), actor.steps.after.end(), is_kept)) return false;
  return std::all_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
    if (is_kept(step)) return true;
    const std::vector<Guard> guards = guards_of(*actor.change->after->node, step.span);
    return std::any_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.condition != nullptr; });
  });
}

/// Whether they are conditions that the tests do not meet, and no names of settings; see closed_changes.h.
bool are_conditions(const std::vector<std::string>& unmet) {
  return std::any_of(unmet.begin(), unmet.end(), [](const std::string& one) { return one.starts_with(' '); });
}

std::string conditions_words(const std::vector<std::string>& unmet) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> out;
  for (const std::string& one : unmet) {
    if (out.size() < kMost) out.push_back(code(one.substr(1)));
  }
  return join_words(out) + (unmet.size() > kMost ? fmt::format(" and {} more", unmet.size() - kMost) : "");
}

/// The nearest of the tests that the change adds, else of those that it edits; `otherwise` where it has none of them.
const TestReach& nearest_of_change(const std::vector<TestReach>& tests, const TestReach& otherwise) {
  const TestReach* found = nullptr;
  for (const TestReach& reach : tests) {
    if (!reach.is_changed) continue;
    const bool is_better = found == nullptr || std::make_pair(!reach.is_new, reach.distance) <
                                                   std::make_pair(!found->is_new, found->distance);
    if (is_better) found = &reach;
  }
  return found == nullptr ? otherwise : *found;
}

std::string reaching_words(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t most) {
  const auto& tests = story.tests[index];
  const auto& skipped = story.skipped[index];
  if (tests.empty() && !skipped.empty())
    return fmt::format("NOT TESTED: of the tests only such as are skipped were found to lead to it ({}, {}).",
                       code(inputs.after->functions()[skipped.front().test].name),
                       place_of(*inputs.after, skipped.front().test));
  if (const auto& replacing = story.replacing[index]; tests.empty() && !replacing.empty())
    return fmt::format("NOT TESTED: {} it, or what leads to it, by a stand-in: {}{}.",
                       count_of(replacing.size(), "test replaces", "tests replace"),
                       test_names(inputs, std::span(replacing).first(std::min(most, replacing.size()))),
                       replacing.size() > most ? fmt::format(" and {} more", replacing.size() - most) : "");
  if (const std::vector<std::string>& unset = story.unset[index].on_way; tests.empty() && !unset.empty())
    return fmt::format("NOT TESTED: without {} no calls lead from a test to it, and no test was found that sets {}.",
                       unset_names(unset), unset.size() > 1 ? "any of them" : "it");
  // Whatever imports a module runs it.
  if (tests.empty() && story.actor(index).is_module_code)
    return "What imports a module, and so runs it, is not sought among the tests.";
  if (tests.empty()) {
    if (const std::string made =
            maker_tests_text(*inputs.after, callable_of(*inputs.after, *story.actor(index).change));
        !made.empty())
      return fmt::format("Open: {}.", made);
    const std::string started = runs_of_tests(inputs, story, index);
    return started.empty()
               ? "NOT TESTED: no test function was found that reaches it by the call graph, and none that names it."
               : fmt::format(
                     "No test function was found that reaches it by the call graph, and none that names it. {}.",
                     started);
  }
  // Only the surest kind is listed: where a test runs it for sure, the many that may do so say nothing.
  const TestLink kind = tests.front().link;
  const program::FunctionId target = callable_of(*inputs.after, *story.actor(index).change);
  if (kind == TestLink::kPossibly) return possible_tests_words(inputs, story, index, most);
  std::vector<TestReach> sure;
  std::copy_if(tests.begin(), tests.end(), std::back_inserter(sure),
               [&](const TestReach& reach) { return reach.link == kind; });
  // Calls lead there; which branches a test takes on the way is not known, and the longer it is, the less.
  const TestReach& nearest =
      *std::min_element(sure.begin(), sure.end(), [](const auto& a, const auto& b) { return a.distance < b.distance; });
  constexpr int kNear = 3;
  if (kind == TestLink::kCalls && nearest.distance > kNear) {
    // What the change brings for it says more than what happens to be nearer.
    const TestReach& own = nearest_of_change(sure, nearest);
    return fmt::format("{}, {}, is {} calls away; which branches it takes on the way was not followed.",
                       own.is_changed ? "The nearest test of the change" : "The nearest test by the call graph",
                       test_names(inputs, std::span(&own, 1), target), own.distance);
  }
  const bool all_call = std::all_of(sure.begin(), sure.end(), [](const TestReach& reach) {
    return reach.link == TestLink::kCalls && reach.distance == 1;
  });
  const bool is_constructor = change::last_part(story.actor(index).change->latest().qualified_name) == "__init__";
  const std::string_view link =
      kind == TestLink::kNames ? (is_constructor ? "No test was found that surely leads to it; its class is named in"
                                                 : "No test was found that surely leads to it; it is named in")
      : all_call               ? "Called in"
                               : "Calls lead to it from";
  // One or two more are no longer than saying that there are more.
  most = std::max<std::size_t>(most, sure.size() <= 3 ? sure.size() : 1);
  const std::span<const TestReach> named = std::span(sure).first(std::min(most, sure.size()));
  const std::string list = test_names(inputs, named, target);
  const std::string skipping = skipping_words(inputs, named);
  // Never how many: others may come to it in ways that the call graph does not see.
  std::string out = fmt::format("{} {} {}", link,
                                sure.size() > most ? "several tests, among them"
                                : sure.size() == 1 ? "the test"
                                                   : "at least the tests",
                                list);
  // On the way a test may take other branches, or have a stand-in.
  if (kind == TestLink::kCalls && !all_call && nearest.distance > 1)
    return out + "." + skipping + " Which branches they take on the way was not followed.";
  const bool is_of_change = contains(list, " here, ");
  // Where one is known to be left out, that is told.
  if (kind == TestLink::kCalls && !is_of_change && story.unset[index].of_changes.empty() &&
      !are_conditions(story.unset[index].unnamed) && changes_in_branches(story.actor(index)))
    return out + "." + skipping + " Whether the branches that change are taken was not followed.";
  return out + "." + skipping;
}

}  // namespace

std::vector<const Flag*> unnamed_in_tests(const DocumentInputs& inputs, std::vector<const Flag*> flags) {
  const auto has_option = [](std::string_view bytes, const std::string& option) {
    for (std::size_t at = bytes.find(option); at != std::string_view::npos; at = bytes.find(option, at + 1)) {
      const std::size_t end = at + option.size();
      const bool goes_on = end < bytes.size() && (std::isalnum(static_cast<unsigned char>(bytes[end])) != 0 ||
                                                  bytes[end] == '-' || bytes[end] == '_');
      if (!goes_on) return true;
    }
    return false;
  };
  const auto leave_out_named = [&](std::string_view bytes) {
    std::erase_if(flags, [&](const Flag* flag) {
      const std::string name =
          replace_all(flag->name.substr(std::min(flag->name.find_first_not_of('-'), flag->name.size())), "-", "_");
      return find_name(bytes, name) != std::string_view::npos || has_option(bytes, "--" + replace_all(name, "_", "-"));
    });
  };
  for (const program::Module& module : inputs.after->modules()) {
    if (flags.empty()) return flags;
    if (program::is_test_path(module.path)) leave_out_named(module.facts->source().bytes());
  }
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->new_path;
    if (path.empty() || path.ends_with(".py") || !program::is_test_path(path) || inputs.after_files == nullptr)
      continue;
    const auto bytes = inputs.after_files->read(path);
    if (!bytes) return {};
    leave_out_named(*bytes);
  }
  return flags;
}

std::string unset_names(const std::vector<std::string>& settings) {
  std::vector<std::string> names;
  for (const std::string& setting : settings) names.push_back(code(setting));
  return join_words(names, "or");
}

std::string tests_words(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t most) {
  std::string out = reaching_words(inputs, story, index, most);
  if (const std::vector<std::string>& unset = story.unset[index].of_changes;
      !story.tests[index].empty() && !unset.empty())
    out += fmt::format(" What changes in it they do not run: that needs {}, which no test was found to set.",
                       unset_names(unset));
  if (const std::vector<std::string>& names = story.unset[index].unnamed;
      !story.tests[index].empty() && are_conditions(names))
    out += fmt::format(" What changes in it they do not run: what they give, or leave at its default, rules out {}.",
                       conditions_words(names));
  else if (!story.tests[index].empty() && !names.empty())
    out += fmt::format(" What changes in it runs only with {}, which the code of these tests was not found to set.",
                       unset_names(names));
  if (!story.tests[index].empty()) out += stand_ins_words(inputs, story, index, most);
  return out;
}

bool may_be_tested_somewhere(const Story& story, std::size_t index) {
  const auto& tests = story.tests[index];
  return tests.size() > kFewTests && tests.front().link == TestLink::kPossibly && !tests.front().is_changed;
}

std::string tests_item(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t most) {
  const change::EntityChange& entity = *story.actor(index).change;
  if (story.only_tests) return {};
  if (const std::string imported =
          entity.after ? called_on_import(*inputs.after, entity.after->function) : std::string();
      !imported.empty())
    return fmt::format("{}: {}", code(short_name(inputs, entity)), imported);
  if (story.tests[index].empty() && story.replacing[index].empty()) return {};
  const bool is_told_by_finding = std::any_of(inputs.findings.begin(), inputs.findings.end(), [](const auto& finding) {
    return finding.category == rules::Category::kTests && finding.severity != rules::Severity::kP3;
  });
  if (may_be_tested_somewhere(story, index) && !is_told_by_finding) return {};
  const std::string name = short_name(inputs, *story.actor(index).change);
  std::string_view what;
  for (const rules::Finding& finding : inputs.findings) {
    if (finding.rule != "missing-test" || !contains(finding.message, fmt::format("`{}`", name))) continue;
    // Of a branch that no test is aimed at, that tests may lead to the function says nothing more.
    if (!contains(finding.message, "branch") ||
        (!story.tests[index].empty() && story.tests[index].front().link == TestLink::kPossibly))
      return {};
    what = " as a whole";
  }
  return fmt::format("{}{}: {}", code(name), what, tests_words(inputs, story, index, most));
}

namespace {

/// "`--x: value`" of the lines of a configuration that give one of the change's settings.
std::vector<std::string> settings_given(std::string_view bytes, const Story& story) {
  std::vector<std::string> out;
  for (std::string_view line : split(bytes, '\n')) {
    line = trim(line);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !line.starts_with("--")) continue;
    std::string name(line.substr(2, colon - 2));
    std::replace(name.begin(), name.end(), '-', '_');
    if (std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) { return flag.name == name; }))
      out.push_back(code(line));
  }
  return out;
}

/// Configurations of tests that a runner reads, and that the change adds or edits.
void add_changed_configurations(const DocumentInputs& inputs, const Story& story, std::vector<std::string>& out) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kMostSettings = 3;
  std::size_t more = 0;
  std::size_t told = 0;
  std::vector<std::string> plain;
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->new_path;
    if (path.empty() || !program::is_test_path(path) || !(path.ends_with(".yaml") || path.ends_with(".yml"))) continue;
    const bool is_new = file.file->old_path.empty();
    if (!is_new && file.lines_added + file.lines_removed == 0) continue;
    std::string detail = is_new ? std::string() : from_backquotes(file.summary);
    if (is_new && inputs.after_files != nullptr) {
      if (const auto bytes = inputs.after_files->read(path)) {
        std::vector<std::string> given = settings_given(*bytes, story);
        if (given.size() > kMostSettings) given.resize(kMostSettings);
        if (!given.empty()) detail = "with " + join_words(given);
      }
    }
    std::string text = fmt::format("the configuration {} ({}{}{})", place(path), is_new ? "new" : "changed",
                                   detail.empty() ? "" : ": ", detail);
    if (detail.empty()) {
      plain.push_back(std::move(text));
    } else if (told == kMost) {
      ++more;
    } else {
      ++told;
      out.push_back(std::move(text));
    }
  }
  for (std::string& text : plain) {
    if (told == kMost) {
      ++more;
    } else {
      ++told;
      out.push_back(std::move(text));
    }
  }
  if (more > 0) out.push_back(fmt::format("and {}", lockstep::count_of(more, "more configuration")));
}

/// The first test of the file that names the function, of one inside a test that test; null where none does, and for
/// fixtures, which any test may take.
const program::Function* test_naming(const DocumentInputs& inputs, program::FunctionId helper) {
  const program::Function& own = inputs.after->functions()[helper];
  const auto is_fixture = [](const python::Expr* mark) {
    const auto* call = python::as<python::Call>(mark);
    return rules::last_part_of(call == nullptr ? mark : call->callee) == "fixture";
  };
  if (own.def() == nullptr || std::any_of(own.def()->decorators.begin(), own.def()->decorators.end(), is_fixture))
    return nullptr;
  const program::Module& module = inputs.after->modules()[own.module];
  for (const program::FunctionId id : module.functions) {
    const program::Function& test = inputs.after->functions()[id];
    if (!test.name.starts_with("test") || test.def() == nullptr) continue;
    // Another test may have one of the name.
    if (own.enclosing.valid() && own.enclosing != id) continue;
    if (rules::mentions_name(*test.node, own.name)) return &test;
  }
  return nullptr;
}

/// Helpers of tests that the change edits: what the tests that call them check is something else now.
void add_changed_helpers(const DocumentInputs& inputs, const Story& story, std::vector<std::string>& out) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    const auto& side = actor.change->after;
    const bool is_helper = actor.role == Role::kTest && actor.is_function() && !actor.is_added() && side &&
                           side->function.valid() && !actor.change->is_cosmetic() &&
                           !actor.change->differences.empty() && !is_collected(inputs, actor);
    const program::Function* test = is_helper && told < kMost ? test_naming(inputs, side->function) : nullptr;
    if (test == nullptr) continue;
    ++told;
    out.push_back(fmt::format("the helper {} ({}) of {}", code(short_name(inputs, *actor.change)),
                              status_and_place(inputs, *actor.change), code(test->name)));
  }
}

}  // namespace

std::vector<std::string> changed_tests(const DocumentInputs& inputs, const Story& story, std::size_t limit) {
  std::vector<std::string> out;
  std::size_t more = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role != Role::kTest || !actor.is_function() || actor.is_removed()) continue;
    const std::string& qualified = actor.change->after->qualified_name;
    const std::string last = qualified.substr(qualified.rfind('.') + 1);
    if (!is_collected(inputs, actor)) continue;
    if (out.size() == limit) {
      ++more;
      continue;
    }
    const std::string purpose = docstring_sentence(actor.change->after->node, 160);
    const std::string own = actor.is_added() ? own_code_words(inputs, story, actor) : std::string();
    out.push_back(fmt::format("{} ({}){}{}", code(last), status_and_place(inputs, *actor.change),
                              purpose.empty() ? "" : fmt::format(": \u201c{}\u201d", from_backquotes(purpose)),
                              own.empty() ? "" : fmt::format(" ({})", own)));
  }
  if (more > 0) out.push_back(fmt::format("and {}", lockstep::count_of(more, "more test")));
  add_changed_helpers(inputs, story, out);
  std::vector<ChangedRun> runs = changed_runs(inputs, story);
  const std::size_t told = std::min(runs.size(), limit);
  for (std::size_t i = 0; i < told; ++i) out.push_back(run_words(runs[i], 4));
  if (runs.size() > told)
    out.push_back(fmt::format("and {}", lockstep::count_of(runs.size() - told, "more command line")));
  add_changed_configurations(inputs, story, out);
  return out;
}

}  // namespace lockstep::report
