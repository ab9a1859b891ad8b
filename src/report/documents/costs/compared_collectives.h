// A collective of changed code held against what the old version issued.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "Changed", with what the collective was before where that reads otherwise.
std::string changed_words(const DocumentInputs& inputs, const mesh::CollectiveSite& site, const Step& step,
                          const Actor& actor);

/// Whether the step issued the same before, over a group that is written otherwise and may be the same: which ranks one
/// of the two spans is not known.
bool may_be_same_group(const DocumentInputs& inputs, const mesh::CollectiveSite& site, const Step& step,
                       const Actor& actor);

/// Whether the old version of the function issued the same over the same group as often: where it is given otherwise
/// now, nothing is added.
bool was_issued_as_often(const DocumentInputs& inputs, const mesh::CollectiveSite& site, const Actor& actor);

}  // namespace lockstep::report
