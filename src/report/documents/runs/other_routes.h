// Several changed functions that runs reach by other ways, each under settings of its own.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Of the central entities the one whose way is told first: `lead`, or another changed function where the steps that
/// change in the lead run only with a setting that is off by default, and those of the other with what is on.
std::size_t first_route(const DocumentInputs& inputs, const Story& story, std::size_t lead);

/// "`save`: the same way to `train`, then → `save` (`a.py:9`). What changes there runs only when `args.x` is set, which
/// is so by default." Of up to two other changed functions that neither stand on the way of central[`lead`] nor are
/// called by the same function, where their changed steps ask for a setting that the way of the lead does not.
std::vector<std::string> other_routes(const DocumentInputs& inputs, const Story& story, std::size_t lead);

}  // namespace lockstep::report
