// A document in English -> the same in another language. Documents are made of fixed sentences around code, names,
// places and the author's quoted words; the sentences stand in a catalogue (catalogue_zh*.cpp)
// as pairs of templates, so that writers know nothing of languages. What no template matches stays English. Code,
// diagrams and quotes stay as they are.
#pragma once

#include <span>
#include <string_view>

#include "report/document.h"

namespace lockstep::report {

/// Holes of a template: "{}" one piece of code, place or quote, with what stands in brackets after it; "{l}" several of
/// them, "{n}" a number, "{g}" a group of ranks in the words of mesh/ ("group over dp and cp"), "{c}" a clause; groups
/// and clauses are translated in their turn. In `text` "{1}" is the first hole's content.
struct Sentence {
  std::string_view english;
  std::string_view text;
};

/// The sentences of Chinese documents.
std::span<const Sentence> catalogue_zh();
/// Those of them that stand in files of their own.
std::span<const Sentence> catalogue_zh_steps();
std::span<const Sentence> catalogue_zh_conditions();
std::span<const Sentence> catalogue_zh_files();
std::span<const Sentence> catalogue_zh_risks();
std::span<const Sentence> catalogue_zh_questions();
std::span<const Sentence> catalogue_zh_choices();
std::span<const Sentence> catalogue_zh_edits();

/// "zh" or "en", whichever most words of `text` are in.
std::string_view language_of(std::string_view text);

/// `language`: "en" gives the document back, "zh" translates it.
Document in_language(Document document, std::string_view language);

/// One line of text; for tests.
Inline in_language(const Inline& text, std::string_view language);

}  // namespace lockstep::report
