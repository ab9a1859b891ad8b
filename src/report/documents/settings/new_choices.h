// Settings that were there before and take another choice now, or one no longer; and those that took any text.
#pragma once

#include <string>
#include <vector>

#include "report/documents/risks.h"
#include "report/story/story.h"

namespace lockstep::report {

/// One item a setting of which the choices that are written out change (`choices=[…]` of an argument, `Literal[…]` of a
/// field), with the changed functions that ask for a new one. In the order of the settings' names; at most three.
std::vector<std::string> new_choice_items(const DocumentInputs& inputs, const Story& story);

/// A risk for each setting that took any text, and is declared to take one of a few now: at most three.
void add_closed_settings(const DocumentInputs& inputs, std::vector<Risk>& risks);

}  // namespace lockstep::report
