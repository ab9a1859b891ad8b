#include "report/documents/risks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/author/results.h"
#include "report/document.h"
#include "report/documents/compatibility/checkpoint_risks.h"
#include "report/documents/compatibility/enum_values.h"
#include "report/documents/compatibility/fields.h"
#include "report/documents/compatibility/imported_alternatives.h"
#include "report/documents/compatibility/library_keywords.h"
#include "report/documents/compatibility/local_functions.h"
#include "report/documents/compatibility/needed_packages.h"
#include "report/documents/compatibility/new_directions.h"
#include "report/documents/compatibility/re_exports.h"
#include "report/documents/compatibility/refused_defaults.h"
#include "report/documents/compatibility/removed.h"
#include "report/documents/compatibility/removed_attributes.h"
#include "report/documents/compatibility/return_forms.h"
#include "report/documents/compatibility/signatures.h"
#include "report/documents/compatibility/stale_documentation.h"
#include "report/documents/content/changed_sources.h"
#include "report/documents/correctness/broad_catches.h"
#include "report/documents/correctness/callers_without.h"
#include "report/documents/correctness/checks.h"
#include "report/documents/correctness/classes_without.h"
#include "report/documents/correctness/edge_cases.h"
#include "report/documents/correctness/heirs_without.h"
#include "report/documents/correctness/kept_arguments.h"
#include "report/documents/correctness/last_deletes.h"
#include "report/documents/correctness/left_behind.h"
#include "report/documents/correctness/missing_keys.h"
#include "report/documents/correctness/narrow_cache_keys.h"
#include "report/documents/correctness/near_copies.h"
#include "report/documents/correctness/new_program_exits.h"
#include "report/documents/correctness/other_givers.h"
#include "report/documents/correctness/other_writers.h"
#include "report/documents/correctness/passed_by.h"
#include "report/documents/correctness/read_after_release.h"
#include "report/documents/correctness/refused_arguments.h"
#include "report/documents/correctness/refused_calls.h"
#include "report/documents/correctness/refusing_helpers.h"
#include "report/documents/correctness/removed_warnings.h"
#include "report/documents/correctness/reordered_calls.h"
#include "report/documents/correctness/repeated_calls.h"
#include "report/documents/correctness/returned_flags.h"
#include "report/documents/correctness/sibling_arguments.h"
#include "report/documents/correctness/softened_errors.h"
#include "report/documents/correctness/unasked_alternatives.h"
#include "report/documents/correctness/uncaught_errors.h"
#include "report/documents/correctness/unchanged_limits.h"
#include "report/documents/correctness/unchanged_twins.h"
#include "report/documents/correctness/unmade_objects.h"
#include "report/documents/correctness/unprepared_calls.h"
#include "report/documents/correctness/unread_arguments.h"
#include "report/documents/correctness/unread_parameters.h"
#include "report/documents/costs/captured_code.h"
#include "report/documents/costs/conditional_collectives.h"
#include "report/documents/costs/costs.h"
#include "report/documents/costs/skipping_ranks.h"
#include "report/documents/settings/arguments.h"
#include "report/documents/settings/default_arguments.h"
#include "report/documents/settings/default_branches.h"
#include "report/documents/settings/environment.h"
#include "report/documents/settings/kept_defaults.h"
#include "report/documents/settings/model_fields.h"
#include "report/documents/settings/never_set.h"
#include "report/documents/settings/new_choices.h"
#include "report/documents/settings/new_settings.h"
#include "report/documents/settings/passed_over_settings.h"
#include "report/documents/settings/redeclared_options.h"
#include "report/documents/settings/sibling_readers.h"
#include "report/documents/settings/undeclared_arguments.h"
#include "report/documents/settings/unset_arguments.h"
#include "report/documents/settings/unset_settings.h"
#include "report/documents/tests/parallelism_risks.h"
#include "report/documents/tests/switched_off_tests.h"
#include "report/documents/tests/test_risks.h"
#include "report/documents/tests/untested_refusals.h"
#include "report/story/settings/flag_declarations.h"
#include "report/story/settings/unset.h"

