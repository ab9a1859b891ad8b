// Files that are no Python and may say what code runs with: configurations and scripts of shells.
#pragma once

#include <string>
#include <vector>

#include "repo/snapshot.h"

namespace lockstep::report {

enum class FilesOf : bool { kTests, kOthers };

/// Their texts, of tests or of all else; none where `files` is null.
std::vector<std::string> configuration_texts(const repo::Snapshot* files, FilesOf which);

}  // namespace lockstep::report
