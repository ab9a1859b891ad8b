// Errors that functions of a change newly raise.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// New `raise` statements of one error in one function.
struct NewErrors {
  const Actor* actor = nullptr;
  std::string_view error;          ///< "ValueError"
  std::vector<const Step*> steps;  ///< In the order of the source.
  std::size_t more = 0;            ///< How many more the function has than before; the others may only be reworded.
};

/// Of each function outside tests, examples and tools that raises an error more often than before, where the change
/// does not only move what does; without errors that only say what is not installed. By function, in the order of the
/// story.
std::vector<NewErrors> new_errors(const Story& story);

}  // namespace lockstep::report
