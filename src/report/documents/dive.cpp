#include "report/documents/dive.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/documents/compatibility/nothing_incompatible.h"
#include "report/documents/content/changed_imports.h"
#include "report/documents/content/repeated_conditions.h"
#include "report/documents/content/short_reasons.h"
#include "report/documents/content/use_sentences.h"
#include "report/documents/correctness/not_judged.h"
#include "report/documents/costs/costs.h"
#include "report/documents/dive_parts.h"
#include "report/documents/drawings/drawings.h"
#include "report/documents/file_parts.h"
#include "report/documents/files.h"
#include "report/documents/first_fitting.h"
#include "report/documents/parts.h"
#include "report/documents/related_code.h"
#include "report/documents/risks.h"
#include "report/documents/runs/ways.h"
#include "report/documents/settings/new_settings.h"
#include "report/documents/tests/changed_marks.h"
#include "report/documents/tests/stand_in_items.h"
#include "report/documents/tests/test_code.h"
#include "report/documents/tests/tests.h"
#include "report/source/torch_use.h"
#include "report/source/words.h"
#include "report/story/calls/new_helpers.h"
#include "report/story/settings/setting_values.h"
#include "report/story/steps/mended_imports.h"
#include "report/story/trails/chain.h"
#include "report/story/wording/change_clauses.h"
#include "report/story/wording/changes.h"
#include "report/story/wording/status.h"

