// What one question to the model is given of all that is known of a change: facts, the diff, code around it, the lines
// of places that a text names. The pieces are made once, for all questions of a document.
#pragma once

#include <string>
#include <vector>

#include "writer/pack/pieces.h"

namespace lockstep::writer {

/// What a question is given.
struct Recipe {
  std::string own_title = "Lockstep's findings";
  std::string own_text;          ///< Shown first, below that title; may be empty.
  bool is_own_needed = false;    ///< The question is about it: it stands there whole, beside the tokens of the rest.
  std::vector<PieceKind> facts;  ///< In this order, as many as fit.
  bool with_diff = true;         ///< Without it no code is shown of which the diff has the rest.
  double least_score = 0;        ///< Of code around the change.
  /// A text whose places (path:12-14) are shown with the lines around them, those named first before the others; may
  /// be empty.
  std::string places;
};

class SectionPacks {
 public:
  SectionPacks(const PackInputs& inputs, const report::Story& story, Purpose purpose);

  /// At most about `tokens` tokens. What is left out of the diff is named in it.
  [[nodiscard]] std::string pack(const Recipe& recipe, std::size_t tokens) const;
  /// How many tokens a pack should have that gives `tokens` to facts and code: those and the diff's, up to a bound.
  [[nodiscard]] std::size_t tokens_for(std::size_t tokens) const;

 private:
  [[nodiscard]] std::size_t diff_tokens() const;
  /// Lines around the places that `text` names, of the version after the change, in at most about `tokens` tokens;
  /// those that the diff shows only if `with_changed`.
  [[nodiscard]] std::string named_lines(const std::string& text, bool with_changed, std::size_t tokens) const;

  const PackInputs& inputs_;
  std::string head_;
  Leads leads_;
  std::vector<Piece> facts_;
  std::vector<Piece> code_;
  std::vector<DiffPiece> diff_;
};

}  // namespace lockstep::writer
