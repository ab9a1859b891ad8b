#include "report/review/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/author/reason_words.h"
#include "report/author/why.h"
#include "report/documents/areas.h"
#include "report/documents/risks.h"
#include "report/documents/tests/test_code.h"
#include "report/source/code.h"
#include "report/story/steps/mended_imports.h"
#include "report/story/story.h"
#include "report/story/wording/change_clauses.h"
#include "report/story/wording/changes.h"
#include "report/story/wording/contract.h"
#include "report/story/wording/outer_steps.h"
#include "report/story/wording/status.h"

namespace lockstep::report {

namespace {

using change::EntityChange;
using change::FileSummary;

constexpr std::size_t kMostFiles = 12;
constexpr std::size_t kMostWhyWords = 120;
constexpr std::size_t kMostSteps = 3;
constexpr std::size_t kMostOuter = 12;
constexpr std::size_t kMostQuestions = 4;

std::string title_text(const DocumentInputs& inputs, const OwnWords& words) {
  const std::string number = words.number.empty() ? std::string() : " (" + reference(words.number) + ")";
  if (!words.title.empty()) return fmt::format("Review: {}{}", words.title, number);
  return fmt::format("Review: {} → {}", plain(inputs.before_name), plain(inputs.after_name));
}

std::string what_text(const DocumentInputs& inputs) {
  std::size_t added = 0, removed = 0, files_added = 0, files_removed = 0;
  for (const FileSummary& file : inputs.change->files) {
    added += file.lines_added;
    removed += file.lines_removed;
    files_added += file.file->kind == repo::ChangeKind::added;
    files_removed += file.file->kind == repo::ChangeKind::deleted;
  }
  std::string text = fmt::format("{} changed (+{} −{})", count_of(inputs.change->files.size(), "file"), added, removed);
  if (files_added > 0) text += fmt::format(", {} of them new", files_added);
  if (files_removed > 0) text += fmt::format(", {} deleted", files_removed);
  return text + ".";
}

void add_files(Document& document, const DocumentInputs& inputs) {
  std::vector<const FileSummary*> files;
  for (const FileSummary& file : inputs.change->files) files.push_back(&file);
  std::stable_sort(files.begin(), files.end(), [](const FileSummary* a, const FileSummary* b) {
    return std::make_pair(a->category, b->lines_added + b->lines_removed) <
           std::make_pair(b->category, a->lines_added + a->lines_removed);
  });
  std::vector<std::vector<std::string>> rows;
  std::size_t left = files.size();
  for (const AlikeFiles& group : alike(files)) {
    if (rows.size() == kMostFiles) break;
    left -= group.files.size();
    rows.push_back({alike_names(group, kMostFiles), fmt::format("+{} −{}", group.lines_added, group.lines_removed),
                    from_backquotes(group.files.front()->summary)});
  }
  document.table({"File", "Lines", "What changes"}, rows);
  if (left > 0) document.paragraph(fmt::format("and {} more.", count_of(left, "file")));
  for (const ReplacedImport& one : replaced_imports(inputs)) {
    if (one.failed) document.paragraph(as_sentence(capitalised(replaced_import_words(inputs, one, false))));
  }
}

// The author's paragraphs and lists, as they stood.
Quote quoted(const Saying& saying) {
  constexpr std::string_view kBullet = "• ";
  Document inner;
  std::vector<std::string> items;
  const auto flush = [&] {
    if (!items.empty()) inner.bullets(items);
    items.clear();
  };
  for (const std::string& paragraph : saying.paragraphs) {
    if (paragraph.starts_with(kBullet)) {
      items.push_back(paragraph.substr(kBullet.size()));
    } else {
      flush();
      inner.paragraph(paragraph);
    }
  }
  flush();
  if (saying.is_cut) inner.paragraph("…");
  return {std::move(inner.blocks)};
}

void add_why(Document& document, const OwnWords& words) {
  const bool says_why = !words.sayings.empty() || std::any_of(words.comments.begin(), words.comments.end(),
                                                              [](const Saying& one) { return !one.is_of_step; });
  if (!says_why) {
    // What says most: a remark that gives a reason.
    const auto telling = std::find_if(words.remarks.begin(), words.remarks.end(), [](const Saying& saying) {
      const bool is_of_test = saying.source.starts_with("the test ");
      return std::any_of(saying.paragraphs.begin(), saying.paragraphs.end(), [&](const std::string& paragraph) {
        return explains_why(paragraph) || (is_of_test && gives_reason(paragraph));
      });
    });
    if (telling == words.remarks.end()) {
      // The title stands above; where it is a sentence, what it says may well be the reason.
      constexpr std::size_t kWordsOfSentence = 3;
      if (split(words.title, ' ').size() < kWordsOfSentence)
        document.paragraph(strong("Why:") + " the change's own words do not say.");
    } else {
      document.paragraph(fmt::format("{} not recorded as such. In the words of {}:", strong("Why:"), telling->source));
      document.blocks.emplace_back().value = quoted(*telling);
    }
    return;
  }
  std::size_t said = 0;
  for (const std::vector<Saying>* sayings : {&words.sayings, &words.comments}) {
    for (const Saying& saying : *sayings) {
      if (said == 2 || saying.paragraphs.empty()) break;
      // One of a step leads only where it stands nearest to the title.
      if (saying.is_of_step && &saying != &words.comments.front()) continue;
      ++said;
      document.paragraph(
          fmt::format("{} in the words of {}:", said == 1 ? strong("Why,") : std::string("And"), saying.source));
      document.blocks.emplace_back().value = quoted(saying);
    }
  }
}

// What an entity does differently; of what is new its docstring, and the outermost steps of a function that
// communicate; without one its first outermost steps, in the order in which they run, and how it ends.
std::vector<std::string> changed_steps(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<std::string> sentences;
  if (actor.is_removed()) return sentences;
  if (!actor.is_added()) {
    for (std::string& clause : change_clauses(inputs, actor, kMostSteps + 1))
      sentences.push_back(as_sentence(capitalised(std::move(clause))));
    return sentences;
  }
  constexpr std::size_t kMostWords = 45;
  const std::string purpose = docstring_opening(actor.change->latest().node, kMostWords);
  if (!purpose.empty()) sentences.push_back(fmt::format("\u201c{}\u201d", from_backquotes(purpose)));
  if (!actor.is_function()) return sentences;
  if (!purpose.empty()) {
    for (std::string& step : outer_steps(inputs, actor, kMostOuter)) {
      const bool communicates =
          step.starts_with("Issues ") || contains(step, " issues ") || contains(step, ", which can issue ");
      if (communicates && sentences.size() <= kMostSteps) sentences.push_back(std::move(step));
    }
    return sentences;
  }
  sentences = outer_steps(inputs, actor, kMostSteps + 1);
  if (sentences.size() <= kMostSteps) return sentences;
  sentences.pop_back();
  // What it all is for often stands last: what is refused, or given back.
  if (const std::string last = last_step(inputs, actor); !last.empty())
    sentences.back() = as_sentence(fmt::format("At the end, {}", last));
  return sentences;
}

std::string reach_text(const DocumentInputs& inputs, const EntryPath& path) {
  if (path.frames.size() < 2) return {};
  const program::Program& program = *inputs.after;
  std::vector<std::string> names;
  const std::size_t from = path.frames.size() > 4 ? path.frames.size() - 4 : 0;
  if (from > 0) {
    names.push_back(code(short_name(program, path.frames.front().function)));
    if (from > 1) names.emplace_back("…");
  }
  for (std::size_t i = from; i < path.frames.size(); ++i)
    names.push_back(code(short_name(program, path.frames[i].function)));
  return fmt::format("Reached by {}.", fmt::join(names, " → "));
}

std::string tests_text(const DocumentInputs& inputs, const std::vector<TestReach>& tests, bool any_skipped) {
  if (tests.empty())
    return any_skipped ? "No test was found that reaches it and is not skipped." : "No test was found that reaches it.";
  const TestReach& nearest = tests.front();
  if (nearest.link == TestLink::kPossibly) return "No test was found that surely leads to it; some may.";
  const auto sure =
      std::count_if(tests.begin(), tests.end(), [&](const TestReach& reach) { return reach.link == nearest.link; });
  // Never how many: others may come to it in ways that the call graph does not see.
  const std::string_view more = sure > 1 ? " and others" : "";
  return fmt::format("{} the test {}{}.", nearest.link == TestLink::kNames ? "Named by" : "Calls lead to it from",
                     code(short_name(*inputs.after, nearest.test)), more);
}

void add_how(Document& document, const DocumentInputs& inputs, const Story& story) {
  if (story.central.empty()) return;
  std::vector<std::string> items;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    std::string text = fmt::format("{} ({}), {}.", code(short_name(inputs, *actor.change)),
                                   place_of(inputs, *actor.change), status_with_origin(inputs, *actor.change));
    const std::vector<std::string> steps = changed_steps(inputs, actor);
    // "Changed" without what: nothing that a reader could use.
    if (steps.empty() && !actor.is_added() && !actor.is_removed() && !actor.change->moved && !actor.change->renamed)
      continue;
    for (const std::string& step : steps) text += " " + step;
    if (!actor.is_removed()) {
      const std::string reach = reach_text(inputs, story.entries[i]);
      if (!reach.empty()) text += " " + reach;
      // No test is meant to reach another one, nor a script that stands among them.
      if (actor.is_function() && !actor.is_module_code && !is_collected(inputs, actor) &&
          !is_script_among_tests(inputs, actor.change->after->path))
        text += " " + tests_text(inputs, story.tests[i], !story.skipped[i].empty());
    }
    items.push_back(std::move(text));
  }
  if (!items.empty()) document.paragraph(strong("How:")).bullets(items);
}

void add_flags(Document& document, const Story& story) {
  std::vector<std::string> items;
  for (const Flag& flag : story.flags) {
    if ((!flag.is_new && !flag.is_changed && flag.guards.empty()) || !flag.derived.empty()) continue;
    std::string text = fmt::format("{}{}", code(flag.name),
                                   flag.is_new       ? " (new)"
                                   : flag.is_changed ? " (changed)"
                                                     : "");
    if (!flag.default_value.empty()) text += fmt::format(", default {}", code(flag.default_value));
    if (!flag.argument.empty()) text += fmt::format(", set by {}", code(flag.argument));
    if (!flag.argument_default.empty())
      text += fmt::format(", but {} where the argument is not given", code(flag.argument_default));
    if (flag.runs_by_default && flag.scope == GuardScope::kWay)
      text += *flag.runs_by_default ? ": the changed code runs by default" : ": off by default";
    items.push_back(text + ".");
    if (items.size() == 5) break;
  }
  if (items.empty()) return;
  document.paragraph(strong("Configuration it depends on:"));
  document.bullets(items);
}

}  // namespace

