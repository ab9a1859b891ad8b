// One removed step of a function -> whether it is gone, or stands, is done or is asked elsewhere now, and its words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether step `index` of the before side, with all inside it, stands elsewhere now: in this function or another.
bool is_elsewhere(const std::vector<Step>& steps, std::size_t index);
/// Whether nothing of the removed step `index` of the before side, and of what it holds, is left.
bool is_gone_whole(const Actor& actor, std::size_t index);
/// Whether the removed step `index` of the before side is told for itself: nothing of it stands elsewhere or is still
/// done wherever it was, and no removed step around it is told with it.
bool is_told_as_gone(const Actor& actor, std::size_t index);

/// The added step that sets the same variable or attribute as the removed assignment `index` did, under the same
/// conditions or fewer; Step::kNone where there is none.
std::size_t replacement_of(const Actor& actor, std::size_t index);
/// What the removed step `index` did, as gone: "no longer calls `f`", "drops the branch when …"; may be empty. Of a
/// branch whose code stays at least in part: "no longer asks whether …", where nothing of it is asked any more.
std::string removal_words(const Actor& actor, std::size_t index, const WordsContext& context,
                          const WordsContext& after);

}  // namespace lockstep::report
