#include "report/author/quotes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/facts.h"
#include "python/tree_walk.h"
#include "report/author/import_comments.h"
#include "report/author/quotation.h"
#include "report/author/reason_words.h"
#include "report/author/title.h"
#include "report/document.h"
#include "report/documents/files.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {
namespace {

/// "x does not support y".
bool names_unsupported(std::string_view text) {
  static constexpr std::string_view kWords[] = {"does not support", "do not support", "doesn't support",
                                                "don't support",    "not supported",  "not implemented",
                                                "unsupported"};
  const std::string lower = to_lower(text);
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return contains(lower, word); });
}

/// Without paragraphs that open as notes ("NOTE: `f` mirrors …"), where others give reasons: a module says what it is
/// for in its text, and in notes how its parts are made.
std::vector<SourceSentence> without_notes(std::vector<SourceSentence> sentences) {
  std::set<std::size_t> notes;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const bool opens = i == 0 || sentences[i - 1].paragraph != sentences[i].paragraph;
    if (opens && to_lower(sentences[i].text).starts_with("note:")) notes.insert(sentences[i].paragraph);
  }
  const auto is_note = [&](const SourceSentence& one) { return notes.contains(one.paragraph); };
  const bool others_explain = std::any_of(sentences.begin(), sentences.end(), [&](const SourceSentence& one) {
    return one.is_new && !is_note(one) && explains_why(one.text);
  });
  if (others_explain) std::erase_if(sentences, is_note);
  return sentences;
}

void add_docstring(const DocumentInputs& inputs, const change::EntityChange& entity, std::string source,
                   bool skips_first, std::string_view removed, std::vector<Saying>& out) {
  const program::ModuleId module = inputs.after->find_path(entity.after->path);
  if (!module.valid()) return;
  const SourceText& text = inputs.after->modules()[module].facts->source();
  std::vector<SourceSentence> sentences =
      sentences_of(*inputs.change, entity.after->path, old_text_of(inputs, entity),
                   docstring_lines(entity.after->node, text), TextKind::kDocstring, removed);
  if (entity.kind == change::EntityKind::kModule) sentences = without_notes(std::move(sentences));
  add_quotation(out, std::move(source), quotation_of(sentences, skips_first));
}

/// New files in which central entities stand.
void add_module_docstrings(const DocumentInputs& inputs, const Story& story, std::string_view removed,
                           std::vector<Saying>& out) {
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (entity.kind != change::EntityKind::kModule || entity.status != change::Status::kAdded ||
        program::is_test_path(entity.latest().path))
      continue;
    const bool tells = std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& other) {
      return (other.role == Role::kCentral || other.role == Role::kSupporting) && other.change->after &&
             other.change->after->path == entity.latest().path;
    });
    if (tells)
      add_docstring(inputs, entity, fmt::format("the docstring of {}", place(entity.latest().path)), false, removed,
                    out);
  }
}

/// Headings under which documents say why: what stands first there is a reason, whatever its words.
bool promises_reason(std::string_view heading) {
  static constexpr std::string_view kWords[] = {"motivation", "rationale", "why "};
  const std::string lower = to_lower(heading) + " ";
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return contains(lower, word); });
}

/// New documents: what stands before their sections, and under headings that promise reasons.
void add_documents(const DocumentInputs& inputs, std::string_view removed, std::vector<Saying>& out) {
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->path();
    if (file.file->kind != repo::ChangeKind::added || !is_prose_file(file) || program::is_test_path(path)) continue;
    for (const std::vector<TextLine>& run : added_runs(file)) {
      std::vector<SourceSentence> sentences = sentences_of(*inputs.change, path, removed, run, TextKind::kDocument);
      std::size_t told = 0;
      std::erase_if(sentences, [&](const SourceSentence& one) {
        if (promises_reason(one.heading)) return told++ > 1;
        return one.section > 1 || !says_why_plainly(one.text);
      });
      Quotation quotation;
      for (const SourceSentence& one : sentences) {
        const bool is_reason = one.is_new && words_in(one.text) >= 5 && !one.text.ends_with(':');
        if (!is_reason || words_in(quotation.text) + words_in(one.text) > kMostWordsEach) continue;
        if (quotation.text.empty()) quotation.first_line = one.first_line;
        quotation.text.append(quotation.text.empty() ? "" : " … ").append(one.text);
      }
      const std::string where = place(path, quotation.first_line);
      add_quotation(out, where, std::move(quotation));
    }
  }
}

