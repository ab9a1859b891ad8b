#include "report/author/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "report/author/quotation.h"
#include "report/document.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/source/sentence_ends.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostWordsOfOne = 45;

/// Whether a sentence names what was not done: by the words of someone who chose, or a comparison of what is done on
/// purpose with what could be.
bool names_alternative(std::string_view sentence) {
  static constexpr std::string_view kNamed[] = {"alternative",     "another option", "other option",    "we could",
                                                "we considered",   "was considered", "we decided",      "we chose",
                                                "follow-up could", "followup could", "follow-up would", "only option",
                                                "we cannot avoid"};
  static constexpr std::string_view kCompared[] = {" rather than ", " instead of ", " as opposed to "};
  static constexpr std::string_view kMeant[] = {"deliberate", "intentional", "on purpose", "by design",
                                                "purposely",  "we prefer",   "preferred",  "chosen"};
  const std::string lower = to_lower(sentence);
  const auto has = [&](std::string_view word) { return contains(lower, word); };
  return std::any_of(std::begin(kNamed), std::end(kNamed), has) ||
         (std::any_of(std::begin(kCompared), std::end(kCompared), has) &&
          std::any_of(std::begin(kMeant), std::end(kMeant), has));
}

/// The alternatives of the sections, each item or paragraph one; of sentences that the change writes. `source`: marked,
/// what says it; `path`: the file, where lines of it are told; one of both may be empty.
void add_sections(const std::vector<SourceSentence>& sentences, const std::string& source, const std::string& path,
                  std::vector<Saying>& out) {
  constexpr std::size_t kFewestWords = 3;
  for (std::size_t i = 0; i < sentences.size();) {
    const SourceSentence& first = sentences[i];
    std::string text;
    bool is_new = false;
    for (; i < sentences.size() && sentences[i].paragraph == first.paragraph; ++i) {
      text += (text.empty() ? "" : " ") + sentences[i].text;
      is_new = is_new || sentences[i].is_new;
    }
    if (!is_new || words_in(text) < kFewestWords) continue;
    Saying saying;
    saying.source = source;
    if (!path.empty()) saying.source += (source.empty() ? "" : ", ") + place(path, first.first_line);
    for (const std::string& one : condensed({text}, kMostWordsOfOne, saying.is_cut))
      saying.paragraphs.push_back(own_words(one));
    const auto says = [&](const Saying& other) { return other.paragraphs == saying.paragraphs; };
    if (!saying.paragraphs.empty() && std::none_of(out.begin(), out.end(), says)) out.push_back(std::move(saying));
  }
}

void add_message(const DocumentInputs& inputs, std::vector<Saying>& out) {
  const auto add = [&](std::string_view text, const std::string& source) {
    std::vector<TextLine> lines;
    for (const std::string_view line : split_lines(text)) lines.push_back({0, line});
    std::vector<SourceSentence> sentences =
        sentences_of(*inputs.change, {}, {}, alternatives_among(std::move(lines)), TextKind::kDocument);
    for (SourceSentence& one : sentences) one.is_new = true;
    add_sections(sentences, source, {}, out);
  };
  if (!inputs.body.empty())
    return add(inputs.body, inputs.is_pull_request ? "the pull request\u2019s description" : "the commit message");
  for (const repo::CommitInfo& commit : inputs.commits)
    add(commit.body, inputs.commits.size() > 1 ? "the commit messages" : "the commit message");
}

void add_docstrings(const DocumentInputs& inputs, const Story& story, std::vector<Saying>& out) {
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    const bool documented =
        entity.kind == change::EntityKind::kModule || entity.kind == change::EntityKind::kClass || actor.is_function();
    if (!documented || actor.role == Role::kTest) continue;
    const std::string name = code(short_name(inputs, entity));
    const program::ModuleId now = entity.after ? inputs.after->find_path(entity.after->path) : program::ModuleId();
    if (!now.valid()) continue;
    const SourceText& source = inputs.after->modules()[now].facts->source();
    add_sections(sentences_of(*inputs.change, entity.after->path, old_text_of(inputs, entity),
                              alternatives_in_docstring(entity.after->node, source), TextKind::kDocstring),
                 "the docstring of " + name, entity.after->path, out);
    const program::ModuleId was = entity.before ? inputs.before->find_path(entity.before->path) : program::ModuleId();
    if (!was.valid()) continue;
    const std::vector<TextLine> lines =
        alternatives_in_docstring(entity.before->node, inputs.before->modules()[was].facts->source());
    if (lines.empty()) continue;
    const std::string text = squeezed(source.bytes());
    std::vector<SourceSentence> sentences = sentences_of(*inputs.change, {}, {}, lines, TextKind::kDocstring);
    for (SourceSentence& one : sentences) one.is_new = !contains(text, squeezed(one.text));
    add_sections(sentences, fmt::format("the docstring of {} before the change, which no longer says it", name), {},
                 out);
  }
}

void add_comments(const DocumentInputs& inputs, std::vector<Saying>& out) {
  const std::string removed = removed_text(*inputs.change);
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->path();
    const program::ModuleId module = inputs.after->find_path(path);
    if (!file.is_python || !module.valid() || program::is_test_path(path)) continue;
    for (std::vector<TextLine>& block : added_comment_blocks(file, *inputs.after->modules()[module].facts->file)) {
      const std::vector<TextLine> lines = alternatives_among(std::move(block));
      add_sections(sentences_of(*inputs.change, path, removed, lines, TextKind::kComment), {}, path, out);
    }
  }
}

void add_sentences(const std::vector<Saying>& sayings, std::vector<Saying>& out) {
  constexpr std::size_t kLongest = 300;
  for (const Saying& saying : sayings) {
    for (const std::string& paragraph : saying.paragraphs) {
      // The sentence that says it, not the whole paragraph.
      const std::string shown = with_backquotes(paragraph);
      for (std::size_t at = 0; at < shown.size();) {
        const std::size_t end = sentence_end(shown, at);
        const std::string sentence(trim(std::string_view(shown).substr(at, end - at)));
        if (names_alternative(sentence)) out.push_back({saying.source, {own_words(sentence.substr(0, kLongest))}});
        at = end + 1;
      }
    }
  }
}

}  // namespace

std::vector<Saying> alternatives_in_words(const DocumentInputs& inputs, const Story& story, const OwnWords& words,
                                          std::size_t most) {
  std::vector<Saying> out;
  add_message(inputs, out);
  add_docstrings(inputs, story, out);
  add_comments(inputs, out);
  add_sentences(words.sayings, out);
  add_sentences(words.comments, out);
  add_sentences(words.remarks, out);
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace lockstep::report
