// New functions of one class or module whose docstrings end in the same words: what they all do is one thing to tell.
//   "Start gradient synchronization on overlapped modules."
//   "Free the buffers of overlapped modules." …
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// A sentence on the functions that it is about.
struct AlikeDocstrings {
  std::string text;  ///< Marked text.
  std::vector<const Actor*> actors;
};

/// Of those of `actors` of which nothing but the docstring is told, each group of three or more.
std::vector<AlikeDocstrings> alike_docstrings(const DocumentInputs& inputs, const std::vector<const Actor*>& actors);

}  // namespace lockstep::report
