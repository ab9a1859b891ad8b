// What differs between the two versions of a function, in pieces to be shown one by one: hunks of its own lines, and
// branches that moved and were edited, each as one piece at its new place with nothing but what differs in it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "repo/diff.h"
#include "report/story/story.h"

namespace lockstep::report {

struct Piece {
  std::vector<repo::DiffLine> lines;  ///< Numbers are of the files; "…" as context where lines are left out between.
  std::optional<std::uint32_t> moved_from;  ///< The old line, from 0, of a branch that moved.
};

/// In the order of the new version. Of the two versions of the entity, not of the files: what only stands elsewhere in
/// its file is no difference. For functions with both sides in one file.
std::vector<Piece> pieces_of(const Actor& actor);

}  // namespace lockstep::report
