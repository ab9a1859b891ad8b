// Names that a change takes away: whom that breaks, outside the repository and in it.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Whether no part of the entity's name is private.
bool is_public(const change::EntityChange& entity);
/// Marked names of modules outside tests, examples and tools whose files the change deletes, and that no other file
/// takes the place of.
std::vector<std::string> removed_modules(const DocumentInputs& inputs);
/// The same by the name that it had: who calls it by that name can be outside. True for what is new.
bool was_public(const change::EntityChange& entity);
/// One risk for all public names that are gone, with the code of the repository that still uses them.
void add_removed_names(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