namespace lockstep::report {

using change::FileSummary;

namespace {

constexpr std::size_t kMostWords = 3800;  ///< Of the whole document.
constexpr DiveDetail kDetails[] = {
    {7, 260, 90, 60, 20, 14, 12, 6}, {7, 200, 75, 40, 16, 12, 9, 5}, {6, 160, 60, 28, 12, 10, 7, 4},
    {5, 130, 50, 24, 10, 10, 6, 3},  {4, 110, 44, 20, 8, 8, 5, 3},   {3, 90, 40, 18, 8, 6, 4, 2},
    {2, 70, 30, 14, 6, 5, 3, 2},     {1, 60, 24, 10, 5, 4, 2, 1},
};

/// New functions and classes of which the title speaks, by their own first sentences: "`Ledger` (new): “Keeps what …”".
/// What they are for says more than what a changed function does in its lines.
std::vector<const Actor*> introduced(const DiveInputs& dive, const Actor& lead) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kFewestWords = 2;
  if (lead.is_added()) return {};
  const std::set<std::string> title = name_words(dive.inputs.title, 4);
  std::vector<const Actor*> out;
  for (const Actor& actor : dive.story.actors) {
    const bool is_told = actor.is_added() && actor.role != Role::kTest && actor.role != Role::kCosmetic &&
                         (actor.is_function() || actor.change->kind == change::EntityKind::kClass);
    if (!is_told || out.size() == kMost) continue;
    const std::string purpose = docstring_sentence(actor.change->after->node, 160);
    const std::set<std::string> words = name_words(purpose + " " + short_name(dive.inputs, *actor.change), 4);
    const auto shared =
        std::count_if(title.begin(), title.end(), [&](const auto& word) { return words.contains(word); });
    // Of a class one long word is enough: there are few.
    constexpr std::size_t kLong = 7;
    const bool is_class_of_it = actor.change->kind == change::EntityKind::kClass &&
                                std::any_of(title.begin(), title.end(), [&](const auto& word) {
                                  return word.size() >= kLong && words.contains(word);
                                });
    if (!purpose.empty() &&
        (is_class_of_it || static_cast<std::size_t>(shared) >= std::min(kFewestWords, title.size())))
      out.push_back(&actor);
  }
  return out;
}

/// `words`: lead_words().
std::string lead_sentence(const DiveInputs& dive, const std::string& words) {
  if (dive.story.central.empty()) {
    if (std::string imports = told_as_imports(dive.inputs); !imports.empty()) return imports;
    const auto files = files_in_order(dive.inputs);
    std::string out = fmt::format("It changes {}", category_words(*dive.inputs.change));
    if (!files.empty()) {
      const auto lines = [](const change::FileSummary* file) { return file->lines_added + file->lines_removed; };
      const bool has_most = std::all_of(files.begin(), files.end(), [&](const change::FileSummary* file) {
        return lines(file) <= lines(files.front());
      });
      out += fmt::format(", {} {}: {}", has_most ? "most in" : "first of all", place(files.front()->file->path()),
                         from_backquotes(files.front()->summary));
    }
    return as_sentence(out);
  }
  const Actor& lead = dive.story.actor(dive.story.lead());
  const std::string settings = settings_text(dive.story.flags, dive.story.new_flags);
  std::string out = settings + (settings.empty() ? "" : " ");
  const std::vector<const Actor*> news = introduced(dive, lead);
  for (const Actor* one : news)
    out += fmt::format("{} ({}): \u201c{}\u201d ", code(short_name(dive.inputs, *one->change)),
                       status_with_origin(dive.inputs, *one->change),
                       from_backquotes(docstring_sentence(one->change->after->node, 160)));
  for (const std::string& chain : dive.story.chains) out += chain + " ";
  out += words + followed_words(lead, 2);
  for (const std::string& text : awakened_sentences(dive.inputs, dive.story)) out += " " + text;
  for (const ReplacedImport& one : replaced_imports(dive.inputs)) {
    if (one.failed) out += " " + capitalised(replaced_import_words(dive.inputs, one, true));
  }
  for (const std::string& text : use_sentences(dive.inputs, dive.story)) out += " " + text;
  // The next two by weight, and how many more.
  constexpr std::size_t kMostNamed = 2;
  std::vector<std::string> names;
  std::size_t others = 0;
  for (const Actor& actor : dive.story.actors) {
    if (&actor == &lead || std::find(news.begin(), news.end(), &actor) != news.end() || actor.role == Role::kTest ||
        actor.role == Role::kCosmetic || actor.is_bare_module() || is_of_new_class(dive.story, actor))
      continue;
    std::string name = fmt::format("{} ({})", code(short_name(dive.inputs, *actor.change)),
                                   status_with_origin(dive.inputs, *actor.change));
    // What both branches of a `try` bind is one to the reader.
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (names.size() == kMostNamed) {
      // What a module runs itself is no definition.
      others += actor.change->kind == change::EntityKind::kModule ? 0 : 1;
    } else {
      names.push_back(std::move(name));
    }
  }
  if (names.empty()) return out;
  if (others == 0) return out + fmt::format(" Also {}.", join_words(names));
  return out + fmt::format(" Also {} and {}.", join(names, ", "), count_of(others, "more definition"));
}

/// The first and the last of a long way: section 4.1 tells it whole.
std::string with_short_way(const std::string& text) {
  constexpr std::string_view kArrow = " \u2192 ";
  const std::size_t first = text.find(kArrow);
  const std::size_t last = text.rfind(kArrow);
  std::size_t arrows = 0;
  for (std::size_t at = first; at != std::string::npos; at = text.find(kArrow, at + 1)) ++arrows;
  constexpr std::size_t kFew = 3;
  if (arrows <= kFew) return text;
  return fmt::format("{}{}\u2026 (section 4.1){}", text.substr(0, first), kArrow, text.substr(last));
}

/// Whether code outside tests that is not on the way calls what stands on it behind the condition on a setting: then
/// the condition is not the only way there.
bool has_other_callers(const program::Program& program, const EntryPath& path, std::string_view setting) {
  bool is_behind = false;
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    const PathFrame& frame = path.frames[i];
    const SourceText& source = source_of(program, frame.function);
    is_behind = is_behind || std::any_of(frame.guards.begin(), frame.guards.end(), [&](const Guard& guard) {
                  return guard.condition != nullptr && contains(source.slice(guard.condition->span), setting);
                });
    if (!is_behind) continue;
    for (const program::CallId id : program.callers_of(path.frames[i + 1].function)) {
      const program::FunctionId caller = program.calls()[id].caller;
      if (caller != frame.function && !program::is_test_path(program.module_of(caller).path)) return true;
    }
  }
  return false;
}

