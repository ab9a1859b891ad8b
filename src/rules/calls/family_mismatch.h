// A part of signature-mismatch: a keyword that a change gives to one class of a family, while others of it, which the
// same call has served, do not take it.
#pragma once

#include <vector>

#include "rules/place.h"
#include "rules/rule.h"

namespace lockstep::rules {

/// Of a review (`context.before` is there; `changed`: which modules differ): methods of the same name and base that
/// reject a keyword which the change both added to a sibling's method and passes in a call that passed none before, on
/// an object whose class the code does not show. One for each method that rejects it. Likely, never proven: which class
/// comes there, a setting decides.
std::vector<Finding> find_family_misfits(const RuleContext& context, const ChangedModules& changed);

}  // namespace lockstep::rules
