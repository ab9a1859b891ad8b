// Which repository or folder a path belongs to. Private to this room.
#pragma once

#include <string>

#include "base/result.h"

namespace lockstep::repo {

enum class PlaceKind { worktree, bare, plain };

struct Place {
  PlaceKind kind = PlaceKind::plain;
  std::string folder;  ///< Absolute, symbolic links resolved, no trailing '/' (but for "/").
};

/// See Repository::open. Error: `path` does not exist.
Result<Place> discover(const std::string& path);

}  // namespace lockstep::repo
