// Sections 2 and 3 of the deep dive: the big picture, and the design rationale.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/author/alternatives.h"
#include "report/author/limits.h"
#include "report/documents/areas.h"
#include "report/documents/content/changed_imports.h"
#include "report/documents/correctness/returned_flags.h"
#include "report/documents/costs/stream_table.h"
#include "report/documents/dive_parts.h"
#include "report/documents/drawings/drawings.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/documents/excerpts/excerpt_lines.h"
#include "report/documents/file_parts.h"
#include "report/documents/files.h"
#include "report/documents/parts.h"
#include "report/documents/settings/refused_settings.h"
#include "report/documents/settings/value_case_tables.h"
#include "report/documents/settings/written_settings.h"
#include "report/story/calls/alternative_arguments.h"
#include "report/story/calls/new_helpers.h"
#include "report/story/classes/overridden.h"
#include "report/story/settings/flag_needs.h"
#include "report/story/steps/mended_imports.h"
#include "report/story/steps/passed_over.h"
#include "report/story/wording/argument_edits.h"
#include "report/story/wording/change_clauses.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/changes.h"
#include "report/story/wording/collection_edits.h"
#include "report/story/wording/differing_text.h"
#include "report/story/wording/edits.h"
#include "report/story/wording/status.h"

namespace lockstep::report {

using change::EntityKind;
using change::FileSummary;

namespace {

constexpr std::uint32_t kLongestSnippet = 12;  ///< Lines.

/// The last line of the old code that is shown from step `first` on: of as many whole statements inside it as there is
/// room for, at least of the first one.
std::uint32_t last_of_snippet(const std::vector<Step>& steps, std::size_t first) {
  constexpr std::size_t kMostSteps = 8;
  std::uint32_t last = steps[first].last_line;
  const std::size_t end = std::min(end_of(steps, first), first + kMostSteps);
  bool is_whole = steps[first].kind == StepKind::kPlain;
  for (std::size_t i = first + 1; i < end; ++i) {
    const bool fits = steps[i].last_line - steps[first].first_line < kLongestSnippet;
    // Right behind the head of a block nothing is cut.
    if (steps[i].kind != StepKind::kPlain || (!fits && is_whole)) continue;
    last = steps[i].last_line;
    is_whole = true;
  }
  return last;
}

std::string_view scope_category(const repo::FileChange& file) {
  switch (file.kind) {
    case repo::ChangeKind::added:
      return "New";
    case repo::ChangeKind::deleted:
      return "Deleted";
    case repo::ChangeKind::renamed:
      return "Renamed";
    default:
      return "Modified";
  }
}

void add_scope(Document& document, const DiveInputs& dive) {
  document.heading(3, "2.2 Change Scope Summary");
  std::vector<std::vector<std::string>> rows;
  std::vector<AlikeFiles> groups = alike(files_in_order(dive.inputs));
  if (is_told_in_parts(dive.inputs)) {
    document.paragraph("The change in parts, the weightiest first:");
    document.bullets(part_items(dive.inputs, dive.story, 8));
  }
  std::size_t left = 0;
  for (std::size_t i = dive.detail.file_rows; i < groups.size(); ++i) left += groups[i].files.size();
  if (groups.size() > dive.detail.file_rows) groups.resize(dive.detail.file_rows);
  for (const std::string_view category : {"New", "Modified", "Renamed", "Deleted"}) {
    for (const AlikeFiles& group : groups) {
      const FileSummary* file = group.files.front();
      if (scope_category(*file->file) != category) continue;
      std::string name = alike_names(group, 3);
      if (file->file->kind == repo::ChangeKind::renamed && group.files.size() == 1)
        name += " (from " + place(file->file->old_path) + ")";
      rows.push_back({std::string(category), name, capitalised(from_backquotes(file->summary))});
    }
  }
  document.table({"Category", "Files", "Description"}, rows);
  if (left > 0) document.paragraph(fmt::format("and {}; section 7.1 lists them.", count_of(left, "more file")));
}

/// "sets `options` without the entry `"k"`", "calls `f` without `a=1`": of a changed step to which only something came;
/// empty for others.
std::string without_what_came(const Step& step, const WordsContext& before, const Step& now,
                              const WordsContext& after) {
  if (const auto added = added_arguments(step, before, now, after))
    return fmt::format("calls {} without {}", added->callee, added->arguments);
  const python::Expr* target = nullptr;
  const python::Expr* was = assigned_value(step.node, target);
  const python::Expr* is = was == nullptr ? nullptr : assigned_value(now.node, target);
  if (is == nullptr) return {};
  const CollectionEdit edit = collection_edit(*was, *before.source, *is, *after.source);
  if (edit.added.empty() || !edit.gone.empty() || !edit.changed.empty()) return {};
  std::vector<std::string> came = edit.has_keys ? edit.added_keys : edit.added;
  for (std::string& one : came) one = code(one);
  return fmt::format("sets {} without {}{}", code(one_line(*after.source, *target, 60)),
                     !edit.has_keys     ? ""
                     : came.size() == 1 ? "the entry "
                                        : "the entries ",
                     join_words(came));
}

/// Of a changed step whose words leave out what differs: its old text around the difference; empty for others.
std::string what_differed(const DiveInputs& dive, const Actor& actor, const Step& step, const WordsContext& before) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone || step.kind != StepKind::kPlain) return {};
  const Step& now = actor.steps.after[step.partner];
  const WordsContext after = context_after(dive.inputs, actor);
  if (step_words(step, before) != step_words(now, after)) return {};
  if (std::string without = without_what_came(step, before, now, after); !without.empty()) return without;
  const python::Expr* target = nullptr;
  const python::Expr* was = assigned_value(step.node, target);
  const python::Expr* is = was == nullptr ? nullptr : assigned_value(now.node, target);
  const auto [old_text, new_text] = is == nullptr
                                        ? where_they_differ(*before.source, step.span, *after.source, now.span, 110)
                                        : where_they_differ(*before.source, was->span, *after.source, is->span, 110);
  if (old_text == new_text) return {};
  // A part of it is not what it is set to.
  return is == nullptr || old_text.starts_with("\u2026")
             ? fmt::format("runs {}", code(old_text))
             : fmt::format("sets {} to {}", code(one_line(*after.source, *target, 60)), code(old_text));
}

