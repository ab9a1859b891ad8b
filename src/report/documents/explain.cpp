#include "report/documents/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/strings.h"
#include "report/author/limits.h"
#include "report/documents/areas.h"
#include "report/documents/compatibility/nothing_incompatible.h"
#include "report/documents/content/changed_imports.h"
#include "report/documents/content/use_sentences.h"
#include "report/documents/content/what.h"
#include "report/documents/correctness/not_judged.h"
#include "report/documents/explain_parts.h"
#include "report/documents/file_parts.h"
#include "report/documents/files.h"
#include "report/documents/first_fitting.h"
#include "report/documents/parts.h"
#include "report/documents/risks.h"
#include "report/documents/runs/built_from.h"
#include "report/documents/runs/chosen.h"
#include "report/documents/runs/origins.h"
#include "report/documents/runs/other_callers.h"
#include "report/documents/runs/other_routes.h"
#include "report/documents/runs/switches.h"
#include "report/documents/runs/ways.h"
#include "report/documents/settings/asked_members.h"
#include "report/documents/settings/new_settings.h"
#include "report/documents/settings/refused_settings.h"
#include "report/documents/settings/written_settings.h"
#include "report/documents/tests/changed_marks.h"
#include "report/documents/tests/stand_in_items.h"
#include "report/documents/tests/test_code.h"
#include "report/documents/tests/tests.h"
#include "report/source/source_sentences.h"
#include "report/story/steps/mended_imports.h"