/// The class that a changed method stands in, where the change touches it, too; null for others.
const change::EntityChange* changed_class_of(const Story& story, const change::EntityChange& method) {
  if (method.kind != change::EntityKind::kMethod || !method.after) return nullptr;
  const std::string& name = method.after->qualified_name;
  const std::string owner = name.substr(0, name.rfind('.'));
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (entity.kind == change::EntityKind::kClass && entity.after && entity.after->path == method.after->path &&
        entity.after->qualified_name == owner)
      return &entity;
  }
  return nullptr;
}

void add_docstrings(const DocumentInputs& inputs, const Story& story, std::string_view removed,
                    std::vector<Saying>& out) {
  for (std::size_t c = 0; c < story.central.size(); ++c) {
    const change::EntityChange& entity = *story.actor(c).change;
    const bool documented = entity.kind == change::EntityKind::kClass || story.actor(c).is_function();
    if (!documented || !entity.after) continue;
    // The first sentence of a new docstring is quoted where the entity is named.
    add_docstring(inputs, entity,
                  fmt::format("the docstring of {} ({})", code(short_name(inputs, entity)), place_of(inputs, entity)),
                  entity.status == change::Status::kAdded, removed, out);
    // What the class of a changed method says now: `add_quotation` keeps the same words of two methods once.
    const change::EntityChange* cls = changed_class_of(story, entity);
    if (cls != nullptr && cls->status != change::Status::kAdded)
      add_docstring(inputs, *cls,
                    fmt::format("the docstring of {} ({})", code(short_name(inputs, *cls)), place_of(inputs, *cls)),
                    false, removed, out);
  }
}

/// The bare string below a field: what it is for.
std::vector<TextLine> lines_below_field(const change::EntitySide& side, const SourceText& source) {
  std::vector<TextLine> out;
  if (side.node == nullptr) return out;
  const std::uint32_t declared = source.line_of(side.node->span.end - 1);
  for (std::uint32_t line = declared + 1; line <= side.last_line; ++line) {
    std::string_view text = trim(source.line(line));
    if (out.empty() && text.starts_with("r")) text.remove_prefix(1);
    while (out.empty() && (text.starts_with("\"") || text.starts_with("'"))) text.remove_prefix(1);
    if (line == side.last_line) text = text.substr(0, text.find_last_not_of("\"' ") + 1);
    out.push_back({line, text});
  }
  return out;
}

/// What stood below the field before the change, squeezed; empty for a new one.
std::string old_documentation(const DocumentInputs& inputs, const change::EntityChange& entity) {
  const program::ModuleId module = entity.before ? inputs.before->find_path(entity.before->path) : program::ModuleId();
  if (!module.valid()) return {};
  std::string out;
  for (const TextLine& line : lines_below_field(*entity.before, inputs.before->modules()[module].facts->source()))
    out += squeezed(line.text);
  return out;
}

/// What the documentation of new settings says of reasons: all of it, for their first sentence tells what they do.
void add_settings(const DocumentInputs& inputs, const Story& story, std::string_view removed,
                  std::vector<Saying>& out) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (told == kMost) return;
    if (entity.kind != change::EntityKind::kField || !entity.after || actor.role == Role::kTest) continue;
    const program::ModuleId module = inputs.after->find_path(entity.after->path);
    if (!module.valid()) continue;
    const std::vector<TextLine> lines =
        lines_below_field(*entity.after, inputs.after->modules()[module].facts->source());
    const std::size_t before = out.size();
    add_quotation(
        out, fmt::format("the documentation of {} ({})", code(short_name(inputs, entity)), place_of(inputs, entity)),
        quotation_of(sentences_of(*inputs.change, entity.after->path, removed, lines, TextKind::kDocstring,
                                  old_documentation(inputs, entity)),
                     false));
    told += out.size() - before;
  }
}

/// What the docstrings of new functions and classes say that support the central ones.
void add_supporting_docstrings(const DocumentInputs& inputs, const Story& story, std::string_view removed,
                               std::size_t most, std::vector<Saying>& out) {
  constexpr std::size_t kMostLookedAt = 40;
  std::size_t looked_at = 0;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    const bool documented = entity.kind == change::EntityKind::kClass || actor.is_function();
    if (actor.role != Role::kSupporting || !documented || !actor.is_added()) continue;
    if (out.size() >= most || ++looked_at > kMostLookedAt) return;
    std::vector<Saying> found;
    add_docstring(inputs, entity,
                  fmt::format("the docstring of {} ({})", code(short_name(inputs, entity)), place_of(inputs, entity)),
                  true, removed, found);
    if (!found.empty() && says_why_plainly(found.front().paragraphs.front())) out.push_back(std::move(found.front()));
  }
}

