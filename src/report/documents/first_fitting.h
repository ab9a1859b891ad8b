// Ever shorter versions of a document -> the first that is short enough.
#pragma once

#include <cstddef>
#include <functional>

#include "report/document.h"

namespace lockstep::report {

/// The first of `count` versions that has at most `most_words`, else the last. Before one that does without a drawing
/// the one that is too long is tried without details of little use; see shortening.h. Where there are more `jobs`, the
/// versions behind one that was too long are written at once: a large change needs several.
Document first_fitting(std::size_t count, std::size_t most_words, std::size_t jobs,
                       const std::function<Document(std::size_t)>& write);

}  // namespace lockstep::report
