// The change → the pictures of a review's page: what stands where before and after, and how a run gets to the change.
#pragma once

#include "report/document.h"
#include "report/inputs.h"

namespace lockstep::report {

/// Diagrams with captions, no headings; empty where there is nothing to draw.
Document write_review_pictures(const DocumentInputs& inputs);

}  // namespace lockstep::report
