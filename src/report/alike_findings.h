// Findings of one rule on the same lines that say the same of several names -> one finding that names them all.
#pragma once

#include <vector>

#include "rules/finding.h"

namespace lockstep::report {

/// Joins findings of one rule, severity and certainty, of the same lines and with the same reason, whose messages
/// differ in one name alone: the first stays, and says of which other names the same holds. Those with a suggestion
/// stay apart, for each is taken by itself.
void join_alike(std::vector<rules::Finding>& findings);

}  // namespace lockstep::report
