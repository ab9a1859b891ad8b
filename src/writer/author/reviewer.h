// Lockstep's report and a model -> a review by both: the model judges our findings (its reason shown; what is proven
// keeps its weight) and proposes its own. A proposal is printed only if its place and its quoted line exist in what the
// change touches, all that it says holds, and a second request that tries to refute it cannot. It is marked as the
// model's, and P0 only where the code bears a fact behind it (blocking_fact.h).
#pragma once

#include "render/findings.h"
#include "report/report.h"
#include "report/review/summary.h"
#include "writer/author/author.h"

namespace lockstep::writer {

/// A review by both, before it has a format.
struct ModelReview {
  report::Report report;     ///< Our findings as the model left them, and its proposals that survived; ranked.
  report::Summary summary;   ///< Of the review, with the model's prose first.
  report::Document closing;  ///< What was checked, dropped and left unchecked.
  render::ModelPart part;    ///< The same for machines, with what the model said of each finding.
};

/// `summary` is the review's first section (report/review/summary.h).
ModelReview review_with_model(const report::Report& report, report::Summary summary, const AuthorInputs& inputs);

/// As one document.
report::Document review_document(ModelReview review);

}  // namespace lockstep::writer
