// Sentences of a document as what holds them reads them: code spans and the words between, names in them, and words
// that turn what a sentence says around. Private to the writer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "writer/cited_document.h"
#include "writer/cited_sides.h"
#include "writer/verify_parts.h"

namespace lockstep::writer::internal {

/// Code spans of a sentence, and the text between each and the next.
struct Spans {
  std::vector<std::string> code;
  std::vector<std::string> text;  ///< text[i] stands before code[i]; one more than code.
};
Spans spans_of(std::string_view sentence);

/// A sentence, an item of a list or a cell of a table.
struct Sentence {
  Spans spans;
  std::string raw;                   ///< As it is written, on one line.
  std::vector<std::uint32_t> lines;  ///< Of each text, where it begins: one more than code. Of the document, from 0.
  bool starts_cell = false;          ///< The next cell of the same row goes on where this one ends.
  bool is_cell = false;
};
/// The sentences of a section's running text and of its heading, whatever lines they stand on; quotes ("> …") left out.
std::vector<Sentence> sentences_of(const Section& section);
/// Without "(`a.py:3`)", "(new, `a.py:3`)" behind a name: the place as text is gone with its brackets.
Sentence without_places(const Sentence& sentence);
/// All its words, without its code.
std::string words_of(const Spans& spans);

/// What a sentence says of two names.
enum class Relation : std::uint8_t { kNone, kCalls, kCalledBy, kCallsNot, kDerives, kOverrides, kIssues };
/// What the words between two names say of them; kNone where other words stand between, too.
Relation relation_in(std::string_view between);

/// One pair of names that a sentence relates: "`f` calls `g`" -> {kCalls, "f", "g"}, also of "`g` is called by `f`".
struct RelatedNames {
  Relation relation = Relation::kNone;
  std::string first, second;
  std::string written;       ///< "`g` is called by `f`"
  std::size_t at = 0;        ///< Which span stands second.
  bool is_indirect = false;  ///< "through", "via", "in the end".
};
std::vector<RelatedNames> related_names(const Spans& spans);

/// 3 of "3" and "three"; nullopt for other words.
std::optional<std::size_t> count_in(std::string_view word);

/// "f", "C.f", "f()", "f(x)" -> "f", "C.f"; empty where it is no name.
inline std::string name_in(std::string_view span) {
  span = span.substr(0, span.find('('));
  return is_dotted_name(span) ? std::string(span) : std::string();
}

inline std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }
/// "C" of "C.m"; empty where there is no dot.
inline std::string_view owner_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

/// True for a qualified name that is `name`, or ends in it after a dot.
inline bool ends_with_name(std::string_view qualified, std::string_view name) {
  return qualified == name || (qualified.size() > name.size() && qualified.ends_with(name) &&
                               qualified[qualified.size() - name.size() - 1] == '.');
}

/// A sentence with one of these says that something is not so, or only might be.
constexpr std::string_view kDenials[] = {"no",      "not", "never",  "nothing", "none",  "without",
                                         "neither", "nor", "cannot", "would",   "could", "might",
                                         "unless",  "if",  "stops",  "longer"};
/// True if the text has one of the words, in whichever case.
template <std::size_t kCount>
bool has_any_word(std::string_view text, const std::string_view (&words)[kCount]) {
  bool found = false;
  for_each_word(text, [&](std::string_view word, std::size_t) {
    const std::string lower = to_lower(word);
    found = found || std::find(std::begin(words), std::end(words), lower) != std::end(words);
  });
  return found;
}

}  // namespace lockstep::writer::internal