bool is_special(std::string_view name) { return name.starts_with("__") && name.ends_with("__"); }

/// Marked place of the first function or class outside tests that had the last part of the name before, one of a class
/// for a method; empty where none had it, and for methods that Python itself calls, which most classes have.
std::string place_of_the_name(const program::Program& before, const Actor& actor) {
  const std::string_view name = change::last_part(actor.change->latest().qualified_name);
  if (is_special(name)) return {};
  const auto is_it = [&](std::string_view other, program::ModuleId module) {
    return other == name && !program::is_test_path(before.modules()[module].path);
  };
  for (std::size_t i = 0; i < before.functions().size(); ++i) {
    const program::FunctionId id(static_cast<std::uint32_t>(i));
    const program::Function& one = before.functions()[id];
    const bool is_method = actor.change->kind == EntityKind::kMethod;
    if (one.owner.valid() == is_method && !one.enclosing.valid() && is_it(one.name, one.module))
      return place_of(before, id);
  }
  for (std::size_t i = 0; i < before.classes().size(); ++i) {
    const program::ClassId id(static_cast<std::uint32_t>(i));
    if (is_it(before.classes()[id].name, before.classes()[id].module)) return place_of(before, id);
  }
  return {};
}

/// Whether code outside tests had something else of the name: a parameter, a variable or a function in another one, an
/// attribute, a keyword of a call, a text, or an option of the command line.
bool had_another_kind(const program::Program& before, std::string_view name) {
  const std::string option = "--" + replace_all(std::string(name), "_", "-");
  const std::string option_as_written = "--" + std::string(name);
  for (const program::Module& module : before.modules()) {
    if (program::is_test_path(module.path)) continue;
    const std::string_view bytes = module.facts->source().bytes();
    if (is_quoted_in(bytes, option) || is_quoted_in(bytes, option_as_written)) return true;
    if (!module.facts->has_name(name)) continue;
    bool has = is_quoted_in(bytes, name);
    for (const python::Scope& scope : module.facts->scopes) {
      has = has || std::any_of(scope.bindings.begin(), scope.bindings.end(),
                               [&](const python::Binding& one) { return one.name == name; });
    }
    python::walk_of<python::Attribute>(module.facts->tree(), python::Nested::kEnter,
                                       [&](const auto* one) { has = has || one->name.text == name; });
    python::walk_of<python::Keyword>(module.facts->tree(), python::Nested::kEnter,
                                     [&](const auto* one) { has = has || one->name.text == name; });
    if (has) return true;
  }
  return false;
}