/// The entry of a docstring's list of parameters ("name: …", "name (int): …") without its head; empty where there is
/// none.
std::vector<TextLine> parameter_lines(const change::EntityChange& entity, const SourceText& source,
                                      std::string_view name) {
  std::vector<TextLine> out;
  std::size_t indent = 0;
  const auto indent_of = [&](const TextLine& one) { return source.line(one.line).find_first_not_of(" \t"); };
  for (const TextLine& one : docstring_lines(entity.after->node, source)) {
    const std::string_view text = trim(one.text);
    if (!out.empty()) {
      if (!text.empty() && indent_of(one) <= indent) break;
      out.push_back({one.line, text});
      continue;
    }
    std::string_view rest = text;
    if (!rest.starts_with(name)) continue;
    rest = trim(rest.substr(name.size()));
    if (rest.starts_with("(") && rest.find(')') != std::string_view::npos) rest.remove_prefix(rest.find(')') + 1);
    if (!rest.starts_with(":")) continue;
    indent = indent_of(one);
    out.push_back({one.line, trim(rest.substr(1))});
  }
  return out;
}

/// What the documentation of a new parameter says plainly why; one of them.
void add_parameters(const DocumentInputs& inputs, const Story& story, std::string_view removed,
                    std::vector<Saying>& out) {
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    const program::ModuleId module = entity.after ? inputs.after->find_path(entity.after->path) : program::ModuleId();
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || !module.valid()) continue;
    for (const change::Difference& one : entity.differences) {
      if (one.kind != change::DifferenceKind::kParameterAdded) continue;
      const std::vector<TextLine> lines =
          parameter_lines(entity, inputs.after->modules()[module].facts->source(), one.name);
      std::vector<Saying> found;
      add_quotation(
          found,
          fmt::format("the documentation of {} of {} ({})", code(one.name), code(short_name(inputs, entity)),
                      place_of(inputs, entity)),
          quotation_of(sentences_of(*inputs.change, entity.after->path, removed, lines, TextKind::kDocstring), false));
      const auto concludes = [&](std::string_view word) { return contains(found.front().paragraphs.front(), word); };
      if (found.empty() ||
          !(says_why_plainly(found.front().paragraphs.front()) || concludes(", so ") || concludes(" therefore ")))
        continue;
      out.push_back(std::move(found.front()));
      return;
    }
  }
}

/// Comment blocks above central definitions and new fields, where they say plainly why, and above new variables of a
/// module, which have no other documentation, where they give a reason.
void add_comments_above(const DocumentInputs& inputs, const Story& story, std::string_view removed,
                        std::vector<Saying>& out) {
  constexpr std::size_t kMostFields = 10;
  std::vector<const change::EntityChange*> entities;
  for (std::size_t c = 0; c < story.central.size(); ++c) {
    const change::EntityChange& entity = *story.actor(c).change;
    if (entity.kind == change::EntityKind::kClass || story.actor(c).is_function()) entities.push_back(&entity);
  }
  std::size_t fields = 0;
  for (const Actor& actor : story.actors) {
    const change::EntityKind kind = actor.change->kind;
    const bool is_value = kind == change::EntityKind::kField || kind == change::EntityKind::kVariable;
    const bool is_told = actor.role == Role::kCentral || actor.role == Role::kSupporting;
    if (is_value && actor.is_added() && is_told && ++fields <= kMostFields) entities.push_back(actor.change);
  }
  for (const change::EntityChange* one : entities) {
    const change::EntityChange& entity = *one;
    if (!entity.after) continue;
    const program::ModuleId module = inputs.after->find_path(entity.after->path);
    if (!module.valid()) continue;
    const SourceText& source = inputs.after->modules()[module].facts->source();
    std::vector<SourceSentence> sentences =
        sentences_of(*inputs.change, entity.after->path, removed, comment_lines_above(source, entity.after->first_line),
                     TextKind::kComment);
    const bool is_variable = entity.kind == change::EntityKind::kVariable;
    Quotation quotation = quotation_of(sentences, false, is_variable ? Wanted::kAll : Wanted::kReasons);
    if (!(is_variable ? gives_reason(quotation.text) : says_why_plainly(quotation.text))) continue;
    std::string where = fmt::format("the comment above {} ({})", code(short_name(inputs, entity)),
                                    place(entity.after->path, quotation.first_line));
    add_quotation(out, std::move(where), std::move(quotation));
  }
}

