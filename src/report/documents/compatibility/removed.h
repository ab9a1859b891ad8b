// Names that a change takes away: whom that breaks, outside the repository and in it.
#pragma once

#include <string>
#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Whether no part of the entity's name is private.
bool is_public(const change::EntityChange& entity);
/// Marked names of modules outside tests, examples and tools whose files the change deletes, and that no other file
/// takes the place of.
std::vector<std::string> removed_modules(const DocumentInputs& inputs);
/// A module outside tests, examples and tools whose file the change moves, and that nothing is called like any more.
struct MovedModule {
  std::string old_name, new_name;  ///< Dotted.
  std::string old_path, new_path;  ///< Of its file.
};
std::vector<MovedModule> moved_modules(const DocumentInputs& inputs);
/// "4 modules move from `a/` to `a/b/` (`x.py`, `y.py` and 2 more)" for each pair of folders, the largest first; of
/// single files nothing is said.
std::vector<std::string> moved_module_items(const DocumentInputs& inputs);
/// The same by the name that it had: who calls it by that name can be outside. True for what is new.
bool was_public(const change::EntityChange& entity);
/// One risk for all public names that are gone, with the code of the repository that still uses them; of those that
/// moved to another module and that a package around the old one exports as before one a package.
void add_removed_names(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
