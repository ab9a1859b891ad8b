// Lockstep's report and a model -> a review by both: the model judges our findings (its reason shown; what is proven
// keeps its weight) and proposes its own. A proposal is printed only if its place and its quoted line exist in what the
// change touches, all that it says holds, and a second request that tries to refute it cannot. It is marked as the
// model's and is never P0: that takes a fact.
#pragma once

#include "report/report.h"
#include "report/summary.h"
#include "writer/author/author.h"

namespace lockstep::writer {

/// `summary` is the review's first section (report/summary.h).
report::Document review_document(const report::Report& report, report::Summary summary, const AuthorInputs& inputs);

/// What proposals of a model are called where a finding names its rule.
inline constexpr std::string_view kProposalRule = "proposed-by-model";

}  // namespace lockstep::writer