std::string impact_sentence(const DiveInputs& dive) {
  if (dive.story.central.empty()) return files_impact(dive.inputs);
  if (dive.story.only_tests) {
    const auto& files = dive.inputs.change->files;
    const bool has_workflows = std::any_of(files.begin(), files.end(), [](const change::FileSummary& file) {
      return file.file->path().starts_with(".github/workflows/");
    });
    return has_workflows ? "Only tests and workflows change; nothing that runs in training is affected."
                         : fmt::format("Only {} change; nothing that runs in training is affected.",
                                       changed_test_code(dive.inputs));
  }
  std::size_t lead = dive.story.lead();
  const std::string idle =
      dive.story.entries[lead].frames.size() > 1 ? "" : use_of_actor(dive.inputs, dive.story, dive.story.actor(lead));
  if (idle.empty() && !dive.story.is_cosmetic()) lead = first_with_script(dive.story, lead);
  std::string out = idle.empty() ? with_short_way(reach_text(dive.inputs, dive.story, lead)) : idle;
  if (dive.story.actor(lead).on_step_path) out += " A training step can lead to it.";
  for (const Flag& flag : dive.story.flags) {
    // That one setting lets a run through says nothing of the others.
    if (flag.runs_by_default != false || flag.guarded != lead || flag.scope == GuardScope::kNone) continue;
    if (flag.scope == GuardScope::kStep && !flag.guards_all) continue;
    if (is_made_otherwise(*dive.inputs.after, flag)) continue;
    const std::string value =
        fmt::format("By default ({} is {})", code(flag.name),
                    code(flag.argument_default.empty() ? flag.default_value : flag.argument_default));
    const bool is_way = flag.scope == GuardScope::kWay;
    const bool has_others = is_way && has_other_callers(*dive.inputs.after, dive.story.entries[lead], flag.name);
    out += fmt::format(" {} {}.", value,
                       has_others ? "a run does not take this way; others may lead there"
                       : is_way   ? "a run does not take this way"
                                  : "its changed branch is not taken");
    break;
  }
  return out;
}

std::string verb_of(const Risk& risk) { return risk.status.empty() ? std::string("Open") : risk.status; }

std::string_view category_name(RiskKind kind) {
  switch (kind) {
    case RiskKind::kCorrectness:
      return "Correctness";
    case RiskKind::kPerformance:
      return "Performance";
    case RiskKind::kCompatibility:
      return "Compatibility";
    case RiskKind::kEdgeCases:
      return "Edge Cases";
    case RiskKind::kTests:
      break;
  }
  return "Missing Tests";
}

/// A row for each category that facts leave empty: the section names all of them.
std::string nothing_known(RiskKind kind, const DocumentInputs& inputs, const Story& story) {
  if (!story.touches_python)
    return !story.only_tests ? "N/A - no Python code changes"
           : changes_beside_tests(inputs)
               ? fmt::format("N/A - of Python code only {} change", changed_test_code(inputs))
               : fmt::format("N/A - only {} change", changed_test_code(inputs));
  switch (kind) {
    case RiskKind::kCorrectness:
      return std::string(kLogicNotJudged);
    case RiskKind::kPerformance:
      return may_use_torch(inputs) ? "No new collective, wait for the GPU or allocation was recognized"
                                   : "N/A - the code that changes loads no PyTorch";
    case RiskKind::kCompatibility:
      return nothing_incompatible(inputs, story);
    case RiskKind::kEdgeCases:
      return "No open one was found in the outermost branches, assertions and divisions of the changed lines";
    case RiskKind::kTests:
      break;
  }
  const bool any_function = std::any_of(story.actors.begin(), story.actors.end(), [](const Actor& actor) {
    return actor.role != Role::kTest && actor.is_function() && !actor.is_removed();
  });
  if (!any_function) return "N/A - no function that is there now changes";
  // What no call leads to may still be named.
  bool is_only_named = false;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    const bool is_told = actor.role != Role::kTest && actor.is_function() && !actor.is_removed();
    const auto leads = [](const TestReach& reach) { return reach.link != TestLink::kNames; };
    is_only_named = is_only_named || (is_told && !story.tests[i].empty() &&
                                      std::none_of(story.tests[i].begin(), story.tests[i].end(), leads));
  }
  if (is_only_named)
    return "A test leads, or may lead, to each function told here, or names it; whether it runs and checks what "
           "changed, "
           "only reading it shows";
  return "By the call graph a test leads, or may lead, to each function told here; whether it runs and checks what "
         "changed, only reading it shows";
}

}  // namespace

