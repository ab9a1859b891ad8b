// Attributes that methods of a change set on `self` for the first time, and that nothing reads yet: state without a
// consumer.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "No Python code of the repository outside tests reads the new attribute `State.is_last` yet." and "… but `scope`,
/// which sets it and puts the value that was there back.". A name that any code reads off whatever object but the
/// `self` of a class that is no kin, or writes as a text, counts as read. Empty where all are read; of classes that
/// derive from a library's, whose fields are gone over at once, or that work attributes out by their names nothing is
/// said.
std::vector<std::string> unread_attributes(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
