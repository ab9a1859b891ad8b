// Exceptions that a function caught and does not any more, or catches from now on: where a `try` around code that stays
// goes, comes, or is for other types.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// The types that a handler takes, as they are written; an empty one for a bare `except:`.
std::vector<std::string> caught_types(const python::ExceptHandler& handler, const SourceText& source);

struct CatchChange {
  bool is_gained = false;
  std::size_t handler =
      Step::kNone;  ///< The first `except` that it is about: of the before side, of a gained one the after.
  std::vector<std::string> types;   ///< As they are written.
  std::vector<std::size_t> around;  ///< Steps of the after side that it was, or is now, around.
  std::string text;                 ///< "no longer catches `ValueError`, on which it returned `0`; it reaches …".
};

/// Only what is sure: the handlers end the matter (nothing in them raises or leaves the program), and on the other side
/// nothing around the same code may take the exception.
std::vector<CatchChange> catch_changes(const Actor& actor);

}  // namespace lockstep::report