std::string lead_words(const DiveInputs& dive) {
  if (dive.story.central.empty()) return {};
  const Actor& lead = dive.story.actor(dive.story.lead());
  // What it does as most others do is told of them together.
  for (RepeatedCondition& one : repeated_conditions(dive.inputs, dive.story)) {
    if (std::find(one.only.begin(), one.only.end(), &lead) != one.only.end()) return std::move(one.text);
  }
  const std::string all = actor_words(dive.inputs, lead, 2);
  // Where the data's way says what the change does, single statements of one function are no summary.
  constexpr std::size_t kLong = 400;
  if (dive.story.chains.empty() || all.size() <= kLong)
    return all + words_as_helper(dive.inputs, dive.story.helpers, lead);
  // Of its edits the shortest that has to do with the data.
  std::string best;
  constexpr std::size_t kMostLooked = 12;
  for (const ToldClause& clause : told_clauses(dive.inputs, lead, kMostLooked).clauses) {
    const bool is_told =
        std::any_of(dive.story.carried.begin(), dive.story.carried.end(),
                    [&](const std::string& name) { return find_name(clause.text, name) != std::string::npos; });
    if (!is_told) continue;
    std::string phrase = phrases_of({clause}).front();
    if (best.empty() || phrase.size() < best.size()) best = std::move(phrase);
  }
  const std::string head =
      fmt::format("{} ({}, {})", code(short_name(dive.inputs, *lead.change)),
                  status_with_origin(dive.inputs, *lead.change), place_of(dive.inputs, *lead.change));
  if (!best.empty() && best.size() <= kLong) return fmt::format("{}: {}.", head, best);
  std::string one = actor_words(dive.inputs, lead, 1);
  if (one.size() <= kLong) return one;
  return fmt::format("{} ({}) carries the change{}.", code(short_name(dive.inputs, *lead.change)),
                     place_of(dive.inputs, *lead.change),
                     change_clauses(dive.inputs, lead, 1).empty() ? "" : "; section 3.2 tells how");
}

void add_summary(Document& document, const DiveInputs& dive, const std::string& lead) {
  document.heading(2, "1. TL;DR");
  std::string why = why_in_short(dive.words);
  if (why.empty()) {
    const std::string none =
        dive.words.title.empty()
            ? std::string("No reason was found")
            : fmt::format("Beyond the title, \u201c{}\u201d, no reason was found", dive.words.title);
    const std::string of_step = reason_of_step_in_short(dive.words);
    if (!dive.words.failures.empty()) {
      why = dive.words.title.empty()
                ? std::string("No reason was found in words; the code shows one: an import that failed.")
                : fmt::format(
                      "Beyond the title, \u201c{}\u201d, no reason was found in words; the code shows one: an "
                      "import that failed.",
                      dive.words.title);
    } else {
      why = none + (!dive.words.remarks.empty()
                        ? fmt::format("; section 3.1 quotes its {}.", join_words(kinds_of_remarks(dive.words)))
                    : dive.words.comments.empty() && dive.words.written_before.empty() ? std::string(".")
                    : dive.words.comments.empty()
                        ? std::string("; section 3.1 quotes what was written before the change.")
                    : of_step.empty() ? std::string("; section 3.1 quotes reasons for single steps.")
                                      : fmt::format(" for the change as a whole. {}", of_step));
    }
  }
  document.bullets({strong("What:") + " " + lead_sentence(dive, lead), strong("Why:") + " " + as_sentence(why),
                    strong("Impact:") + " " + impact_sentence(dive)});
}

/// Whether a class diagram shows more than who holds what changed: classes and fields that come or go, relations. The
/// one base that a class had before says nothing.
bool relates_anything(const ClassDiagram& diagram, const Story& story) {
  const auto is_fresh = [](Mark mark) { return mark == Mark::kNew || mark == Mark::kRemoved; };
  const auto comes_or_goes = [&](const ClassBox& box) {
    return is_fresh(box.mark) || std::any_of(box.members.begin(), box.members.end(), [&](const ClassMember& member) {
             return !member.is_method && is_fresh(member.mark);
           });
  };
  const auto alters_bases = [](const Actor& actor) {
    return has_difference(*actor.change, change::DifferenceKind::kBaseAdded) ||
           has_difference(*actor.change, change::DifferenceKind::kBaseRemoved);
  };
  return std::any_of(diagram.classes.begin(), diagram.classes.end(), comes_or_goes) || diagram.relations.size() > 1 ||
         std::any_of(diagram.relations.begin(), diagram.relations.end(),
                     [](const ClassRelation& one) { return one.kind != ClassRelation::Kind::kExtends; }) ||
         (!diagram.relations.empty() && std::any_of(story.actors.begin(), story.actors.end(), alters_bases));
}

