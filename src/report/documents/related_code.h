// Section 7.3 of the deep dive: code outside the diff that has to do with what carries the change.
#pragma once

#include <string>
#include <vector>

#include "report/documents/dive_parts.h"

namespace lockstep::report {

/// Marked items: what calls the functions that carry the change, what they call, what overrides them, and tests that
/// surely lead to them; not what changes itself. At most as many as the dive has room for.
std::vector<std::string> related_pointers(const DiveInputs& dive);

/// The same where there are none of these: classes that inherit a changed method, tests that make objects of its class
/// or of one of these, tests from which calls may lead there; without these what calls another function of a changed
/// file.
std::vector<std::string> looser_pointers(const DiveInputs& dive);

}  // namespace lockstep::report
