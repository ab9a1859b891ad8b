// Which folders hold generated or fetched files rather than the project's own. Private to this room; the way in is
// directory_snapshot (snapshot.h).
#pragma once

#include <string_view>

namespace lockstep::repo {

/// By its name alone: a version-control folder, cache, virtual environment or build folder.
bool is_generated_folder(std::string_view raw_path);
/// Whether any folder above the file is one.
bool is_in_generated_folder(std::string_view raw_path);

}  // namespace lockstep::repo