/// "Came to `f(x)` also when `a` is set." of a call that new returns come before now, as far as the old version came to
/// it then; empty for none.
std::string passed_over_words(const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.is_function() || actor.is_added() || !actor.change->after) return {};
  const WordsContext before = context_before(inputs, actor);
  const WordsContext after = context_after(inputs, actor);
  constexpr std::size_t kMostConditions = 2;
  const PassedOver passed = first_passed_over(actor.steps, before, after, kMostConditions);
  if (passed.call == nullptr) return {};
  std::vector<std::string> conditions;
  for (const std::size_t i : passed.branches)
    conditions.push_back("when " +
                         condition_words(*python::as<python::If>(actor.steps.after[i].node)->condition, *after.source));
  return fmt::format("Came to {} also {}.", code(one_line(*after.source, *passed.call, 60)),
                     join(conditions, ", and "));
}

/// What the code did before: the old side of the lead's changed steps, quoted.
void add_previous(Document& document, const DiveInputs& dive) {
  if (dive.story.central.empty()) {
    const std::vector<std::string> imports = previous_imports(dive.inputs);
    if (!imports.empty()) {
      document.paragraph("What the code did before:").bullets(imports);
    } else if (entered_imports(dive.inputs, false).empty()) {
      document.paragraph("Previous behaviour: no code is involved; section 4.4 quotes the lines that change.");
    } else {
      document.paragraph(
          "Previous behaviour: of code only imports are involved; section 4.4 quotes the lines that "
          "change.");
    }
    return;
  }
  std::vector<std::string> items;
  CodeBlock snippet;
  for (std::size_t i = 0; i < dive.story.central.size() && items.size() < 4; ++i) {
    const Actor& actor = dive.story.actor(i);
    if (actor.is_added()) continue;
    const program::FunctionId then = actor.change->before->function;
    const std::string name = code(actor.change->moved && then.valid() ? short_name(*dive.inputs.before, then)
                                                                      : short_name(dive.inputs, *actor.change));
    const WordsContext before = context_before(dive.inputs, actor);
    std::vector<std::string> told;
    std::string previous;
    const auto tell = [&](std::string text, const Step& step) {
      while (!text.empty() && text.back() == '.') text.pop_back();
      text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
      const std::string where = where_words(*actor.change->before->node, step, *before.source);
      told.push_back(as_sentence(capitalised(with_condition(text, where, previous))));
      previous = where;
    };
    for (std::size_t s = 0; s < actor.steps.before.size() && told.size() < 3; ++s) {
      const Step& step = actor.steps.before[s];
      if (step.status == StepStatus::kKept || step.kind == StepKind::kElse) continue;
      // What a function imports says nothing of what it did.
      if (python::is<python::Import>(step.node) || python::is<python::ImportFrom>(step.node)) continue;
      const bool inner = step.parent != Step::kNone && actor.steps.before[step.parent].status == StepStatus::kRemoved;
      // A changed function inside has its own.
      if (inner || (step.status == StepStatus::kChanged && python::is<python::FunctionDef>(step.node))) continue;
      const auto words = block_words(actor.steps.before, s, end_of(actor.steps.before, s), before, 1);
      if (!words.empty() && !is_moved_whole(actor.steps.before, s)) {
        const std::string other = what_differed(dive, actor, step, before);
        tell(other.empty() ? words.front() : other, step);
      }
      if (snippet.lines.empty()) {
        snippet.language = "python";
        snippet.path = actor.change->before->path;
        snippet.first_line = step.first_line;
        snippet.last_line = last_of_snippet(actor.steps.before, s);
        snippet.caption = "the old version";
        for (std::uint32_t line = step.first_line; line <= *snippet.last_line; ++line)
          snippet.lines.emplace_back(actor.steps.before_source->line(line));
        snippet.lines = fit_statement(std::move(snippet.lines), kLongestSnippet);
        // With next to nothing but a note on how much is left out it shows nothing.
        const auto tells = std::count_if(snippet.lines.begin(), snippet.lines.end(), [](const std::string& line) {
          return !trim(line).starts_with("#") && contains(line, " ");
        });
        if (tells < 2 && snippet.lines.size() > 1) snippet = {};
      }
    }
    // What a new return comes before was done where it returns now, too.
    if (const std::string also = passed_over_words(dive.inputs, actor); told.empty() && !also.empty())
      told.push_back(also);
    // What stands under a new condition was done without it.
    for (std::size_t s = 0; s + 1 < actor.steps.after.size() && told.empty(); ++s) {
      const Step& inner = actor.steps.after[s + 1];
      if (!guards_what_was_there(actor.steps, s) || inner.status != StepStatus::kKept || inner.partner == Step::kNone)
        continue;
      const std::size_t was = inner.partner;
      const auto words = block_words(actor.steps.before, was, end_of(actor.steps.before, was), before, 1);
      if (!words.empty()) tell(words.front(), actor.steps.before[was]);
    }
    if (!told.empty()) items.push_back(fmt::format("{}: {}", name, join(told, " ")));
  }
  if (items.empty()) {
    std::vector<std::string> inherited;
    for (std::size_t i = 0; i < dive.story.central.size() && inherited.size() < 4; ++i) {
      const change::EntityChange& entity = *dive.story.actor(i).change;
      const program::FunctionId old = inherited_before(dive.inputs, entity);
      if (old.valid())
        inherited.push_back(fmt::format("{}: {} ({})", code(short_name(dive.inputs, entity)),
                                        code(short_name(*dive.inputs.before, old)),
                                        place_of(*dive.inputs.before, old)));
    }
    if (!inherited.empty()) {
      document.paragraph("What ran before under the name was inherited:").bullets(inherited);
      return;
    }
    std::vector<std::string> names;
    std::vector<std::string> known;
    std::vector<std::string_view> lasts;
    for (std::size_t i = 0; i < dive.story.central.size() && names.size() < 4; ++i) {
      const Actor& actor = dive.story.actor(i);
      if (!actor.is_added()) continue;
      lasts.push_back(change::last_part(actor.change->latest().qualified_name));
      if (const std::string where = place_of_the_name(*dive.inputs.before, actor); !where.empty())
        known.push_back(fmt::format("{} ({})", code(std::string(lasts.back())), where));
      names.push_back(code(short_name(dive.inputs, *actor.change)));
    }
    const bool is_of_other_kind = known.empty() && std::any_of(lasts.begin(), lasts.end(), [&](std::string_view last) {
                                    return is_special(last) || had_another_kind(*dive.inputs.before, last);
                                  });
    document.paragraph(
        names.empty()    ? std::string("Previous behaviour: no step of a function that carries the change is gone for "
                                          "good; what changed was added, moved, or stands in headers, values and imports.")
        : !known.empty() ? fmt::format("Previous behaviour: {} {} new here; something of the same name stood in the "
                                       "old version: {}.",
                                       join_words(names), names.size() == 1 ? "is" : "are", join_words(known))
        : is_of_other_kind
            ? fmt::format("Previous behaviour: {} {} new.", join_words(names), names.size() == 1 ? "is" : "are")
            : fmt::format("Previous behaviour: {} {} new; nothing of {} existed before.", join_words(names),
                          names.size() == 1 ? "is" : "are", names.size() == 1 ? "this name" : "these names"));
    return;
  }
  document.paragraph("What the code did before:").bullets(items);
  std::size_t common = SIZE_MAX;
  for (const std::string& line : snippet.lines) {
    const std::size_t at = line.find_first_not_of(' ');
    if (at != std::string::npos) common = std::min(common, at);
  }
  for (std::string& line : snippet.lines) line.erase(0, common == SIZE_MAX ? 0 : std::min(common, line.size()));
  if (!snippet.lines.empty()) document.code_block(std::move(snippet));
}