namespace lockstep::report {

using change::EntityKind;
using change::FileSummary;

namespace {

/// Of the whole document: what a reader takes in at one sitting, and more where more source code changes.
std::size_t most_words(const DocumentInputs& inputs) {
  constexpr std::size_t kUsual = 1460;
  constexpr std::size_t kUsualLines = 100;
  constexpr std::size_t kMore = 480;
  std::size_t lines = 0;
  for (const FileSummary& file : inputs.change->files) {
    if (file.category == change::FileCategory::kSource) lines += file.lines_added + file.lines_removed;
  }
  return kUsual + std::min(kMore, lines - std::min(lines, kUsualLines));
}

constexpr ExplainDetail kDetails[] = {
    {5, 6, 6, 60, 34, 170, 6, 6, 8, 4, 4, 400, true, true},  {5, 5, 6, 44, 20, 130, 5, 5, 6, 3, 3, 160, false, true},
    {5, 5, 2, 44, 20, 130, 5, 5, 6, 3, 3, 160, false, true}, {4, 5, 2, 38, 14, 110, 4, 4, 5, 2, 2, 110, false, true},
    {4, 5, 0, 38, 14, 110, 4, 4, 5, 2, 2, 110, false, true}, {4, 5, 0, 30, 12, 100, 4, 4, 5, 2, 2, 90, false, false},
    {3, 5, 0, 26, 10, 80, 3, 3, 4, 2, 2, 60, false, false},  {2, 4, 0, 24, 10, 60, 3, 3, 3, 1, 1, 0, false, false},
    {1, 3, 0, 20, 8, 50, 3, 3, 3, 1, 1, 0, false, false},    {1, 2, 0, 12, 6, 40, 2, 2, 2, 1, 1, 0, false, false},
};

/// Each twice: with short functions and the beginnings of blocks shown whole, and, before anything else is left out for
/// them, without.
ExplainDetail detail_of(std::size_t version) {
  ExplainDetail out = kDetails[version / 2];
  out.keeps_wholes = version % 2 == 0;
  out.shows_takers = version < 2;
  return out;
}

/// Gives the items of "What".
std::vector<std::string> add_problem(Document& document, const DocumentInputs& inputs, const Story& story,
                                     const OwnWords& words, const ExplainDetail& detail) {
  document.heading(2, "1. Problem Statement (Why) and Proposed Solution (What)");
  document.heading(3, "Why");
  add_why(document, words);
  document.heading(3, "What");
  const std::vector<std::string> purposes = purpose_items(words);
  std::vector<std::string> items = what_items(inputs, story, words, detail.what, detail.in_short);
  const auto begin_with_purposes = [&] {
    std::vector<std::string> all = purposes;
    all.insert(all.end(), items.begin(), items.end());
    document.bullets(all);
  };
  if (is_told_in_parts(inputs)) {
    if (items.size() > 2) items.resize(2);
    begin_with_purposes();
    document.paragraph("The change in parts, the weightiest first:");
    document.bullets(part_items(inputs, story, detail.what + 2, detail.in_short, items));
  } else if (!items.empty()) {
    for (std::string& item : other_file_items(inputs, detail.what > 4 ? 3 : 2)) items.push_back(std::move(item));
    begin_with_purposes();
  } else {
    document.bullets(purposes);
    std::vector<std::string> all = replaced_import_items(inputs, false);
    for (std::string& item : alike_items(files_in_order(inputs), 8)) all.push_back(std::move(item));
    document.bullets(all);
  }
  return items;
}

void add_context(Document& document, const DocumentInputs& inputs, const Story& story, const OwnWords& words) {
  document.heading(2, "2. Where It Runs");
  if (story.central.empty() || story.only_tests) {
    const std::vector<std::string> starts = story.only_tests ? scripts_among_tests(inputs) : workflow_starts(inputs);
    document.bullets(starts);
    const std::string imports = story.only_tests ? std::string() : entered_imports(inputs, true);
    if (!imports.empty()) {
      document.paragraph(imports);
    } else if (starts.empty())
      document.paragraph(!story.only_tests              ? "N/A - no Python definition changes."
                         : changes_beside_tests(inputs) ? "N/A - of Python code only tests change."
                                                        : "N/A - only tests change.");
    return;
  }
  // Where the lead cannot be followed to an entry, a companion that can says more.
  std::size_t lead = story.lead();
  const auto way = [&](std::size_t i) {
    const std::string idle = story.entries[i].frames.size() > 1 ? "" : use_of_actor(inputs, story, story.actor(i));
    return idle.empty() ? reach_text(inputs, story, i) : idle;
  };
  // Where a class is made is not where what it does runs; a base is made as what derives from it.
  const bool is_made = story.actor(lead).change->kind == EntityKind::kClass;
  std::size_t used = story.central.size();
  for (std::size_t i = 0; i < story.central.size() && is_made && used == story.central.size(); ++i) {
    if (has_script(story, i) && story.actor(i).is_function() && story.actor(i).on_step_path) used = i;
  }
  const auto& side = story.actor(lead).change->after;
  const bool is_base = is_made && side && side->cls.valid() && !inputs.after->subclasses_of(side->cls).empty();
  if (is_base && used < story.central.size()) {
    lead = used;
    used = story.central.size();
  }
  lead = first_route(inputs, story, lead);
  const std::size_t first = lead;
  if (!story.is_cosmetic()) lead = first_with_script(story, first);
  document.paragraph(way(lead));
  if (story.is_cosmetic()) return;
  if (lead == first) {
    if (const std::string origin = origin_text(inputs, story, first); !origin.empty()) document.paragraph(origin);
  }
  const std::string conditions = path_conditions(inputs, story.entries[lead]);
  if (!conditions.empty()) document.paragraph(conditions);
  if (const std::string on = switches_text(inputs, story.actor(lead)); !on.empty()) document.paragraph(on);
  if (lead != first) {
    const std::string idle =
        story.entries[first].frames.size() > 1 ? "" : use_of_actor(inputs, story, story.actor(first));
    document.paragraph(idle.empty() ? reach_from(inputs, story, first, lead) : idle);
    if (const std::string origin = origin_text(inputs, story, first); !origin.empty()) document.paragraph(origin);
  }
  if (const std::string callers = other_callers_text(inputs, story, lead); !callers.empty())
    document.paragraph(callers);
  for (const std::string& route : other_routes(inputs, story, lead)) document.paragraph(route);
  const bool is_other = used < story.central.size() && used != lead;
  if (is_other) {
    document.paragraph(way(used));
    const std::string others = path_conditions(inputs, story.entries[used]);
    if (!others.empty() && others != conditions) document.paragraph(others);
  }
  if (const std::string chosen = chosen_text(inputs, story, lead); !chosen.empty()) document.paragraph(chosen);
  if (const std::string start = start_text(inputs, story, lead); !start.empty()) document.paragraph(start);
  if (const std::string members = asked_members_text(inputs, story, lead); !members.empty())
    document.paragraph(members);
  for (const std::size_t i : namesakes_of(inputs, story, lead)) {
    if (!is_other || i != used) document.paragraph(way(i));
  }
  std::vector<std::string> flags;
  std::string guards;
  bool is_named = false;  // The title alone speaks of one.
  constexpr std::size_t kMostFlags = 3;
  for (const Flag& flag : story.flags) {
    if (flags.size() == kMostFlags) break;
    flags.push_back(
        with_refusal(story, flag, flag_text(flag, !is_documented_in_what(*inputs.after, flag, words), guards)));
    guards = flag.guards;
    is_named = is_named || (!flag.is_new && !flag.is_changed && flag.guards.empty());
  }
  if (story.flags.size() > kMostFlags)
    flags.push_back(fmt::format("Also {}.", short_flags_text(story.flags, kMostFlags)));
  if (!flags.empty()) {
    document.paragraph(is_named ? "Settings that it adds, alters, stands under or names in its title:"
                                : "Settings that it adds, alters or stands under:");
    document.bullets(flags);
  }
  if (const std::vector<std::string> written = written_settings(inputs, story, 3); !written.empty())
    document.paragraph("Settings that changed lines set:").bullets(written);
}

/// What the change's own comments, docstrings and documents call a limit, unless the reasons above quote it.
std::vector<std::string> limit_items(const DocumentInputs& inputs, const Story& story, const OwnWords& words) {
  constexpr std::size_t kMost = 3;
  std::string quoted;
  for (const auto* sayings : {&words.sayings, &words.comments, &words.purposes, &words.remarks}) {
    for (const Saying& saying : *sayings) quoted += join(saying.paragraphs, "\n") + "\n";
  }
  std::vector<std::string> items;
  for (const Saying& saying : limits_in_words(inputs, story, kMost)) {
    const std::string& text = saying.paragraphs.front();
    if (!contains(quoted, text))
      items.push_back(fmt::format("Its author\u2019s own words ({}): \u201c{}\u201d", saying.source, text));
  }
  return items;
}

/// `items`: what is told first.
void add_risk_list(Document& document, const std::vector<Risk>& risks, RiskKind kind, std::string_view label,
                   std::string_view nothing, std::size_t most, std::vector<std::string> items = {}) {
  document.paragraph(strong(label));
  most += items.size();
  std::size_t left = 0;
  std::vector<std::string> names;  // What those are about that are left out.
  std::string settled;
  for (const Risk& risk : risks) {
    if (risk.kind != kind && !(kind == RiskKind::kCorrectness && risk.kind == RiskKind::kEdgeCases)) continue;
    if (risk.is_settled) {
      // What a new branch refuses is told with its code.
      if (settled.empty() && risk.kind != RiskKind::kEdgeCases)
        settled = risk.concern.ends_with("?") ? as_sentence(risk.status)
                                              : fmt::format("{} {}", risk.concern, as_sentence(risk.status));
      continue;
    }
    if (items.size() == most) {
      ++left;
      const Inline runs = prose(risk.concern);
      const auto first =
          std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.style == Style::kCode; });
      const std::string name = first == runs.end() ? std::string() : code(first->text);
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      continue;
    }
    items.push_back(fmt::format("{} {}", risk.concern, as_sentence(risk.status)));
  }
  if (left > 0) {
    constexpr std::size_t kMostNames = 4;
    const std::string_view others = names.size() > kMostNames ? " and others" : "";
    if (names.size() > kMostNames) names.resize(kMostNames);
    items.push_back(names.empty() ? fmt::format("{} more.", left)
                                  : fmt::format("{} more, on {}{}.", left, join_words(names), others));
  }
  if (items.empty()) items.push_back(settled.empty() ? std::string(nothing) : settled);
  document.bullets(items);
}