namespace lockstep::report {

using namespace python;

namespace {

RiskKind kind_of(rules::Category category) {
  using rules::Category;
  switch (category) {
    case Category::kPerformance:
      return RiskKind::kPerformance;
    case Category::kCompatibility:
      return RiskKind::kCompatibility;
    case Category::kTests:
      return RiskKind::kTests;
    default:
      return RiskKind::kCorrectness;
  }
}

std::string severity_text(const rules::Finding& finding) {
  constexpr std::string_view kNames[] = {"P0", "P1", "P2", "P3"};
  return std::string(kNames[static_cast<std::size_t>(finding.severity)]);
}

/// Whether one line tells both: the same said of several places.
bool is_same_elsewhere(const rules::Finding& a, const rules::Finding& b) {
  return std::tie(a.rule, a.severity, a.certainty, a.message, a.fix) ==
         std::tie(b.rule, b.severity, b.certainty, b.message, b.fix);
}

/// Where a finding holds: its own place, and those of the findings that say the same.
std::string places_told(const DocumentInputs& inputs, const rules::Finding& finding) {
  constexpr std::size_t kMostPlaces = 3;
  std::vector<std::string> places;
  std::size_t more = 0;
  for (const rules::Finding& other : inputs.findings) {
    if (!is_same_elsewhere(finding, other)) continue;
    if (places.size() < kMostPlaces) {
      places.push_back(place(other.path, other.start_line));
    } else {
      ++more;
    }
  }
  if (more > 0) places.push_back(fmt::format("{} more", more));
  return join_words(places);
}

void add_findings(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  for (const rules::Finding& finding : inputs.findings) {
    if (finding.severity == rules::Severity::kP3) continue;
    const auto first = std::find_if(inputs.findings.begin(), inputs.findings.end(),
                                    [&](const rules::Finding& one) { return is_same_elsewhere(one, finding); });
    if (&*first != &finding) continue;
    Risk risk;
    risk.kind = kind_of(finding.category);
    risk.is_finding = true;
    const bool question = finding.certainty == rules::FindingCertainty::kQuestion;
    risk.concern = fmt::format("{} ({})", as_sentence(capitalised(from_backquotes(finding.message))),
                               places_told(inputs, finding));
    const std::string_view sure = finding.certainty == rules::FindingCertainty::kProven ? "proven"
                                  : question                                            ? "to be answered"
                                                                                        : "likely";
    risk.status = fmt::format("{} {}, {}", severity_text(finding), code(finding.rule), sure);
    if (!finding.fix.empty()) risk.status += ". " + as_sentence(capitalised(from_backquotes(finding.fix)));
    risks.push_back(std::move(risk));
  }
}

/// Whom the new default of a setting reaches: where a CLI argument gives another one, only code that makes the object.
std::string default_reaches(const Flag& flag) {
  if (flag.argument_default.empty())
    return flag.default_value == "None"
               ? fmt::format("Runs that do not set it get what code takes for {}", code("None"))
               : std::string("Runs that do not set it behave differently");
  const bool is_old = replace_all(flag.argument_default, "\"", "'") == replace_all(flag.old_default, "\"", "'");
  return fmt::format(
      "Only code that makes {} without it gets the new one: {} {}gives {} where it is not given{}",
      flag.owner.empty() ? std::string("the object") : code(flag.owner.substr(flag.owner.rfind('.') + 1)),
      code(flag.argument), is_old ? "still " : "", code(flag.argument_default), is_old ? ". Is that meant?" : "");
}

void add_compatibility(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  add_refused_defaults(inputs, story, risks);
  add_removed_names(inputs, story, risks);
  add_re_exports(inputs, risks);
  const std::vector<std::string> gone = gone_arguments(inputs);
  add_gone_arguments(gone, risks);
  add_arguments_gone_from_scripts(inputs, gone, risks);
  add_moved_destinations(inputs, risks);
  add_closed_settings(inputs, risks);
  std::size_t told = 0;
  std::vector<ToldSignature> signatures;
  for (const Actor& actor : story.actors) {
    if (actor.role != Role::kTest && is_public(*actor.change) && actor.is_function() && told < 4)
      add_exchanged_name(inputs, actor, risks);
    if (actor.role != Role::kTest && is_public(*actor.change) && told < 4) add_new_constructor(inputs, actor, risks);
    if (actor.role == Role::kTest || !is_public(*actor.change) || !was_public(*actor.change) || actor.is_added() ||
        actor.is_removed() || !actor.is_function() || told >= 4)
      continue;
    if (is_only_called_within(*inputs.after, actor.change->after->function)) continue;
    const std::size_t before = risks.size();
    add_property(inputs, actor, risks);
    add_signature(inputs, actor, signatures, risks);
    told += risks.size() - before;
  }
  add_return_forms(inputs, story, risks);
  add_bound_overrides(inputs, story, risks);
  add_new_fields(inputs, story, risks);
  add_model_fields(inputs, story, risks);
  const bool unset_is_silent = gone.empty() && changes_nothing_unset(inputs, story);
  std::vector<std::pair<std::string, std::vector<std::string>>> settings;  // New ones by what they mean where unset.
  std::set<std::string> settled;
  for (const Flag& flag : story.flags) {
    if (!flag.is_new || !flag.derived.empty()) continue;  // What is derived no configuration holds.
    if (is_of_script(*inputs.after, flag)) continue;      // No other run has it.
    bool is_settled = false;
    std::string unset = unset_text(inputs, story, flag, unset_is_silent, is_settled);
    if (is_settled) settled.insert(unset);
    const auto known =
        std::find_if(settings.begin(), settings.end(), [&](const auto& one) { return one.first == unset; });
    std::vector<std::string>& names = known != settings.end()
                                          ? known->second
                                          : settings.emplace_back(std::move(unset), std::vector<std::string>()).second;
    names.push_back(fmt::format(
        "{} ({})", code(flag.name),
        flag.default_value.empty() ? std::string("without a default") : "default " + code(flag.default_value)));
  }
  for (const auto& [unset, names] : settings)
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("New {} {}.", names.size() == 1 ? "setting" : "settings", join_words(names)),
                     unset,
                     false,
                     {},
                     settled.contains(unset)});
  std::vector<std::string> declared_otherwise;
  for (const Flag& flag : story.flags) {
    if (flag.is_changed && flag.derived.empty()) {
      const std::string now = flag.default_value.empty() ? std::string("absent") : code(flag.default_value);
      if (flag.old_default.empty()) {
        declared_otherwise.push_back(fmt::format("{} ({})", code(flag.name), now));
      } else {
        risks.push_back({RiskKind::kCompatibility,
                         fmt::format("The default of setting {} changes: {} \u2192 {}.", code(flag.name),
                                     code(flag.old_default), now),
                         default_reaches(flag), false});
      }
    }
  }
  if (!declared_otherwise.empty())
    risks.push_back(
        {RiskKind::kCompatibility,
         declared_otherwise.size() == 1
             ? fmt::format("The declaration of setting {} changes, its default does not.", declared_otherwise.front())
             : fmt::format("The declarations of settings {} change, their defaults do not.",
                           join_words(declared_otherwise)),
         "Existing configurations keep their values", false});
  for (std::string& one : redeclared_options(story))
    risks.push_back({RiskKind::kCompatibility, std::move(one), "Existing command lines are parsed by it", false});
  // Of what stands behind a name of the code, last: a call that no longer fits breaks more.
  add_removed_attributes(inputs, story, risks);
}

