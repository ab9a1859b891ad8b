// Comments above imports inside functions: mostly they say why something is imported there, which is no reason for the
// change, unless the import is the change, or the comment is on what is done with it below.
#pragma once

#include <cstddef>
#include <vector>

#include "report/source/source_sentences.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Whether the comment above the import at `index` of the new version may give a reason for the change: the import is
/// new there, and either nothing but imports changes in the function, or a changed step uses what it brings and the
/// comment does not speak of importing.
bool may_give_reason(const Actor& actor, std::size_t index, const std::vector<TextLine>& comment);

}  // namespace lockstep::report