/// Of the comment above a new or changed step that has telling words of the title and says what must be so: all of it,
/// though nothing in it says plainly why.
Quotation titled_comment(const std::set<std::string>& title_words, const Step& step,
                         const std::vector<SourceSentence>& sentences) {
  constexpr std::size_t kFewest = 2;  // Words.
  if (step.status == StepStatus::kKept || title_words.size() < kFewest) return {};
  Quotation out = whole_comment(quotation_of(sentences, false, Wanted::kAll), sentences);
  const bool counts = gives_reason(out.text) && count_held(title_words, out.text) >= kFewest;
  return counts ? std::move(out) : Quotation();
}

/// Comment blocks above changed steps, where the change wrote them: of the central entities, then of others.
void add_comments(const DocumentInputs& inputs, const Story& story, std::size_t most, Wanted what,
                  std::string_view removed, std::vector<Saying>& out) {
  const std::set<std::string> title_words = telling_title_words(inputs, story);
  std::vector<const Actor*> actors;
  for (std::size_t c = 0; c < story.central.size(); ++c) actors.push_back(&story.actor(c));
  // Where nothing else says why, what stands above a line that only follows may.
  for (const Role role : {Role::kSupporting, Role::kFollowing}) {
    for (const Actor& actor : story.actors) {
      if (actor.role == role && (role == Role::kSupporting || out.empty())) actors.push_back(&actor);
    }
  }
  for (const Actor* one : actors) {
    const Actor& actor = *one;
    if (out.size() >= most) return;
    if (actor.steps.after_source == nullptr || !actor.change->after) continue;
    const std::string& path = actor.change->after->path;
    const std::string old_text = old_text_of(inputs, *actor.change).append(removed);
    const program::ModuleId module = inputs.after->find_path(path);
    if (!module.valid()) continue;
    const python::ParsedFile& file = *inputs.after->modules()[module].facts->file;
    for (std::size_t s = 0; s < actor.steps.after.size(); ++s) {
      const Step& step = actor.steps.after[s];
      std::vector<std::vector<TextLine>> blocks = {comment_lines_above(*actor.steps.after_source, step.first_line)};
      // What stands above an import mostly says why it is imported here.
      if ((python::is<python::Import>(step.node) || python::is<python::ImportFrom>(step.node)) &&
          !may_give_reason(actor, s, blocks.front()))
        continue;
      // Among the arguments of a call, or behind a line, a comment that says why stands for the whole step.
      if (what == Wanted::kReasons && step.status != StepStatus::kKept) {
        for (std::vector<TextLine>& block : comments_within(file, step.first_line, step.last_line))
          blocks.push_back(std::move(block));
      }
      for (const std::vector<TextLine>& lines : blocks) {
        if (lines.empty()) continue;
        std::vector<SourceSentence> sentences = sentences_of(*inputs.change, path, old_text, lines, TextKind::kComment);
        // Why what stays as it was does not support something is a limit, and no reason for what changes.
        if (step.status == StepStatus::kKept && !has_change_inside(actor.steps.after, s) &&
            std::any_of(sentences.begin(), sentences.end(),
                        [](const SourceSentence& sentence) { return names_unsupported(sentence.text); }))
          continue;
        Quotation quotation = quotation_of(sentences, false, what);
        if (what == Wanted::kReasons) quotation = whole_comment(std::move(quotation), sentences);
        if (what == Wanted::kReasons && quotation.text.empty())
          quotation = titled_comment(title_words, step, sentences);
        const bool is_of_fault = step.status == StepStatus::kAdded && &lines == &blocks.front() &&
                                 !program::is_test_path(path) && says_what_may_go_wrong(quotation.text);
        if (is_of_fault) quotation = whole_paragraph(std::move(quotation), sentences);
        const std::string where = place(path, quotation.first_line);
        const std::size_t before = out.size();
        add_quotation(out, where, std::move(quotation));
        if (out.size() == before) continue;
        out.back().is_of_step = true;
        out.back().is_of_fault = is_of_fault;
        out.back().is_of_lead = !story.central.empty() && &actor == &story.actor(story.lead());
      }
    }
  }
}

