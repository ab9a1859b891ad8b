// A local that the question of a changed branch reads and that the change leaves alone: what it was worked out from.
#pragma once

#include <cstddef>

#include "report/story/steps/intermediates.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "`is_last` being `rank == size - 1 and not skipped`" of the new or changed branch at `index` of the after side: the
/// first local that its condition reads and that gets a value once, by an unchanged step before it that asks a question
/// (a comparison, `and`, `or`, `not`). Nothing for other steps, and where the value is long.
LocalValue asked_local_at(const Actor& actor, std::size_t index);

}  // namespace lockstep::report
