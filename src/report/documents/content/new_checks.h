// What new assertions and raises of a function say in their author's words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/documents/excerpts/excerpt.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "**Checks:** insists that `a % b` is `0` (`"each shard must be inside one half"`); … and 2 more": new assertions,
/// and raises with the conditions around them, whose message is a sentence and which none of `shown` shows; of these at
/// most `most`. Left out is what a handler may catch, and what more than branches decide over. Empty for none.
std::string new_checks_item(const DocumentInputs& inputs, const Actor& actor, const std::vector<Excerpt>& shown,
                            std::size_t most);

}  // namespace lockstep::report
