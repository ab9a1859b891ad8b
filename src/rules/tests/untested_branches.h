// New branches of functions that no test gets to, or is aimed at: a part of missing-test, which says what is left out.
#pragma once

#include <vector>

#include "rules/rule.h"
#include "rules/tests/tests_of_program.h"

namespace lockstep::rules {

/// A change that touches no test and gives a function a new branch, where no test gets to the function: one finding, at
/// the first of them. `modified`: functions that the change edits.
void report_branches(const RuleContext& context, std::string_view rule, const Tests& tests,
                     const std::vector<const change::EntityChange*>& modified, std::vector<Finding>& findings);

}  // namespace lockstep::rules