/// What it is for, in its author's words; section 3.2 tells what changes in it. What is quoted in `told` is not again.
std::string role_words(const DocumentInputs& inputs, const Actor& actor, std::vector<std::string>& told) {
  const auto& entity = *actor.change;
  const bool documented = entity.kind == EntityKind::kClass || actor.is_function();
  const std::string purpose = documented ? docstring_sentence(entity.latest().node, 160) : std::string();
  const std::string head = fmt::format("{} ({})", code(short_name(inputs, entity)), status_and_place(inputs, entity));
  if (purpose.empty()) return head + ".";
  const std::string quote = fmt::format("\u201c{}\u201d", from_backquotes(purpose));
  const bool is_told =
      std::any_of(told.begin(), told.end(), [&](const std::string& one) { return contains(one, quote); });
  told.push_back(quote);
  return is_told ? head + "." : fmt::format("{}: {}", head, quote);
}

/// What comes of an argument of the function, where none of the texts says it.
std::string followed_news(const Actor& actor, const std::vector<std::string>& told) {
  std::string out = followed_words(actor, 1);
  const std::string_view sentence = trim(out);
  const bool is_told =
      std::any_of(told.begin(), told.end(), [&](const std::string& one) { return contains(one, sentence); });
  return is_told ? std::string() : out;
}