/// What tests run the central functions: those of which the same is told in one item.
std::vector<std::string> test_items(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // What is said after the names.
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    // What is defined inside another function runs with it.
    const auto& side = story.actor(i).change->after;
    if (side && side->function.valid() && inputs.after->functions()[side->function].enclosing.valid()) continue;
    const std::string text = tests_item(inputs, story, i, 1);
    const std::size_t colon = text.find(": ");
    if (colon == std::string::npos) continue;
    const std::string rest = text.substr(colon);
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == rest; });
    if (known != groups.end()) {
      known->second.push_back(text.substr(0, colon));
    } else if (groups.size() < most) {
      groups.push_back({rest, {text.substr(0, colon)}});
    }
  }
  std::vector<std::string> items;
  for (const auto& [rest, names] : groups) {
    // "It" is each of them.
    items.push_back((names.size() > 1 ? "Each of " : "") + join_words(names) + rest);
  }
  return items;
}

/// Whether what is told of the tests of a function says that they do not run it, or not what changes, or that none
/// surely does.
bool names_what_is_missing(std::string_view item) {
  static constexpr std::string_view kGaps[] = {"NOT TESTED",
                                               "they do not run",
                                               "runs only with ",
                                               "none was found that surely does",
                                               "those that surely do were not found",
                                               "No test "};
  return std::any_of(std::begin(kGaps), std::end(kGaps), [&](std::string_view gap) { return contains(item, gap); });
}

