// Tests of what autograd runs: a forward pass alone never comes to the `backward` of an autograd function.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Of tests that lead to `target`, the `backward` of a function of autograd, leaves those that ask for a backward pass
/// (`.backward()`, `autograd.grad`, `gradcheck`, a training step), themselves or in a function of their file that they
/// name; all where none does, since a helper elsewhere may. Other targets: all.
void prefer_backward_passes(const program::Program& program, program::FunctionId target, std::vector<TestReach>& tests);

}  // namespace lockstep::report
