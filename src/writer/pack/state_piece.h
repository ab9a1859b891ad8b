// State of a change (state.h) -> sentences: who else sets and reads what it sets and reads. Private to this folder.
#pragma once

#include <vector>

#include "writer/pack/pieces.h"
#include "writer/pack/state.h"

namespace lockstep::writer {

Piece state_piece(const report::DocumentInputs& inputs, const std::vector<StateName>& state);

}  // namespace lockstep::writer
