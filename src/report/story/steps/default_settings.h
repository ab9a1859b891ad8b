// An attribute that gets a constant first and another value in a branch behind: one fact, told once.
//   self.finds = False
//   if module is not None: self.finds = module.recomputes     ->     "sets `self.finds` to … when …, else to `False`"
#pragma once

#include <cstddef>
#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// Whether step `index` of the after side is new and gives an attribute of `self` a constant that exactly one later new
/// step replaces, in a branch behind it that was there (what a new branch does is told with it).
bool is_default_of_later(const Actor& actor, std::size_t index);

/// ", else to `False`" of that later step; empty for others.
std::string default_before_words(const Actor& actor, std::size_t index);

}  // namespace lockstep::report
