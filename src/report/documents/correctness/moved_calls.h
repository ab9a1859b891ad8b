// A call that one function gives up and another one makes, of which one calls the other: it runs in other cases then,
// however little the call itself differs.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// One item each, at most two. Up to a caller: "`log`, which `collect` called, is called by `step` itself now
/// (`a.py:9`), which calls `collect` only where `x` is set". Down to a callee: "…, and so do … that call it, too".
/// Nothing where the call runs in the same cases as before.
std::vector<std::string> moved_call_items(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
