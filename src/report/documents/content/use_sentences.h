// What of a change is in use (story/calls/use.h), in sentences.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "No Python code outside tests uses the new `A` and `B` yet." and "The change takes out the last call of `f`: …";
/// what of its variables and attributes is not read, and which new functions have the code of others; empty where
/// nothing of that is so.
std::vector<std::string> use_sentences(const DocumentInputs& inputs, const Story& story);

/// The same of one actor, for where its way is told: empty where it is in use, or where that is not known.
std::string use_of_actor(const DocumentInputs& inputs, const Story& story, const Actor& actor);

}  // namespace lockstep::report
