// What tests put in place of other code: what passes with a stand-in may fail with what it stands for.
#pragma once

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Fills Story::stand_ins, after find_tests(): of the first test of the change that surely leads to each central entity,
/// the names that it, its fixtures and helpers replace, and classes among them that are called mocks, fakes or stubs.
void find_stand_ins(const DocumentInputs& inputs, Story& story);

}  // namespace lockstep::report
