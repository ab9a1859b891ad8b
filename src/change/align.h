// The code of one entity on both sides → what control flow differs, and which statements and conditions are left
// without an equal on the other side. Order does not matter to what is matched, so the result mirrors when the sides
// swap.
#pragma once

#include <array>
#include <vector>

#include "change/change.h"
#include "change/names.h"

namespace lockstep::change {

/// The code that belongs to one entity alone, on one side.
struct OwnCode {
  CodeContext context;
  python::Seq<python::Stmt> body;
  /// Statements that are entities of their own (variables, fields); nested functions and classes always are.
  const std::unordered_set<const python::Node*>* entity_statements = nullptr;
};

/// Code with no equal on the other side: a simple statement, or the header of an arm (a condition, items of a `with`).
struct Piece {
  const python::Node* node = nullptr;
  bool is_header = false;
  bool explained = false;  ///< A difference already says it.
};

struct Alignment {
  std::vector<Difference> differences;       ///< Branches, loops, conditions.
  std::array<std::vector<Piece>, 2> pieces;  ///< Before, after; in the order of the source.
  /// Statements that are equal but in another order or another block; first such place on each side, null where none.
  std::array<const python::Node*, 2> reordered{};
};

Alignment align(const OwnCode& before, const OwnCode& after);

}  // namespace lockstep::change