/// New settings beyond those that are told one by one.
void add_other_settings(const Story& story, std::vector<Risk>& risks) {
  const auto told = static_cast<std::size_t>(std::count_if(
      story.flags.begin(), story.flags.end(), [](const Flag& flag) { return flag.is_new && flag.derived.empty(); }));
  if (story.new_flags <= told) return;
  const std::size_t left = story.new_flags - told;
  risks.push_back({RiskKind::kCompatibility, fmt::format("{} not told here.", count_of(left, "more new setting")),
                   "Where they are declared stands whether they have a default, and which", false});
}

/// What the author's own runs showed that did not go as it should.
void add_reported_failures(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  for (const Saying& one : failures_in_words(inputs, kMost))
    risks.push_back({RiskKind::kCorrectness,
                     fmt::format("Under \u201c{}\u201d {} reports: \u201c{}\u201d{}", plain(one.source),
                                 inputs.is_pull_request ? "the description" : "the message", one.paragraphs.front(),
                                 one.is_cut ? " (shortened)." : "."),
                     "Is that expected?", false});
}

}  // namespace

std::vector<std::string> questions_of(const std::vector<Risk>& risks, std::size_t most) {
  std::vector<std::string> questions;
  for (const bool wants_compatibility : {true, false}) {
    for (const Risk& risk : risks) {
      const bool is_compatibility = risk.kind == RiskKind::kCompatibility;
      if (risk.question.empty() || is_compatibility != wants_compatibility || questions.size() == most) continue;
      questions.push_back(risk.question);
    }
  }
  return questions;
}

