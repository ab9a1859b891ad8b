// What the change's new tests say was wrong before, or what they guard against: "An unrewarded episode used to crash
// the sampler." Nobody says plainer what a mend is for.
#pragma once

#include <cstddef>
#include <vector>

#include "report/author/why.h"

namespace lockstep::report {

/// Of the docstrings and of all comments of tests, and of their helpers, that the change adds or edits, the new
/// sentences that say what was so before it (says_what_was) or what must not be again ("Guards …"), with the one that
/// each leans on; at most `most`, each function once, in the order of the actors.
std::vector<Saying> past_faults_in_tests(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
