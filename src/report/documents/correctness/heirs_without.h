// Attributes that a change newly reads off objects of several classes, some of which never have them.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each attribute that a changed method newly reads and that not all objects have: of `self`, where some
/// heirs set it and others, which inherit the method, never do; and of a part of the configuration
/// (`layer.attention.x`) where calls beside an heir give it an object of a class without it
/// (`attention=Attention.Config(…)`). At most two. None where a condition around asks for the object, where the name
/// may be set in another way, and where a base is not known.
void add_heirs_without(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
