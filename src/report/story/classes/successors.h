// What takes the place of definitions that are gone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Fills Actor::successor_of of functions and methods that the change adds: where changed statements call one of them,
/// and none else, in the place of one that the change removes from the same class or module, and of none else.
void mark_successors(std::vector<Actor>& actors);

/// "torch.distributed.tensor.Partial": what a module that had, or imported, the removed class or function of its top
/// level imports under the same name now; empty where none does.
std::string imported_instead(const DocumentInputs& inputs, const change::EntityChange& removed);

/// The same the other way: what modules that have, or import, a new class or function of its top level imported under
/// its name.
std::string imported_before(const DocumentInputs& inputs, const change::EntityChange& added);

/// How many definitions the change removes, where it does nothing else to Python code and none of it, tests included,
/// has their names any more; 0 for other changes.
std::size_t only_removed(const DocumentInputs& inputs, const std::vector<Actor>& actors);

}  // namespace lockstep::report