void add_relationships(Document& document, const DiveInputs& dive) {
  document.heading(2, "5. Module Relationships");
  const auto diagram = class_diagram(dive.inputs, dive.story, dive.trail.after);
  if (diagram && !relates_anything(*diagram, dive.story)) {
    document.paragraph(
        "N/A - no class comes or goes, and no other class was found that the changed lines call or build.");
  } else if (diagram) {
    document.diagram(*diagram);
  } else {
    document.paragraph("N/A - no class and no method changes, and no function that stands in a module itself.");
  }
  const std::vector<std::string> imports = import_items(dive.inputs, dive.story);
  if (!imports.empty()) document.bullets(imports);
}

void add_risk_table(Document& document, const DiveInputs& dive, const std::vector<Risk>& risks) {
  document.heading(2, "6. Risks & Edge Cases");
  std::vector<std::vector<std::string>> rows;
  for (const RiskKind kind : {RiskKind::kCorrectness, RiskKind::kPerformance, RiskKind::kCompatibility,
                              RiskKind::kEdgeCases, RiskKind::kTests}) {
    std::size_t told = 0;
    for (const Risk& risk : risks) {
      if (risk.kind != kind || told == 6) continue;
      rows.push_back({strong(category_name(kind)), risk.concern, verb_of(risk)});
      ++told;
    }
    if (told == 0) rows.push_back({strong(category_name(kind)), nothing_known(kind, dive.inputs, dive.story), "-"});
  }
  document.table({"Risk Category", "Specific Concern", "Mitigation/Status"}, rows);
  std::vector<std::string> tests;
  for (std::size_t i = 0; i < dive.story.central.size(); ++i) {
    if (!dive.story.actor(i).is_function() || !dive.story.actor(i).change->after) continue;
    if (std::string text = tests_item(dive.inputs, dive.story, i); !text.empty()) tests.push_back(std::move(text));
  }
  for (std::string& text : stand_in_items(dive.inputs, dive.story, 3)) tests.push_back(std::move(text));
  if (!tests.empty()) document.paragraph("Tests, by the call graph:").bullets(tests);
  std::vector<std::string> changed = changed_tests(dive.inputs, dive.story, dive.detail.tests);
  for (std::string& text : changed_marks(dive.inputs, dive.story, 4)) changed.push_back(std::move(text));
  if (!changed.empty()) document.paragraph("Tests that the change adds or edits:").bullets(changed);
}

/// The most telling clause without its conditions, where that fits in so many bytes; none otherwise.
std::vector<std::string> short_clause(const DiveInputs& dive, const Actor& actor, std::size_t bytes) {
  std::vector<std::string> out;
  for (const ToldClause& one : told_clauses(dive.inputs, actor, 1).clauses) {
    if (out.empty() && unmarked(one.text).size() <= bytes)
      out.push_back(one.text + (one.conditions.empty() ? "" : " (under conditions)"));
  }
  return out;
}