Summary write_summary(const DocumentInputs& inputs) { return write_summary(inputs, find_story(inputs)); }

Summary write_summary(const DocumentInputs& inputs, const Story& story) {
  const OwnWords words = own_words_of(inputs, story, kMostWhyWords);
  Document document;
  document.title = prose(title_text(inputs, words));
  document.paragraph(strong("What:") + " " + what_text(inputs));
  add_files(document, inputs);
  // Comments are quoted for want of better; what the author said of the change stays.
  const std::size_t why_begin = document.blocks.size();
  add_why(document, words);
  const bool is_said = words.says_why() && !words.sayings.empty();
  const std::size_t how_begin = is_said ? document.blocks.size() : why_begin;
  add_how(document, inputs, story);
  const std::size_t how_end = document.blocks.size();
  add_flags(document, story);
  return {std::move(document), how_begin, how_end, questions_of(risks_of(inputs, story), kMostQuestions), std::nullopt};
}

Document with_questions(Summary summary) {
  if (!summary.questions.empty()) {
    summary.document.paragraph(strong("Questions for the author:"));
    summary.document.bullets(summary.questions);
  }
  return std::move(summary.document);
}

Document write_summary_with_questions(const DocumentInputs& inputs) { return with_questions(write_summary(inputs)); }

}  // namespace lockstep::report
