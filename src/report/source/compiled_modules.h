// Modules that are built from other languages (`pkg/fast.pyx`, `cythonize("pkg/*.pyx")`): no Python file shows them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "repo/snapshot.h"

namespace lockstep::report {

class CompiledModules {
 public:
  /// `files` may be null: then only what `setup.py` says is known.
  CompiledModules(const program::Program& program, const repo::Snapshot* files);

  /// Whether a build file (`setup.py`, `CMakeLists.txt`, …) names it.
  [[nodiscard]] bool names(std::string_view name) const;
  /// Whether the dotted name may be a compiled module of the package: a file of another language has its name, or a
  /// build file builds all that is in the folder.
  [[nodiscard]] bool may_hold(const program::Module& package, std::string_view dotted) const;

 private:
  std::vector<std::string> builds_;        ///< Texts of build files.
  std::unordered_set<std::string> stems_;  ///< Names of files of other languages, without what follows the first dot.
};

}  // namespace lockstep::report
