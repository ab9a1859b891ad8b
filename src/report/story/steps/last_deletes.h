// `del x` right before the return: the function lets go of its locals there anyway.
#pragma once

#include <cstddef>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether step `index` of the after side is new, deletes nothing but locals that no function inside holds, and only
/// the return of something that is there already follows it.
bool lets_go_at_return(const Actor& actor, std::size_t index);

}  // namespace lockstep::report
