// What of a change is in use: new definitions that no code outside tests names yet, and functions whose last call the
// change takes out. By names, in Python code, so that a table, a registry or a callback counts as a use.
//
// Left out: names that are put together at run time, and configuration files.
#pragma once

#include "report/story/story.h"

namespace lockstep::report {

/// Fills Actor::is_unnamed and loses_last_call, and Story::last_calls.
void find_use(const DocumentInputs& inputs, Story& story);

}  // namespace lockstep::report