/// Without the sentences that only say what is tested, and those that say what a test runs ("Covers both models since
/// each has the branch"): why it runs it is no reason for the change.
std::vector<SourceSentence> of_the_code(std::vector<SourceSentence> sentences, Wanted what) {
  static constexpr std::string_view kOfTests[] = {"Covers ",        "Exercises ", "Parametrized ",
                                                  "Parameterized ", "Runs ",      "Uses "};
  static constexpr std::string_view kNamesOnly[] = {"Test ", "Tests ", "Testing "};
  constexpr std::size_t kFewWords = 6;
  for (SourceSentence& one : sentences) {
    const auto starts = [&](std::string_view verb) { return one.text.starts_with(verb); };
    // "Test the loss helper." has the name of what is tested and nothing of what it does.
    if (words_in(one.text) <= kFewWords && std::any_of(std::begin(kNamesOnly), std::end(kNamesOnly), starts))
      one.is_new = false;
    if (what == Wanted::kReasons && std::any_of(std::begin(kOfTests), std::end(kOfTests), starts)) one.is_new = false;
  }
  return sentences;
}

/// "Losses should not become token-weighted": what must be so after the change.
bool says_what_must_be(const Saying& one) {
  static constexpr std::string_view kWords[] = {" should ", " must ", " never "};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return contains(one.paragraphs.front(), word); });
}

/// "Verify that …", not "A tile of 8 patches is given, which …": a long comment that says what the test is for.
bool says_what_it_checks(std::string_view text) {
  static constexpr std::string_view kVerbs[] = {"check",  "verif", "test",  "ensure",  "regression", "make sure",
                                                "assert", "guard", "cover", "exercis", "should",     "must"};
  const std::string lower = to_lower(text);
  return std::any_of(std::begin(kVerbs), std::end(kVerbs), [&](auto verb) { return lower.starts_with(verb); });
}

/// What new and changed tests say that they check: their docstrings, else the comment that they open with.
void add_tests(const DocumentInputs& inputs, const Story& story, std::size_t most, Wanted what,
               std::vector<Saying>& out) {
  for (const Actor& actor : story.actors) {
    if (out.size() >= most) return;
    const change::EntityChange& entity = *actor.change;
    if (actor.role != Role::kTest || !entity.after) continue;
    const std::string name = short_name(inputs, entity);
    const program::ModuleId module = inputs.after->find_path(entity.after->path);
    if (const auto* cls = python::as<python::ClassDef>(entity.after->node);
        cls != nullptr && module.valid() && std::string_view(cls->name.text).starts_with("Test")) {
      const std::vector<SourceSentence> sentences =
          sentences_of(*inputs.change, entity.after->path, old_text_of(inputs, entity),
                       docstring_lines(cls, inputs.after->modules()[module].facts->source()), TextKind::kDocstring);
      add_quotation(out, fmt::format("the test class {} ({})", code(name), place_of(inputs, entity)),
                    quotation_of(of_the_code(sentences, what), false, what));
      continue;
    }
    const auto* def = actor.is_function() ? python::as<python::FunctionDef>(entity.after->node) : nullptr;
    if (!module.valid() || def == nullptr || def->body.empty() || !std::string_view(def->name.text).starts_with("test"))
      continue;
    const SourceText& source = inputs.after->modules()[module].facts->source();
    const auto add = [&](const std::vector<TextLine>& lines, TextKind kind) {
      const std::size_t before = out.size();
      const std::vector<SourceSentence> sentences =
          sentences_of(*inputs.change, entity.after->path, old_text_of(inputs, entity), lines, kind);
      Quotation quotation = quotation_of(of_the_code(sentences, what), false, what);
      const bool is_reason = what == Wanted::kReasons && kind == TextKind::kComment;
      if (is_reason) quotation = whole_comment(std::move(quotation), sentences);
      add_quotation(out, fmt::format("the test {} ({})", code(name), place_of(inputs, entity)), std::move(quotation));
      return out.size() > before;
    };
    const std::vector<TextLine> docstring = docstring_lines(def, source);
    if (!docstring.empty()) {
      add(docstring, TextKind::kDocstring);
      continue;
    }
    const std::vector<TextLine> opening = comment_lines_above(source, source.line_of(def->body.front()->span.begin));
    if (what == Wanted::kAll) {
      constexpr std::size_t kFewWords = 30;
      std::size_t words = 0;
      for (const TextLine& line : opening) words += words_in(line.text);
      if (!opening.empty() && (words <= kFewWords || says_what_it_checks(opening.front().text)))
        add(opening, TextKind::kComment);
      continue;
    }
    // Comments speak of the steps of a test; where there was a fault, why they give what they give is why it was one.
    if (!speaks_of_fault(inputs.title) || add(opening, TextKind::kComment) || entity.status != change::Status::kAdded)
      continue;
    for (std::size_t i = 1; i < def->body.size(); ++i) {
      if (add(comment_lines_above(source, source.line_of(def->body[i]->span.begin)), TextKind::kComment)) break;
    }
  }
}