/// Whether the actor is a variable of which another assignment is told: it says all values.
bool is_set_elsewhere_too(const Story& story, const Actor& actor) {
  if (actor.change->kind != EntityKind::kVariable || !actor.is_added()) return false;
  for (const Actor& one : story.actors) {
    if (&one == &actor) return false;
    const bool is_same = one.change->kind == EntityKind::kVariable && one.is_added() &&
                         one.change->after->path == actor.change->after->path &&
                         one.change->after->qualified_name == actor.change->after->qualified_name;
    if (is_same) return true;
  }
  return false;
}

/// `told`: what sections 1 and 3.2 say.
void add_key_points(Document& document, const DiveInputs& dive, std::vector<std::string> told) {
  document.heading(3, "3.3 Key Design Points");
  List list;
  for (std::size_t i = 0; i < dive.story.central.size(); ++i) {
    const Actor& actor = dive.story.actor(i);
    ListItem item{prose(role_words(dive.inputs, actor, told)), {}, std::nullopt};
    if (actor.is_function() && actor.change->after) {
      List inner;
      Contract contract = contract_for(dive.inputs, actor);
      // What an old function comes to through others is no point of this change.
      if (!actor.is_added()) contract.below.clear();
      for (const std::string& text : contract_items(contract, 5))
        inner.items.push_back({prose(text), {}, std::nullopt});
      constexpr std::size_t kMostReaders = 5;
      if (const std::string read = altered_state_item(dive.inputs, actor, kMostReaders); !read.empty())
        inner.items.push_back({prose(read), {}, std::nullopt});
      constexpr std::size_t kMostArguments = 3;
      for (const std::string& text : alternative_arguments(actor, kMostArguments))
        inner.items.push_back({prose(as_sentence(capitalised(text))), {}, std::nullopt});
      if (const std::string given = returned_flag_item(dive.inputs, actor); !given.empty())
        inner.items.push_back({prose(given), {}, std::nullopt});
      if (!inner.items.empty()) item.children.push_back({std::move(inner)});
    }
    list.items.push_back(std::move(item));
  }
  for (const std::string& text : flag_needs(dive.inputs)) list.items.push_back({prose(text), {}, std::nullopt});
  std::size_t others = 0;
  for (const Actor& actor : dive.story.actors) {
    if (actor.role != Role::kSupporting || actor.is_bare_module()) continue;
    if (others == 5) break;
    // What only takes up a new function is told with that.
    if (is_set_elsewhere_too(dive.story, actor) || helper_taken_by(dive.story.helpers, actor) != nullptr) continue;
    // A class and its constructor, say, that have one docstring.
    std::string words = actor_words(dive.inputs, actor, 2);
    const std::size_t quote = words.find("\u201c");
    const bool is_told =
        quote != std::string::npos && std::any_of(told.begin(), told.end(), [&](const std::string& one) {
          return contains(one, std::string_view(words).substr(quote));
        });
    if (is_told) words = as_sentence(std::string(trim(std::string_view(words).substr(0, words.rfind(':', quote)))));
    if (quote != std::string::npos && !is_told) told.push_back(words.substr(quote));
    const std::string followed = followed_news(actor, told);
    if (!followed.empty()) told.push_back(followed);
    words += words_as_helper(dive.inputs, dive.story.helpers, actor);
    list.items.push_back({prose(words + followed), {}, std::nullopt});
    ++others;
  }
  if (list.items.empty()) {
    document.paragraph("N/A - no class, function or setting of Python code is introduced or changed.");
    return;
  }
  document.blocks.push_back({std::move(list)});
  std::vector<std::string> flags;
  std::string guards;
  for (const Flag& flag : dive.story.flags) {
    flags.push_back(with_refusal(dive.story, flag, flag_text(flag, true, guards)));
    guards = flag.guards;
  }
  if (!flags.empty()) document.paragraph("Settings involved:").bullets(flags);
  constexpr std::size_t kMostSettings = 2;
  constexpr std::size_t kMostRows = 14;
  add_value_cases(document, dive.story, kMostSettings, kMostRows);
  if (const std::vector<std::string> written = written_settings(dive.inputs, dive.story, 4); !written.empty())
    document.paragraph("Settings that changed lines set:").bullets(written);
}