void add_reference(Document& document, const DiveInputs& dive) {
  document.heading(2, "7. Quick Reference");
  document.heading(3, "7.1 File Change Summary");
  CodeBlock files;
  files.language = "text";
  const std::size_t most_files = dive.detail.file_rows * 2;
  const std::size_t most_bytes = dive.detail.file_rows > 10 ? 150 : 90;
  for (const FileSummary* file : files_in_order(dive.inputs)) {
    if (files.lines.size() == most_files) {
      files.lines.push_back(
          fmt::format("… and {}", count_of(dive.inputs.change->files.size() - most_files, "more file")));
      break;
    }
    std::string summary = replace_all(file->summary, "`", "");
    if (summary.size() > most_bytes) {
      std::size_t cut = summary.find_last_of(",;", most_bytes);
      if (cut == std::string::npos || cut < most_bytes / 3) cut = summary.rfind(' ', most_bytes);
      summary = summary.substr(0, cut) + " \u2026";
    }
    files.lines.push_back(
        fmt::format("{}  [+{}, -{}]  # {}", file->file->path(), file->lines_added, file->lines_removed, summary));
  }
  document.code_block(std::move(files));
  document.heading(3, "7.2 Key Functions Index");
  std::vector<std::vector<std::string>> rows;
  std::vector<const Actor*> listed, following;  // What only passes something on stands last.
  for (const Actor& actor : dive.story.actors) {
    if (!actor.is_function() || actor.is_module_code || actor.role == Role::kCosmetic ||
        (actor.role == Role::kTest && !dive.story.only_tests))
      continue;
    (actor.role == Role::kFollowing ? following : listed).push_back(&actor);
  }
  listed.insert(listed.end(), following.begin(), following.end());
  for (const Actor* one : listed) {
    if (rows.size() == dive.detail.functions) break;
    const Actor& actor = *one;
    std::string purpose = docstring_sentence(actor.change->latest().node, 110);
    purpose = purpose.empty() ? std::string() : fmt::format("\u201c{}\u201d", from_backquotes(purpose));
    // One line each: what is told above in full is not told again.
    constexpr std::size_t kOneLine = 150;
    constexpr std::size_t kTwoLines = 220;
    std::vector<std::string> clauses = change_clauses(dive.inputs, actor, 1);
    const bool is_long = !clauses.empty() && unmarked(clauses.front()).size() > kOneLine;
    if (is_long) clauses = short_clause(dive, actor, kOneLine);
    if (is_long && clauses.empty()) clauses = short_clause(dive, actor, kTwoLines);
    if (is_long && clauses.empty() && purpose.empty() && actor.role == Role::kCentral)
      clauses = {fmt::format("{}; told above", status_with_origin(dive.inputs, *actor.change))};
    if (!clauses.empty()) purpose = capitalised(clauses.front()) + (purpose.empty() ? "" : "; " + purpose);
    if (purpose.empty()) purpose = capitalised(status_with_origin(dive.inputs, *actor.change));
    const std::string_view call = is_property(actor.change->latest().node) ? "" : "()";
    rows.push_back({code(short_name(dive.inputs, *actor.change) + std::string(call)),
                    place_of(dive.inputs, *actor.change) + (actor.is_removed() ? " (old version)" : ""), purpose});
  }
  if (rows.empty()) {
    document.paragraph("N/A - no function changes its behaviour.");
  } else {
    document.table({"Function", "File", "Purpose"}, rows);
  }
  document.heading(3, "7.3 Related Code Pointers");
  std::vector<std::string> pointers = related_pointers(dive);
  if (pointers.empty()) pointers = looser_pointers(dive);
  if (!pointers.empty()) {
    document.bullets(pointers);
    return;
  }
  std::vector<std::string> places;
  for (const FileSummary* file : files_in_order(dive.inputs)) {
    if (places.size() < 5 && file->file->kind != repo::ChangeKind::deleted)
      places.push_back(fmt::format("{} - {}", place(file->file->path()), category_word(file->category)));
  }
  if (places.empty()) {
    document.paragraph("N/A - nothing was found outside the diff that calls or overrides what changed.");
  } else {
    document
        .paragraph(
            "Outside the diff, no surely resolved call of what carries the change, no override or subclass and no test "
            "that makes its objects was found; the changed files themselves are the place to look:")
        .bullets(places);
  }
}

namespace {

/// `whole`: from which `story` is cut; what is not told gives reasons, too.
Document write_with(const DocumentInputs& inputs, const Story& whole, const Story& story, const RisksByLength& risks,
                    const DiveDetail& detail, const TrailPicture& trail) {
  const OwnWords words = own_words_of(inputs, whole, detail.why_words);
  const DiveInputs dive{inputs, story, words, detail, trail};
  Document document;
  document.title = prose("Deep dive: " + title_text(inputs, words));
  document.paragraph(scope_text(inputs));
  if (inputs.change->files.empty()) {
    document.paragraph("The two sides hold the same files: nothing to dive into.");
    return document;
  }
  const std::string lead = lead_words(dive);
  add_summary(document, dive, lead);
  add_big_picture(document, dive);
  add_rationale(document, dive, lead);
  add_execution(document, dive);
  add_relationships(document, dive);
  add_risk_table(document, dive, risks.of(story));
  add_reference(document, dive);
  return document;
}

}  // namespace

Story find_story_to_dive(const DocumentInputs& inputs) {
  StoryOptions options;
  options.most_central = kDetails[0].central;
  return find_story(inputs, options);
}

Document write_dive(const DocumentInputs& inputs, const Story& story) {
  const TrailPicture trail = data_trail_picture(inputs, story);
  const RisksByLength risks(inputs);
  return first_fitting(std::size(kDetails), kMostWords, inputs.jobs, [&](std::size_t version) {
    const DiveDetail& detail = kDetails[version];
    return write_with(inputs, story, with_central(story, detail.central), risks, detail, trail);
  });
}

Document write_dive(const DocumentInputs& inputs) { return write_dive(inputs, find_story_to_dive(inputs)); }

}  // namespace lockstep::report