/// What new test files say in their own docstring of what went wrong, where that has words of the title.
void add_test_files(const DocumentInputs& inputs, std::vector<Saying>& out) {
  constexpr std::size_t kFewest = 2;  // Words of the title.
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->new_path;
    const program::ModuleId module = inputs.after->find_path(path);
    if (file.file->kind != repo::ChangeKind::added || !module.valid() || !program::is_test_path(path)) continue;
    const auto& facts = *inputs.after->modules()[module].facts;
    std::vector<SourceSentence> sentences =
        sentences_of(*inputs.change, path, {}, docstring_lines(&facts.tree(), facts.source()), TextKind::kDocstring);
    // A list names the tests one by one, and why a test is as it is, is no reason for the change.
    for (SourceSentence& one : sentences)
      one.is_new = one.is_new && !one.is_item && (says_what_may_go_wrong(one.text) || says_what_was(one.text));
    Quotation quotation = quotation_of(of_the_code(std::move(sentences), Wanted::kReasons), false);
    if (words_of_title_in(inputs.title, quotation.text) < kFewest) continue;
    const std::string where = place(path, quotation.first_line);
    add_quotation(out, fmt::format("the test file {}", where), std::move(quotation));
  }
}

/// The message of a new check, where it is one text; empty for others.
std::string_view message_of(const python::Stmt& statement) {
  const python::Expr* message = nullptr;
  if (const auto* check = python::as<python::Assert>(&statement)) message = check->message;
  if (const auto* raise = python::as<python::Raise>(&statement)) {
    const auto* made = python::as<python::Call>(raise->exception);
    if (made != nullptr && !made->arguments.empty()) message = made->arguments.front();
  }
  const auto* text = python::as<python::Constant>(message);
  return text != nullptr && text->constant_kind == python::ConstantKind::kStr ? text->text : std::string_view();
}

/// How the texts open that stand in the files before the change, as values: a check that was written otherwise, or
/// moved here from another file, says nothing new. At most `length` characters of each.
std::unordered_set<std::string_view> old_openings(const DocumentInputs& inputs, std::size_t length) {
  std::unordered_set<std::string_view> openings;
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId module = inputs.before->find_path(file.file->old_path);
    if (!file.is_python || !module.valid()) continue;
    python::walk_of<python::Constant>(inputs.before->modules()[module].facts->tree(), python::Nested::kEnter,
                                      [&](const python::Constant* constant) {
                                        if (constant->constant_kind == python::ConstantKind::kStr)
                                          openings.insert(constant->text.substr(0, length));
                                      });
  }
  return openings;
}

/// "x does not support y": a limit of what is there, without what it comes from.
bool only_names_limit(std::string_view text) {
  return !contains(text, ": ") && !says_why_plainly(text) && names_unsupported(text);
}

/// What new checks say why they refuse: "… is not supported: the forward pass never reads it.".
void add_refusals(const DocumentInputs& inputs, std::size_t most, std::vector<Saying>& out) {
  constexpr std::size_t kFewestWords = 8;
  constexpr std::size_t kOpening = 24;  // Characters: of a message that was there before the end may change.
  const std::unordered_set<std::string_view> known = old_openings(inputs, kOpening);
  for (const change::FileSummary& file : inputs.change->files) {
    if (out.size() >= most) return;
    const program::ModuleId module = inputs.after->find_path(file.file->new_path);
    if (!file.is_python || !module.valid() || program::is_test_path(file.file->new_path)) continue;
    const SourceText& source = inputs.after->modules()[module].facts->source();
    python::walk_statements(
        inputs.after->modules()[module].facts->tree(), python::Nested::kEnter, [&](const python::Stmt* statement) {
          if (out.size() >= most) return;
          const std::string_view text = message_of(*statement);
          if (text.empty() || known.contains(text.substr(0, kOpening)) || words_in(text) < kFewestWords) return;
          if ((!contains(text, ": ") && !explains_why(text)) || only_names_limit(text)) return;
          out.push_back(
              {fmt::format("the check at {}", place(file.file->new_path, source.line_of(statement->span.begin))),
               {own_words(text)}});
        });
  }
}

