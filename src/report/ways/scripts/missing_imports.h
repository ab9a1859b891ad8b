// Imports that always run and fail: they name a module or a name that the repository's own code is to hold, and does
// not. A script that runs one cannot start.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"
#include "repo/snapshot.h"

namespace lockstep::report {

class MissingImports {
 public:
  /// `files`: those that are no Python say which modules are compiled; may be null.
  MissingImports(const program::Program& program, const repo::Snapshot* files);

  /// The dotted name that the module imports in vain, or that one does which it always loads; empty where all that
  /// always runs may be found.
  [[nodiscard]] const std::string& of(program::ModuleId module) const { return missing_[module.index()]; }

 private:
  std::vector<std::string> missing_;  ///< By module.
};

}  // namespace lockstep::report
