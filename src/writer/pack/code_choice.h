// Pieces of code in the order of their worth, and room -> those that are shown. First as many functions as there is
// room for, each around what matters in it; then more of each as far as the rest of the room goes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "writer/pack/pieces.h"

namespace lockstep::writer {

struct CodeRoom {
  std::size_t tokens = 0;
  double most_of_piece = 0.8;                ///< A piece takes no more of what is left, unless it is small.
  std::size_t small_piece = 0;               ///< Tokens.
  std::size_t most_of_unchanged = SIZE_MAX;  ///< Tokens of a function that the change leaves as it is.
  std::size_t most_shortened = 3;            ///< The first few are worth a part where the whole is too long.
};

struct CodeChoice {
  std::vector<std::string> texts;
  std::vector<const Piece*> left_out;
};

CodeChoice choose_code(const std::vector<const Piece*>& pieces, const CodeRoom& room);

}  // namespace lockstep::writer
