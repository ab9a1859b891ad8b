// What a change does to imports, as the documents tell it: names that files take from other modules than before, where
// nothing else of the code changes, and the dependencies between modules that come and go.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// Of a change without changed definitions: one marked sentence for each name that files take from elsewhere, and what
/// of their other lines is layout; then, where other files change, which. Empty where no file does.
std::string told_as_imports(const DocumentInputs& inputs);
/// The sentences alone; `with_files`: in which files.
std::vector<std::string> replaced_import_items(const DocumentInputs& inputs, bool with_files);

/// What the old imports of those came to, for "what the code did before".
std::vector<std::string> previous_imports(const DocumentInputs& inputs);

/// Names that modules outside tests import now or no longer do: files of which the same is to be said stand together.
std::vector<std::string> import_items(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
