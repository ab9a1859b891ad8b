// Files that are no Python and may say what code runs with: configurations and scripts of shells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "repo/snapshot.h"

namespace lockstep::report {

enum class FilesOf : std::uint8_t {
  kTests,
  kOthers,
  kPages,  ///< Pages of documentation, change logs apart.
};

struct ConfigurationFile {
  std::string path;
  std::string text;
};

/// Those of tests or of all else, or the pages beside tests; none where `files` is null.
std::vector<ConfigurationFile> configuration_files(const repo::Snapshot* files, FilesOf which);

}  // namespace lockstep::report
