// State of a change (state.h) -> sentences: who else sets and reads what it sets and reads. Private to this folder.
#pragma once

#include <optional>
#include <vector>

#include "writer/pack/pieces.h"
#include "writer/pack/state.h"

namespace lockstep::writer {

Piece state_piece(const report::DocumentInputs& inputs, const std::vector<StateName>& state);
/// Names of their module that new lines use and that have several bindings or come from an optional import; nullopt
/// where there are none (bindings_piece.cpp).
std::optional<Piece> bindings_piece(const report::DocumentInputs& inputs, const report::Story& story);

}  // namespace lockstep::writer
