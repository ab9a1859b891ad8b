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

/// "torch.distributed.tensor.Partial": what a module that had, or imported, the removed definition of its top level
/// imports under the same name now, from another package; empty where none does.
std::string imported_instead(const DocumentInputs& inputs, const change::EntityChange& removed);

/// The same the other way: what stood under the name of a new definition of its top level, imported from another
/// package, where modules take the new one now.
std::string imported_before(const DocumentInputs& inputs, const change::EntityChange& added);

/// Whether the change does nothing but remove definitions of which no Python code of the repository, tests included,
/// has the name any more. The number of them; 0 for other changes.
std::size_t only_removed(const DocumentInputs& inputs, const std::vector<Actor>& actors);

}  // namespace lockstep::report
