// A method that a change adds to a class and to classes below it, and through which code goes that did the same itself
// before: who derives from the class decides now what it does.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// One item each, at most two: "New hook `m`: `A.f` calls `self.m` now where it called `self.x`. Objects of `B`
/// (`b.py:3`) run their own, others `A.m` (`a.py:9`)."
std::vector<std::string> new_hook_items(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
