// What was asked of an object before: a question on an attribute that some classes lack is none where the old code
// needed the same, or another one that they lack, of the same object.
#pragma once

#include <string>
#include <string_view>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Whether another function of the change called a method of this name on something but `self`, and does so fewer times
/// now: the call moved.
bool is_given_up_elsewhere(const Story& story, const Actor& actor, std::string_view name);

/// Whether code of the old version outside tests reads `name`, asking nothing first, off a variable that by the value
/// flow may hold an object of the class (one of the new version).
bool was_asked_of(const DocumentInputs& inputs, program::ClassId cls, std::string_view name);

/// Whether the old version of the function reads, asking nothing first, an attribute off `object` (its text on one
/// line) that objects of the class lack: none of it comes there.
bool needed_what_it_lacks(const DocumentInputs& inputs, const Actor& actor, program::ClassId cls,
                          const std::string& object);

}  // namespace lockstep::report