/// The decisions of the function that carries the change, where they are most of what changes in it.
std::optional<Flowchart> lead_choices(const DiveInputs& dive) {
  if (dive.story.central.empty()) return std::nullopt;
  return choice_diagram(dive.inputs, dive.story.actor(dive.story.lead()));
}

}  // namespace

bool draws_trail_first(const DiveInputs& dive) { return dive.trail.is_architecture() && !lead_choices(dive); }

void add_trail(Document& document, const TrailPicture& trail) {
  for (std::size_t i = 0; i < trail.charts.size(); ++i)
    document.diagram(trail.charts[i],
                     i == 0 ? "How data passes between functions by what is new, arguments, results and fields:" : "");
  if (!trail.legend.empty()) document.paragraph(trail.legend);
}

void add_big_picture(Document& document, const DiveInputs& dive) {
  document.heading(2, "2. Big Picture");
  document.heading(3, "2.1 Before vs After Architecture");
  if (const auto choices = lead_choices(dive)) {
    document.diagram(*choices);
  } else if (dive.trail.is_architecture()) {
    add_trail(document, dive.trail);
  } else if (auto diagram = architecture_diagram(dive.inputs, dive.story)) {
    document.diagram(*diagram);
  } else if (!dive.story.central.empty()) {
    document.diagram(files_diagram(dive.inputs));
  } else if (auto picture = files_picture(dive.inputs)) {
    document.diagram(*std::move(picture), files_picture_caption(dive.inputs));
  } else {
    document.paragraph("N/A - no job, section or definition changes that could be drawn.");
  }
  if (const StreamTable orders = stream_table(dive.inputs, dive.story); !orders.rows.empty())
    document.paragraph("Which stream waits for which:").table(orders.header, orders.rows);
  add_scope(document, dive);
}