std::vector<Risk> risks_of(const DocumentInputs& inputs, const Story& story) {
  std::vector<Risk> risks;
  add_findings(inputs, risks);
  add_reported_failures(inputs, risks);
  if (story.touches_python) {
    add_parallelism(inputs, story, risks);
    add_passed_by(inputs, story, risks);
    add_undeclared_arguments(inputs, story, risks);
    add_never_set(inputs, story, risks);
    add_unset_arguments(inputs, story, risks);
    add_removed_warnings(inputs, story, risks);
    add_removed_reasons(inputs, story, risks);
    add_sibling_arguments(inputs, story, risks);
    add_sibling_readers(inputs, story, risks);
    add_left_behind(inputs, story, risks);
    add_unmade_objects(inputs, story, risks);
    add_kept_defaults(inputs, story, risks);
    add_repeated_calls(inputs, story, risks);
    add_reordered_calls(inputs, story, risks);
    add_unprepared_calls(inputs, story, risks);
    add_refused_arguments(inputs, story, risks);
    add_unchanged_limits(inputs, story, risks);
    add_other_writers(inputs, story, risks);
    add_other_givers(inputs, story, risks);
    add_unchanged_twins(inputs, story, risks);
    add_kept_arguments(inputs, story, risks);
    add_callers_without(inputs, story, risks);
    add_mixed_sources(inputs, story, risks);
    add_near_copies(inputs, story, risks);
    add_heirs_without(inputs, story, risks);
    add_classes_without(inputs, story, risks);
    add_conditional_collectives(inputs, story, risks);
    add_skipping_ranks(inputs, story, risks);
    add_reads_after_release(inputs, story, risks);
    add_narrow_cache_keys(inputs, story, risks);
    add_passed_over_settings(inputs, story, risks);
    add_new_directions(inputs, risks);
    add_unread_arguments(inputs, story, risks);
    add_captured_code(inputs, story, risks);
    add_costs(inputs, story, risks);
    add_last_deletes(story, risks);
    add_refused_calls(inputs, story, risks);
    add_compatibility(inputs, story, risks);
    add_imported_alternatives(inputs, story, risks);
    add_needed_packages(inputs, risks);
    add_library_keywords(inputs, story, risks);
    add_enum_values(inputs, risks);
    add_default_arguments(inputs, story, risks);
    add_awakened_settings(inputs, story, risks);
    add_uncaught_errors(inputs, story, risks);
    add_softened_errors(inputs, story, risks);
    add_broad_catches(inputs, story, risks);
    add_stale_documentation(inputs, risks);
    add_other_settings(story, risks);
    add_environment(inputs, story, risks);
    add_checks(inputs, story, risks);
    add_refusing_helpers(inputs, story, risks);
    add_asserted_flags(inputs, story, risks);
    add_unread_parameters(inputs, story, risks);
    add_new_program_exits(inputs, story, risks);
    add_checkpoint(inputs, story, risks);
    add_unasked_alternatives(inputs, story, risks);
    add_edge_cases(inputs, story, risks);
    add_missing_keys(inputs, story, risks);
    add_tests(inputs, story, risks);
    add_untested_refusals(inputs, story, risks);
    add_switched_off_tests(inputs, story, risks);
    add_default_branches(inputs, story, risks);
  }
  std::stable_sort(risks.begin(), risks.end(), [](const Risk& a, const Risk& b) {
    return std::make_pair(a.kind, !a.is_finding) < std::make_pair(b.kind, !b.is_finding);
  });
  return risks;
}

}  // namespace lockstep::report