/// Whether a rule found what may fail: then that tests lead there says little.
bool has_weighty_finding(const DocumentInputs& inputs) {
  return std::any_of(inputs.findings.begin(), inputs.findings.end(), [](const rules::Finding& finding) {
    return finding.category != rules::Category::kTests &&
           (finding.severity == rules::Severity::kP0 || finding.severity == rules::Severity::kP1);
  });
}

void add_risks(Document& document, const DocumentInputs& inputs, const Story& story, const std::vector<Risk>& risks,
               const OwnWords& words, const ExplainDetail& detail) {
  document.heading(2, "4. Potential Issues & Risks (Watch Out)");
  std::vector<std::string> limits = limit_items(inputs, story, words);
  const auto is_cost = [](const std::string& item) { return contains(item, ": \u201cCost"); };
  const auto first_cost = std::stable_partition(limits.begin(), limits.end(), std::not_fn(is_cost));
  std::vector<std::string> costs(std::make_move_iterator(first_cost), std::make_move_iterator(limits.end()));
  limits.erase(first_cost, limits.end());
  add_risk_list(document, risks, RiskKind::kCorrectness, "Correctness",
                story.touches_python             ? std::string(kLogicNotJudged) + "."
                : may_reach_runs(*inputs.change) ? "N/A - no Python code changes, and no rule reads what does."
                                                 : "N/A - no code that runs in training changes.",
                6, std::move(limits));
  add_risk_list(document, risks, RiskKind::kPerformance, "Performance",
                "N/A - no code on the training step path changes.", 4, std::move(costs));
  add_risk_list(document, risks, RiskKind::kCompatibility, "Compatibility",
                story.touches_python ? nothing_incompatible(inputs, story) + "."
                                     : "N/A - no name of Python code outside tests changes.",
                5);
  document.paragraph(strong("Missing Tests"));
  std::vector<std::string> items;
  for (const Risk& risk : risks) {
    if (risk.kind == RiskKind::kTests && items.size() < 4)
      items.push_back(fmt::format("{} {}", risk.concern, as_sentence(risk.status)));
  }
  std::vector<std::string> leading;
  for (std::string& text : test_items(inputs, story, detail.tests + 1 - std::min(items.size(), detail.tests + 1)))
    (names_what_is_missing(text) ? items : leading).push_back(std::move(text));
  const std::vector<std::string> changed = changed_tests(inputs, story, detail.tests);
  if (!changed.empty()) leading.push_back(fmt::format("Tests that the change adds or edits: {}.", join(changed, "; ")));
  for (std::string& text : changed_marks(inputs, story, 2)) leading.push_back(std::move(text));
  for (std::string& text : stand_in_items(inputs, story, 1)) leading.push_back(std::move(text));
  if (!leading.empty()) {
    if (items.empty())
      items.emplace_back(has_weighty_finding(inputs)
                             ? "Whether a test runs the lines that a rule fired on was not followed."
                             : "No gap was recognized; what the tests check was not judged.");
    document.bullets(items);
    document.paragraph("Tests found:").bullets(leading);
    return;
  }
  if (items.empty())
    items.emplace_back(!story.central.empty() && story.touches_python
                           ? "Which tests run what changes beside what goes was not looked for."
                       : story.touches_python ? "No function changes whose tests could be looked for."
                       : changed_test_code(inputs) != "tests"
                           ? "Whether a test runs the scripts among the tests was not looked for."
                           : "N/A - no code to test changes.");
  document.bullets(items);
}

/// Cut at the end of a clause, so that it still reads.
std::string shortened(const std::string& summary, std::size_t limit) {
  if (summary.size() <= limit) return summary;
  std::size_t cut = summary.find_last_of(";,", limit);
  if (cut == std::string::npos || cut < limit / 3) cut = summary.rfind(' ', limit);
  std::string out = summary.substr(0, cut == std::string::npos ? limit : cut);
  // An odd back-quote would set the rest of the line as code.
  if (std::count(out.begin(), out.end(), '`') % 2 != 0) out.resize(out.rfind('`'));
  // Nor does half of what brackets hold say anything.
  if (const std::size_t open = out.rfind('('); open != std::string::npos && out.find(')', open) == std::string::npos)
    out.resize(open);
  while (!out.empty() && (out.back() == ' ' || out.back() == '(' || out.back() == ',')) out.pop_back();
  return out + " \u2026";
}

