// What tests put in place of other code: what passes with a stand-in may fail with what it stands for.
#pragma once

#include "report/story/story.h"
#include "report/tests/test_stand_ins.h"

namespace lockstep::report {

/// Fills Story::stand_ins by Story::tests: of the first test of the change that surely leads to each central entity,
/// the names that it, its fixtures and helpers replace, and classes among them that are called mocks, fakes or stubs.
void find_stand_ins(const program::Program& program, const TestStandIns& stand_ins, Story& story);

}  // namespace lockstep::report
