// The entities of two sides → which is which: by name within the same file, then unchanged code that moved or was
// renamed, then similar code. Symmetric: swapping the sides gives the same pairs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "change/entities.h"

namespace lockstep::change {

/// An entity as (index of its file among FileEntities, index in FileEntities::all).
struct EntityRef {
  std::uint32_t file = 0;
  std::uint32_t index = 0;
  friend auto operator<=>(const EntityRef&, const EntityRef&) = default;
};

struct Matching {
  std::vector<std::pair<EntityRef, EntityRef>> pairs;  ///< Before, after; sorted.
  std::vector<EntityRef> removed, added;               ///< Sorted.
};

/// `same_file[i]` pairs a file of `before` with one of `after` (same path, or renamed).
Matching match_entities(const std::vector<FileEntities>& before, const std::vector<FileEntities>& after,
                        const std::vector<std::pair<std::uint32_t, std::uint32_t>>& same_file);

}  // namespace lockstep::change
