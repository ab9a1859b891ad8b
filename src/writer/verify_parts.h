// What the parts of verification share. Private to this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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
/// Ends like a file that repositories have (".py", ".md", …).
bool has_file_ending(std::string_view path);
/// Says that it speaks of the old side: "before", "removed", "no longer", ….
bool speaks_of_old_side(std::string_view text);
/// "pkg.mod.name" or "name", perhaps with "()" behind.
bool is_dotted_name(std::string_view text);
/// Words that documents use in code of their own: Python's keywords and the like.
bool is_document_word(std::string_view word);
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

  // verify_quotes.cpp: fenced blocks, tables, and lines that go with headings
  void check_fence(const Fence& fence);
  void check_quote(const Fence& fence, const CitedPlace& place);
  void check_quoted_line(std::uint32_t line, std::string_view shown, const CitedPlace& place, const CitedFile& file,
                         std::size_t& at);
  void check_file_list(const Fence& fence);
  void check_labels(const Fence& fence);
  void check_symbols_at(const Section& section);
  void check_symbol_at(std::uint32_t line, std::string_view symbol, const CitedPlace& place, std::string_view context);
  void check_comment_lines(const Section& section);
  void check_line_notes(const Section& section);

  const CitedSides& sides_;
  Verification result_;
};

}  // namespace lockstep::writer