/// Whether a demand, which begins at `at` of the sentence, is one on whoever uses the definition, or denied: "The
/// caller must hold the lock", "Rows must be sorted" of a parameter `rows`, "does not need to". How to use something is
/// no reason for it.
bool is_about_use(const python::Node& definition, std::string_view sentence, std::size_t at) {
  static constexpr std::string_view kUsers[] = {
      "argument", "arguments", "caller", "callers", "it",    "parameter", "parameters", "subclass", "subclasses",
      "that",     "these",     "they",   "this",    "those", "user",      "users",      "we",       "you"};
  const std::string subject = to_lower(trim(sentence.substr(0, at)));
  const bool is_denied = subject.ends_with(" not") || subject.ends_with(" no") || subject.ends_with("n't");
  if (subject.empty() || is_denied || std::any_of(std::begin(kUsers), std::end(kUsers), [&](std::string_view word) {
        return find_name(subject, word) != std::string::npos;
      }))
    return true;
  // "the given mode" is one, "a switch of the mode" is not.
  const std::string head(trim(std::string_view(subject).substr(0, subject.find(" of "))));
  const std::string noun = unmarked(head.substr(head.rfind(' ') + 1));
  const auto* function = python::as<python::FunctionDef>(&definition);
  const auto is_it = [&](const python::Parameter* one) {
    return replace_all(noun, "`", "") == to_lower(one->name.text);
  };
  return function != nullptr && std::any_of(function->parameters->all.begin(), function->parameters->all.end(), is_it);
}

/// Takes those out that begin with what their words do not name, where others are there.
void drop_leaning(std::vector<Saying>& sayings) {
  const auto leans = [](const Saying& one) { return leans_on_previous(one.paragraphs.front()); };
  if (!std::all_of(sayings.begin(), sayings.end(), leans)) std::erase_if(sayings, leans);
}

/// A comment of one short sentence beside a step tells of one value: none where more is said.
bool says_little(const Saying& saying) {
  constexpr std::size_t kFewWords = 12;
  return saying.is_of_step && saying.paragraphs.size() == 1 && words_in(saying.paragraphs.front()) < kFewWords &&
         !says_why_plainly(saying.paragraphs.front());
}

}  // namespace

std::vector<Saying> reasons_in_sources(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  const std::string removed = removed_text(*inputs.change);
  const auto is_plain = [](const Saying& saying) { return says_why_plainly(saying.paragraphs.front()); };
  std::vector<Saying> out;
  add_module_docstrings(inputs, story, removed, out);
  // What says plainly why before the rest, each as near to the whole change as it was.
  std::stable_partition(out.begin(), out.end(), is_plain);
  if (out.size() > 2) out.resize(2);
  if (out.size() < 2) add_documents(inputs, removed, out);
  if (out.size() > 2) out.resize(2);
  add_docstrings(inputs, story, removed, out);
  add_settings(inputs, story, removed, out);
  add_parameters(inputs, story, removed, out);
  add_comments_above(inputs, story, removed, out);
  std::stable_partition(out.begin(), out.end(), is_plain);
  if (out.size() > most - 1) out.resize(most - 1);  // Comments stand nearest to what changes.
  // Of comments beside steps those that say what goes wrong otherwise come first, and those that only describe last.
  constexpr std::size_t kMostCompared = 12;
  const std::size_t of_whole = out.size();
  add_comments(inputs, story, std::max(most, kMostCompared), Wanted::kReasons, removed, out);
  const auto rank = [](const Saying& one) {
    const int weight = weight_of_reason(one.paragraphs.front());
    return one.is_of_fault ? 3 : weight == 3 ? 2 : weight > 0 ? 1 : 0;
  };
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(of_whole), out.end(),
                   [&](const Saying& a, const Saying& b) { return rank(a) > rank(b); });
  if (out.size() > most) out.resize(most);
  if (!std::all_of(out.begin(), out.end(), says_little)) std::erase_if(out, says_little);
  if (std::all_of(out.begin(), out.end(), [](const Saying& one) { return one.is_of_step; }))
    add_supporting_docstrings(inputs, story, removed, std::min<std::size_t>(most, out.size() + 1), out);
  drop_leaning(out);
  return out;
}

std::vector<Saying> reasons_in_tests(const DocumentInputs& inputs, const Story& story) {
  std::vector<Saying> out;
  add_tests(inputs, story, 1, Wanted::kReasons, out);
  if (!speaks_of_fault(inputs.title)) return out;
  add_test_files(inputs, out);
  const auto nearest = std::max_element(out.begin(), out.end(), [&](const Saying& a, const Saying& b) {
    return words_of_title_in(inputs.title, a.paragraphs.front()) <
           words_of_title_in(inputs.title, b.paragraphs.front());
  });
  if (nearest != out.end()) std::rotate(out.begin(), nearest, nearest + 1);
  if (out.size() > 1) out.resize(1);
  return out;
}

