#include "writer/pack/code_choice.h"

#include <algorithm>

#include "render/graph_text.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kSpare = 20;        // tokens beside each piece
constexpr std::size_t kSpareOfPart = 40;  // what a shortened piece may miss its size by

std::size_t most_of(const Piece& piece, std::size_t left, const CodeRoom& room) {
  const auto share = static_cast<std::size_t>(static_cast<double>(left) * room.most_of_piece);
  const std::size_t most = std::max(share, std::min(left, room.small_piece));
  return piece.is_changed ? most : std::min(most, room.most_of_unchanged);
}

}  // namespace

CodeChoice choose_code(const std::vector<const Piece*>& pieces, const CodeRoom& room) {
  CodeChoice choice;
  std::vector<const Piece*> whole;  // beside `texts`; null where a part is shown
  std::size_t left = room.tokens, shortened_pieces = 0;
  for (const Piece* piece : pieces) {
    const std::size_t most = most_of(*piece, left, room);
    if (piece->tokens + kSpare <= most) {
      left -= piece->tokens + 1;
      choice.texts.push_back(piece->text);
      whole.push_back(piece);
      continue;
    }
    std::optional<Piece> part;
    if (shortened_pieces < room.most_shortened && most > kSpareOfPart) part = shortened(*piece, most - kSpareOfPart);
    if (!part) {
      choice.left_out.push_back(piece);
      continue;
    }
    ++shortened_pieces;
    left -= part->tokens + 1;
    choice.texts.push_back(std::move(part->text));
    whole.push_back(nullptr);
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == nullptr || whole[i]->wider.empty()) continue;
    const std::size_t more = render::estimate_tokens(whole[i]->wider) - whole[i]->tokens;
    if (more + kSpare > left) continue;
    left -= more;
    choice.texts[i] = whole[i]->wider;
  }
  return choice;
}

}  // namespace lockstep::writer
