// An import that a change puts into a `try`: the module can be had without the package from now on, and what needs it
// raises only when it runs. Told once, as one thing, not as a check that each of these functions gains.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

struct OptionalImport {
  std::string package;                ///< "yaml": the first part of what is imported.
  std::vector<std::string> files;     ///< After-side paths in which it became optional, as in the diff.
  std::vector<const Actor*> raising;  ///< Functions there that newly raise ImportError where it is missing.
  std::vector<const Actor*>
      only_that;  ///< Those of them in which nothing else changes, and the new `HAVE_YAML`, `yaml`.
};

/// In the order of the diff; a package that no file of the repository is.
std::vector<OptionalImport> optional_imports(const DocumentInputs& inputs, const Story& story);

/// "`yaml` becomes an optional import of `a.py` and `b.py`, which …; `load` raises `ImportError` when it runs without
/// it."
std::string optional_words(const DocumentInputs& inputs, const OptionalImport& one);

/// Whether all that changes in the actor is told by one of them.
bool is_told_by(const std::vector<OptionalImport>& imports, const Actor& actor);

}  // namespace lockstep::report
