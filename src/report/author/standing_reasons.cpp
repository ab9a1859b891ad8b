#include "report/author/standing_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "program/queries.h"
#include "report/author/quotation.h"
#include "report/author/reason_words.h"
#include "report/document.h"
#include "report/source/source_sentences.h"
#include "report/story/classes/bases.h"

namespace lockstep::report {

namespace {

/// The line of the first statement around step `index` that it begins, or its own.
std::uint32_t first_line_around(const std::vector<Step>& steps, std::size_t index) {
  std::size_t at = index;
  while (at > 0 && steps[at].parent == at - 1 && steps[at - 1].kind == StepKind::kIf && !steps[at - 1].is_elif) --at;
  return steps[at].first_line;
}

/// What the comment in the lines says plainly of reasons, where none of it is the change's; empty elsewhere.
Quotation standing_reason(const DocumentInputs& inputs, const std::string& path, const std::vector<TextLine>& lines) {
  const auto touches = [&](const TextLine& one) { return inputs.change->touches_after(path, one.line); };
  if (std::any_of(lines.begin(), lines.end(), touches)) return {};
  std::vector<SourceSentence> sentences = sentences_of(*inputs.change, path, {}, lines, TextKind::kComment);
  for (SourceSentence& one : sentences) one.is_new = true;
  Quotation quotation = quotation_of(sentences, false);
  return says_why_plainly(quotation.text) ? quotation : Quotation();
}

/// Whether the change writes a comment of its own in a function that changes, outside tests.
bool adds_comment(const DocumentInputs& inputs, const Story& story) {
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& actor) {
    if (actor.role == Role::kTest || !actor.is_function() || !actor.change->after) return false;
    const auto& side = *actor.change->after;
    const program::ModuleId module = inputs.after->find_path(side.path);
    if (!module.valid()) return false;
    const auto is_own = [&](const TextLine& one) { return inputs.change->touches_after(side.path, one.line); };
    const auto blocks = comments_within(*inputs.after->modules()[module].facts->file, side.first_line, side.last_line);
    return std::any_of(blocks.begin(), blocks.end(), [&](const std::vector<TextLine>& block) {
      return std::any_of(block.begin(), block.end(), is_own);
    });
  });
}

}  // namespace

std::vector<Saying> reasons_of_bases(const DocumentInputs& inputs, const Story& story) {
  std::vector<Saying> out;
  for (std::size_t c = 0; c < story.central.size(); ++c) {
    for (const NewBase& each : new_bases(*inputs.after, *story.actor(c).change)) {
      const program::Class& base = inputs.after->classes()[each.base];
      const program::Module& module = inputs.after->modules()[base.module];
      const SourceText& source = module.facts->source();
      const std::string name = code(std::string(base.name));
      const auto add = [&](const python::Node* node, const std::string& of) {
        std::vector<SourceSentence> sentences =
            sentences_of(*inputs.change, module.path, {}, docstring_lines(node, source), TextKind::kDocstring);
        // What the change wrote itself is told with its own words.
        if (std::any_of(sentences.begin(), sentences.end(), [](const SourceSentence& one) { return one.is_new; }))
          return;
        for (SourceSentence& one : sentences) one.is_new = true;
        Quotation quotation = quotation_of(sentences, false);
        if (reason_rank(quotation.text) > 1) add_quotation(out, of, std::move(quotation));
      };
      const std::string derived = code(short_name(inputs, *story.actor(c).change));
      add(base.node, fmt::format("the docstring of {} ({}), from which {} derives now", name,
                                 place(module.path, source.line_of(base.node->span.begin)), derived));
      add(&module.facts->tree(), fmt::format("the docstring of {}, the module of {}, from which {} derives now",
                                             place(module.path), name, derived));
    }
  }
  if (out.size() > 1) out.resize(1);
  return out;
}

std::vector<Saying> reasons_above_changes(const DocumentInputs& inputs, const Story& story) {
  std::vector<Saying> out;
  // What the change itself remarks is nearer to its reasons than what stood there.
  if (adds_comment(inputs, story)) return out;
  const auto look = [&](const Actor& actor) {
    if (!out.empty() || actor.steps.after_source == nullptr || !actor.is_function() || actor.is_added()) return;
    const std::vector<Step>& steps = actor.steps.after;
    for (std::size_t i = 0; i < steps.size() && out.empty(); ++i) {
      if (steps[i].status == StepStatus::kKept || steps[i].is_moved || steps[i].kind == StepKind::kElse) continue;
      for (const std::uint32_t line : {steps[i].first_line, first_line_around(steps, i)}) {
        const std::vector<TextLine> lines = comment_lines_above(*actor.steps.after_source, line);
        if (lines.empty()) continue;
        add_quotation(out, fmt::format("the comment above {}", place(actor.change->after->path, line)),
                      standing_reason(inputs, actor.change->after->path, lines));
        break;
      }
    }
  };
  for (std::size_t i = 0; i < story.central.size(); ++i) look(story.actor(i));
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kSupporting) look(actor);
  }
  return out;
}

}  // namespace lockstep::report