void add_files(Document& document, const DocumentInputs& inputs, const ExplainDetail& detail) {
  if (inputs.change->files.size() < 2) return;
  std::vector<std::vector<std::string>> rows;
  const std::vector<AlikeFiles> groups = alike(files_in_order(inputs));
  std::size_t left = inputs.change->files.size();
  for (const AlikeFiles& group : groups) {
    if (rows.size() == (detail.summary_size < 100 ? 15 : 25)) break;
    left -= group.files.size();
    std::vector<std::string> row = {alike_names(group, 2),
                                    fmt::format("+{} \u2212{}", group.lines_added, group.lines_removed)};
    if (detail.summary_size > 0)
      row.push_back(from_backquotes(shortened(group.files.front()->summary, detail.summary_size)));
    rows.push_back(std::move(row));
  }
  Document inner;
  inner.table(detail.summary_size > 0 ? std::vector<std::string>{"File", "Lines", "What changes"}
                                      : std::vector<std::string>{"File", "Lines"},
              rows);
  if (left > 0) inner.paragraph(fmt::format("and {}.", count_of(left, "more file")));
  document.details(left == 0
                       ? fmt::format("All {}", count_of(inputs.change->files.size(), "file"))
                       : fmt::format("{} of {} files", inputs.change->files.size() - left, inputs.change->files.size()),
                   std::move(inner));
}

/// What rules are sure of, or nearly, and what stops or falsifies a run: told before anything else.
void add_grave_findings(Document& document, const DocumentInputs& inputs) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> told;
  std::size_t more = 0;
  for (const rules::Finding& finding : inputs.findings) {
    const bool is_grave =
        finding.severity == rules::Severity::kP0 ||
        (finding.severity == rules::Severity::kP1 && finding.certainty == rules::FindingCertainty::kProven);
    if (!is_grave || finding.category == rules::Category::kTests) continue;
    if (told.size() == kMost) {
      ++more;
      continue;
    }
    told.push_back(fmt::format("{} ({}, {})", as_sentence(capitalised(from_backquotes(finding.message))),
                               place(finding.path, finding.start_line),
                               finding.severity == rules::Severity::kP0 ? "P0" : "P1"));
  }
  if (told.empty()) return;
  std::string text = fmt::format("{} {}", strong("Found by rules:"), join(told, " "));
  if (more > 0) text += fmt::format(" {} in section 4.", capitalised(count_of(more, "more finding")));
  document.paragraph(std::move(text));
}

/// Letters and digits of the comments beside steps that are quoted as reasons.
std::string quoted_letters(const OwnWords& words) {
  std::string out;
  for (const auto* sayings : {&words.comments, &words.remarks}) {
    for (const Saying& saying : *sayings) {
      if (saying.is_of_step) out += squeezed(unmarked(join(saying.paragraphs, " "))) + " ";
    }
  }
  return out;
}

/// `whole`: from which `story` is cut; what is not told gives reasons, too.
Document write_with(const DocumentInputs& inputs, const Story& whole, const Story& story, const RisksByLength& risks,
                    const ExplainDetail& detail) {
  const OwnWords words = own_words_of(inputs, whole, detail.why_words);
  Document document;
  document.title = prose(title_text(inputs, words));
  document.paragraph(scope_text(inputs));
  if (inputs.change->files.empty()) {
    document.paragraph("The two sides hold the same files: nothing to explain.");
    return document;
  }
  add_grave_findings(document, inputs);
  const std::vector<std::string> what = add_problem(document, inputs, story, words, detail);
  add_context(document, inputs, story, words);
  const std::string quoted = quoted_letters(words);
  ExplainDetail with_quotes = detail;
  with_quotes.quoted = quoted;
  add_walkthrough(document, inputs, story, with_quotes, what);
  add_risks(document, inputs, story, risks.of(story), words, detail);
  add_files(document, inputs, detail);
  return document;
}

}  // namespace

Story find_story_to_explain(const DocumentInputs& inputs) {
  StoryOptions options;
  options.most_central = kDetails[0].central;
  options.lead_first = true;
  return find_story(inputs, options);
}

Document write_explain(const DocumentInputs& inputs, const Story& story) {
  const RisksByLength risks(inputs);
  return first_fitting(2 * std::size(kDetails), most_words(inputs), inputs.jobs, [&](std::size_t version) {
    const ExplainDetail detail = detail_of(version);
    return write_with(inputs, story, with_central(story, detail.central), risks, detail);
  });
}

Document write_explain(const DocumentInputs& inputs) { return write_explain(inputs, find_story_to_explain(inputs)); }

}  // namespace lockstep::report
