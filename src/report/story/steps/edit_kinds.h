// One step that the change edits -> how much it says: an argument that was off is given now; only local names differ.
#pragma once

#include "report/story/story.h"

namespace lockstep::report {

/// Whether a call gives a value for an argument for which it gave a literal `None` or `False`, or the other way round:
/// what reads the argument does otherwise.
bool switches_argument(const Actor& actor, const Step& step);

/// Whether a changed step does what it did, with a new local in place of what that local is set to.
bool only_names_value(const Actor& actor, const Step& step);

/// Whether a changed step reads a local of another name that is set to what the old one was set to anew:
/// `x = x.detach()`, `f(x)` that became `y = x.detach()`, `f(y)`.
bool only_reads_renamed(const Actor& actor, const Step& step);

/// Whether a changed step gives the value that it gave one local to another: `a = f(x)` became `b = f(x)`.
bool only_gets_other_name(const Actor& actor, const Step& step);

/// Whether a changed step differs in nothing but local variables that only its version of the function has, and `_`.
bool only_names_differ(const Actor& actor, const Step& step);

/// Whether a place of the version after the change stands in a step that the change adds or edits; of new functions all
/// does.
bool stands_in_change(const Actor& actor, Span place);

}  // namespace lockstep::report
