// The change -> section 1 of the review: what it does, why (in its own words), how, what tests reach it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/inputs.h"
#include "report/review/compared.h"
#include "report/story/story.h"

namespace lockstep::report {

struct Summary {
  Document document;  ///< The title of the review and the blocks of its summary.
  /// The blocks of it that tell how the change works, step by step, and why where only comments say so: [begin, end).
  std::size_t how_begin = 0;
  std::size_t how_end = 0;
  std::vector<std::string> questions;  ///< Marked text: what the change leaves open and only its author can answer.
  std::optional<Compared> compared;    ///< For the verdict; none where it is not to say what was read.
};

Summary write_summary(const DocumentInputs& inputs);
/// The same of a story that is found already, with the same inputs but for the findings.
Summary write_summary(const DocumentInputs& inputs, const Story& story);
/// A summary as one document, the questions at its end.
Document with_questions(Summary summary);
Document write_summary_with_questions(const DocumentInputs& inputs);

}  // namespace lockstep::report