std::vector<Saying> remarks_in_tests(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  constexpr std::size_t kMostAsked = 12;
  std::vector<Saying> out;
  add_tests(inputs, story, std::max(most, kMostAsked), Wanted::kAll, out);
  std::stable_partition(out.begin(), out.end(), says_what_must_be);
  if (out.size() > most) out.resize(most);
  return out;
}

std::vector<Saying> demands_in_docstrings(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  static constexpr std::string_view kDemands[] = {" must ", " has to ", " have to ", " need to ", " needs to "};
  static constexpr std::string_view kMeant[] = {" not meant to ", " never meant "};
  std::vector<Saying> out;
  constexpr std::size_t kFewWords = 6;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (out.size() == most || (actor.role != Role::kCentral && actor.role != Role::kSupporting)) continue;
    const bool documented = entity.kind == change::EntityKind::kClass || actor.is_function();
    const program::ModuleId module = entity.after ? inputs.after->find_path(entity.after->path) : program::ModuleId();
    if (!documented || entity.status != change::Status::kAdded || !module.valid()) continue;
    const SourceText& text = inputs.after->modules()[module].facts->source();
    const std::vector<SourceSentence> sentences = sentences_of(
        *inputs.change, entity.after->path, {}, docstring_lines(entity.after->node, text), TextKind::kDocstring);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const SourceSentence& one = sentences[i];
      const auto has = [&](std::string_view word) {
        const std::size_t at = one.text.find(word);
        return at != std::string::npos && !is_about_use(*entity.after->node, one.text, at);
      };
      // The first sentence says what it does; only what that is not for is a reason.
      const bool demands = (i > 0 && std::any_of(std::begin(kDemands), std::end(kDemands), has)) || has(" must not ") ||
                           std::any_of(std::begin(kMeant), std::end(kMeant),
                                       [&](std::string_view word) { return contains(one.text, word); });
      if (!demands || !one.is_new || one.is_item || words_in(one.text) < kFewWords || leaves_undone(one.text)) continue;
      const bool has_context = i > 1 && sentences[i - 1].paragraph == one.paragraph && !sentences[i - 1].is_item;
      Quotation quotation;
      quotation.text = (has_context ? sentences[i - 1].text + " " : std::string()) + one.text;
      add_quotation(out,
                    fmt::format("the docstring of {} ({})", code(short_name(inputs, entity)), place_of(inputs, entity)),
                    std::move(quotation));
      break;
    }
  }
  return out;
}

/// What stands above a new field and speaks of what the title speaks of; of one.
static void add_titled_fields(const DocumentInputs& inputs, const Story& story, std::vector<Saying>& out) {
  constexpr std::size_t kFewest = 2;  // Words of the title.
  const std::string removed = removed_text(*inputs.change);
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    const program::ModuleId module = entity.after ? inputs.after->find_path(entity.after->path) : program::ModuleId();
    if (entity.kind != change::EntityKind::kField || !actor.is_added() || actor.role == Role::kTest || !module.valid())
      continue;
    const SourceText& source = inputs.after->modules()[module].facts->source();
    Quotation quotation =
        quotation_of(sentences_of(*inputs.change, entity.after->path, removed,
                                  comment_lines_above(source, entity.after->first_line), TextKind::kComment),
                     false, Wanted::kAll);
    if (words_of_title_in(inputs.title, quotation.text) < kFewest) continue;
    std::string where = fmt::format("the comment above {} ({})", code(short_name(inputs, entity)),
                                    place(entity.after->path, quotation.first_line));
    add_quotation(out, std::move(where), std::move(quotation));
    return;
  }
}

std::vector<Saying> remarks_in_sources(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  constexpr std::size_t kMostComments = 2;
  std::vector<Saying> out;
  add_comments(inputs, story, most + kMostComments, Wanted::kAll, removed_text(*inputs.change), out);
  // What only says what the next line does, the next line says.
  std::erase_if(out, [](const Saying& one) { return !gives_reason(one.paragraphs.front()); });
  if (out.size() > kMostComments) out.resize(kMostComments);
  if (out.empty()) add_titled_fields(inputs, story, out);
  if (out.size() < most) add_refusals(inputs, most, out);
  drop_leaning(out);
  return out;
}

}  // namespace lockstep::report
