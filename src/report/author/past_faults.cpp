#include "report/author/past_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/author/quotation.h"
#include "report/author/reason_words.h"
#include "report/document.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

/// "Guards a silent failure: …", "guards against …".
bool says_what_it_guards(std::string_view text) {
  constexpr std::size_t kFewWords = 6;
  return words_in(text) >= kFewWords && (text.starts_with("Guards ") || contains(text, "guards against "));
}

/// The first sentence of the change that says what was so before it, or what must not be again.
Quotation past_fault(const std::vector<SourceSentence>& sentences) {
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const SourceSentence& one = sentences[i];
    if (!one.is_new || (!says_what_was(one.text) && !says_what_it_guards(one.text))) continue;
    const bool leans = i > 0 && leans_on_previous(one.text) && sentences[i - 1].paragraph == one.paragraph;
    return {leans ? sentences[i - 1].text + " " + one.text : one.text, one.first_line, false};
  }
  return {};
}

}  // namespace

std::vector<Saying> past_faults_in_tests(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::vector<Saying> out;
  for (const Actor& actor : story.actors) {
    if (out.size() == most) break;
    const auto& side = actor.change->after;
    const auto* def = side && actor.is_function() ? python::as<python::FunctionDef>(side->node) : nullptr;
    const program::ModuleId module = side ? inputs.after->find_path(side->path) : program::ModuleId();
    if (actor.role != Role::kTest || def == nullptr || !module.valid()) continue;
    const bool is_test = std::string_view(def->name.text).starts_with("test");
    const python::ParsedFile& file = *inputs.after->modules()[module].facts->file;
    const std::string old_text = old_text_of(inputs, *actor.change);
    const auto sentences = [&](const std::vector<TextLine>& lines, TextKind kind) {
      return sentences_of(*inputs.change, side->path, old_text, lines, kind);
    };
    Quotation found = past_fault(sentences(docstring_lines(def, file.source), TextKind::kDocstring));
    const std::uint32_t first = def->decorators.empty() ? file.source.line_of(def->span.begin)
                                                        : file.source.line_of(def->decorators.front()->span.begin);
    for (const std::vector<TextLine>& block : comments_within(file, first, side->last_line)) {
      if (!found.text.empty()) break;
      found = past_fault(sentences(block, TextKind::kComment));
    }
    std::string source = fmt::format("{} {} ({})", is_test ? "the test" : "the helper of tests",
                                     code(short_name(inputs, *actor.change)), place(side->path, found.first_line));
    add_quotation(out, std::move(source), std::move(found));
  }
  return out;
}

}  // namespace lockstep::report
