// Which scripts of shells and configuration files of the repository give a command-line argument: whose runs take what
// it switches on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/source/configuration_files.h"

namespace lockstep::report {

class GivenInFiles {
 public:
  /// `files`: of the version after the change, as `program`; may be null. Read when asked for the first time.
  GivenInFiles(const repo::Snapshot* files, const program::Program& program) : files_(files), program_(program) {}

  /// "`--x` is given in `a.sh` and 3 more scripts and configurations, and in 2 of tests", under whatever spelling of
  /// it, as marked text without a full stop; that none names it, where none does, with the pages of documentation that
  /// give it. Empty without files, or where there are no such files at all.
  std::string words(std::string_view argument);

 private:
  const repo::Snapshot* files_;
  const program::Program& program_;
  std::optional<std::vector<ConfigurationFile>> of_tests_;
  std::optional<std::vector<ConfigurationFile>> others_;
  std::optional<std::vector<ConfigurationFile>> pages_;
};

}  // namespace lockstep::report
