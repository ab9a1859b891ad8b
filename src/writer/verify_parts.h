// What the parts of verification share. Private to this room.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/cited_document.h"
#include "writer/cited_sides.h"
#include "writer/verify.h"

namespace lockstep::writer {

/// "path:first-last"; lines from 1 as written.
struct CitedPlace {
  std::string path;
  std::uint32_t first = 0;
  std::uint32_t last = 0;  ///< 0: only one line is named.
};

/// The whole text as a place.
std::optional<CitedPlace> place_of_text(std::string_view text);
/// Places in running text.
std::vector<CitedPlace> places_in(std::string_view text);
/// Places whose lines are told in words: "`a.py`, line 3", "lines 3-5 of a.py".
std::vector<CitedPlace> worded_places(std::string_view raw);
/// Places of a line with its markup, in whichever way: `a.py:3`, a.py:3, and in words.
std::vector<CitedPlace> named_places(std::string_view raw);
/// Targets of Markdown links: "[x](a.py#L3-L5)"; first 0: a file of code alone.
std::vector<CitedPlace> linked_places(std::string_view raw);
/// Says that what it shows is not there: "should", "instead", "for example", ….
bool speaks_of_proposal(std::string_view text);
/// Ends like a file that repositories have (".py", ".md", …).
bool has_file_ending(std::string_view path);
/// The place of the span is where something moved from.
bool is_origin(const CodeSpan& span);
/// Says that it speaks of the old side: "before", "removed", "no longer", ….
bool speaks_of_old_side(std::string_view text);
namespace internal {
struct Sentence;
}
/// "pkg.mod.name" or "name", perhaps with "()" behind.
bool is_dotted_name(std::string_view text);
/// Words that documents use in code of their own: Python's keywords and the like.
bool is_document_word(std::string_view word);
/// `text` is one of `all`.
bool is_any_of(std::string_view text, const auto& all) { return std::find(all.begin(), all.end(), text) != all.end(); }
/// "…" or "..." stands somewhere.
bool has_ellipsis(std::string_view text);

/// One document held against both sides.
class Verifier {
 public:
  explicit Verifier(const CitedSides& sides) : sides_(sides) {}

  Verification run(const std::vector<Section>& sections);

 private:
  void add(std::string_view kind, std::uint32_t line, std::string text, std::string reason, std::string nearest = {});
  /// Sides in which to look for a file, the likelier first; only those that have it.
  [[nodiscard]] std::vector<CitedSide> sides_with(std::string_view path, std::string_view context) const;

  // verify.cpp: places and names
  void check_span(const CodeSpan& span);
  void check_place(std::uint32_t line, const CitedPlace& place, std::string_view context);
  void check_path(std::uint32_t line, std::string_view text, std::string_view context);
  void check_option(std::uint32_t line, std::string_view text);
  void check_symbol(std::uint32_t line, std::string_view text);
  [[nodiscard]] bool is_qualified(const std::vector<std::string_view>& parts) const;
  void check_words(std::uint32_t line, std::string_view text, std::string_view kind);
  void check_plain_places(const TextLine& line);

  // verify_places.cpp: paths and places without code marks
  void check_plain_paths(const TextLine& line, std::string_view text);
  void check_links(const TextLine& line);

  // verify_inline.cpp: code quoted in a sentence, signatures
  void check_inline_quotes(const TextLine& line);
  void check_inline_quote(std::uint32_t line, std::string_view code, const CitedPlace& place);
  void check_signature(const CodeSpan& span, std::string_view text);

  // What sentences say of names, see sentence_parts.h.
  void check_sentences(const Section& section);
  // verify_beside.cpp: names beside places
  void check_beside(const std::vector<internal::Sentence>& sentences, const Section& section);
  void check_lines_beside(const internal::Sentence& sentence, std::size_t at, const std::string& name,
                          const CitedPlace& lines, const Section& section);
  void check_name_beside(const internal::Sentence& sentence, std::size_t at, const std::string& name,
                         const CitedPlace& place, bool is_beginning, bool is_old);
  // verify_relations.cpp: calls, base classes, chains of calls
  /// `is_of_now`: nothing around the sentence says that it speaks of the old side.
  void check_relations(const internal::Sentence& sentence, bool is_of_now);
  void check_chains(const internal::Sentence& sentence);
  // verify_values.cpp: values; `whole` still has the places that `sentence` has not
  void check_defaults(const internal::Sentence& sentence, const internal::Sentence& whole);
  void check_constants(const internal::Sentence& sentence);
  // verify_counts.cpp: how many there are of something
  void check_counts(const internal::Sentence& sentence);
  void check_call_counts(const internal::Sentence& sentence, std::size_t at, const std::string& name);
  void check_line_counts(const internal::Sentence& sentence);
  void check_row_counts(const internal::Sentence& file, const internal::Sentence& counts);
  void check_lists(const internal::Sentence& sentence);

  // verify_fences.cpp: fenced blocks against the place that they belong to
  void check_fence(const Fence& fence, const Section& section);
  void check_quote(const Fence& fence, const CitedPlace& place, std::string_view context);
  void check_quoted_line(std::uint32_t line, std::string_view shown, const CitedPlace& place, const CitedFile& file,
                         std::size_t& at);
  void check_loose_quote(const Fence& fence, const std::vector<CitedPlace>& places, const Section& section);
  void check_numbered_quote(const Fence& fence, const std::vector<CitedPlace>& places);
  void note_unheld(const Fence& fence, const Section& section);
  /// Both sides of all files that the places may mean.
  [[nodiscard]] std::vector<const CitedFile*> files_of(const std::vector<CitedPlace>& places) const;
  [[nodiscard]] bool stands_in_any(std::string_view shown, const std::vector<const CitedFile*>& files);

  // verify_quotes.cpp: lists of files, diagrams, tables, and lines that go with headings
  void check_file_list(const Fence& fence);
  void check_labels(const Fence& fence);
  void check_symbols_at(const Section& section);
  void check_origins(const Section& section);
  void check_symbol_at(std::uint32_t line, std::string_view symbol, const CitedPlace& place, std::string_view context);
  void check_comment_lines(const Section& section);
  void check_line_notes(const Section& section);

  const CitedSides& sides_;
  Verification result_;
  /// The last line that names another commit of the repository, and which.
  std::optional<std::pair<std::uint32_t, std::string>> commit_;
  std::size_t searches_ = 0;  // of whole files, which are slow and therefore counted
};

}  // namespace lockstep::writer