void add_rationale(Document& document, const DiveInputs& dive, const std::string& lead) {
  document.heading(2, "3. Design Rationale");
  document.heading(3, "3.1 Problem Background");
  add_why(document, dive.words);
  add_previous(document, dive);
  document.heading(3, "3.2 Solution Approach");
  document.bullets(purpose_items(dive.words));
  std::vector<std::string> approach;
  const std::string lead_followed =
      dive.story.central.empty() ? std::string() : followed_words(dive.story.actor(dive.story.lead()), 2);
  // The heaviest four, in the order of telling.
  constexpr std::size_t kMostTold = 4;
  std::vector<std::size_t> by_weight = dive.story.central;
  std::sort(by_weight.begin(), by_weight.end());
  for (std::size_t i = 0; i < dive.story.central.size(); ++i) {
    if (by_weight.size() > kMostTold && dive.story.central[i] >= by_weight[kMostTold]) continue;
    const Actor& actor = dive.story.actor(i);
    std::vector<std::string> clauses = change_clauses(dive.inputs, actor, 3);
    const bool has_clauses = !clauses.empty();
    // Section 1 tells the heaviest.
    if (i == dive.story.lead())
      std::erase_if(clauses,
                    [&](const std::string& one) { return contains(lead, one) || contains(lead, capitalised(one)); });
    if (!clauses.empty()) {
      std::vector<std::string> told = approach;
      told.push_back(lead_followed);
      approach.push_back(fmt::format("{}: {}.{}", code(short_name(dive.inputs, *actor.change)), joined_phrases(clauses),
                                     i == dive.story.lead() ? "" : followed_news(actor, told)));
    }
    if (!has_clauses && actor.is_added() && i != dive.story.lead())
      approach.push_back(actor_words(dive.inputs, actor, 3) + words_as_helper(dive.inputs, dive.story.helpers, actor));
  }
  if (approach.empty() && dive.story.central.empty()) {
    for (const AlikeFiles& group : alike(files_in_order(dive.inputs))) {
      if (approach.size() == 4) break;
      approach.push_back(
          fmt::format("{}: {}", alike_names(group, 8), as_sentence(from_backquotes(group.files.front()->summary))));
    }
  }
  if (approach.empty()) {
    document.paragraph("Section 1 tells what was done, section 4.4 shows it.");
  } else {
    document.paragraph(dive.story.central.empty() ? "What was done, as the code shows it:"
                                                  : "What was done beside what section 1 tells, as the code shows it:");
    document.bullets(approach);
  }
  std::vector<std::string> alternatives;
  constexpr std::size_t kMostAlternatives = 3;
  for (const Saying& saying : alternatives_in_words(dive.inputs, dive.story, dive.words, kMostAlternatives))
    alternatives.push_back(fmt::format("\u201c{}\u201d ({})", saying.paragraphs.front(), saying.source));
  std::vector<std::string> limits;
  std::vector<std::string> postponed;
  for (const Saying& saying : limits_in_words(dive.inputs, dive.story, 4)) {
    const std::string& text = saying.paragraphs.front();
    const bool is_plan = text.starts_with("TODO") || text.starts_with("FIXME");
    (is_plan ? postponed : limits).push_back(fmt::format("\u201c{}\u201d ({})", text, saying.source));
  }
  std::vector<std::string> choices;
  if (!alternatives.empty()) choices.push_back(strong("Alternatives:") + " " + join(alternatives, " "));
  if (!limits.empty()) choices.push_back(strong("Trade-offs:") + " " + join(limits, " "));
  if (!postponed.empty()) choices.push_back(strong("Left for later:") + " " + join(postponed, " "));
  if (choices.empty())
    choices.push_back(strong("Alternatives and trade-offs:") +
                      " no sentence of the change was recognised as naming one; section 6 lists what the code shows.");
  document.bullets(choices);
  approach.push_back(lead);
  approach.push_back(lead_followed);
  add_key_points(document, dive, std::move(approach));
}

}  // namespace lockstep::report
