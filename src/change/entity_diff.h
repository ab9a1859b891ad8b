// Two sides of one entity → the list of what differs between them.
#pragma once

#include <utility>
#include <vector>

#include "change/entities.h"

namespace lockstep::change {

/// Children of a matched pair that are matched with each other, as indices in the two FileEntities::all; by before
/// index.
using ChildPairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Sorted by kind, then line. Empty where the two are the same in all that belongs to themselves.
std::vector<Difference> compare_entities(const FileEntities& before_file, const Entity& before,
                                         const FileEntities& after_file, const Entity& after,
                                         const ChildPairs& children);

}  // namespace lockstep::change
