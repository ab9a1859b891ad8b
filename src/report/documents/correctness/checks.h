// What a change refuses that it took before, and takes that it refused before: checks of configurations and arguments
// that come and go. Checks that only stand elsewhere now, or have another form, are neither.
#pragma once

#include <string>
#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Adds one risk of compatibility for each such check, at most three of each kind.
void add_checks(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

/// What a change makes possible by taking checks out whose message says that it was not supported: one item a check, at
/// most two.
std::vector<std::string> lifted_refusals(const DocumentInputs& inputs, const Story& story);

/// Whether a check of code that was there comes, goes or changes, outside tests.
bool changes_checks(const Story& story);
/// Whether all that changes in what is refused is that assertions accept a further alternative: `a or b` where it was
/// `b`.
bool only_accepts_more(const Story& story);

}  // namespace lockstep::report
