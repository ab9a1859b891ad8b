// The names that a change defines, hands over, calls, imports or drops, and where else they stand: one line each.
#pragma once

#include "writer/pack/names.h"
#include "writer/pack/pieces.h"

namespace lockstep::writer {

Piece names_piece(const report::DocumentInputs& inputs, const std::vector<ChangedName>& names);

}  // namespace lockstep::writer
