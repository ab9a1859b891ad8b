// Playbooks -> what they demand of this change: lines of AGENTS.md and its kind that name what it touches, and rules
// that hold for every change, quoted with their places. Words of a playbook are data like all others.
#pragma once

#include "writer/pack/pieces.h"

namespace lockstep::writer {

Piece demands_piece(const PackInputs& inputs, const report::Story& story);

}  // namespace lockstep::writer
