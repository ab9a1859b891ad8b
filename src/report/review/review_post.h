// Report + line differences -> a review as a forge takes it: comments that stand on lines of the diff, and a body with
// the rest. Leaves out the forge's own format and its limits of length (render/github_review.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "repo/diff.h"
#include "report/document.h"
#include "report/report.h"

namespace lockstep::report {

/// More than these a reader of a pull request does not want to see at once; the rest go into the body.
inline constexpr std::size_t kMostPostedComments = 30;

/// One comment. The lines are of the new side and lie within one hunk.
struct PostedComment {
  std::string path;
  std::uint32_t first_line = 0;  ///< From 0.
  std::uint32_t last_line = 0;   ///< From 0, inclusive.
  Document text;
  std::vector<std::string> fingerprints;  ///< Of the finding it is about, then of those told along with it.
};

/// An issue without a line to stand on.
struct UnplacedIssue {
  std::string heading;  ///< Marked text: its place.
  Document text;
  std::vector<std::string> fingerprints;
};

struct PostedReview {
  Document overview;                    ///< The verdict, and one line an issue.
  std::vector<PostedComment> comments;  ///< Worst first.
  std::vector<UnplacedIssue> unplaced;  ///< Worst first.
  Document summary;                     ///< What the change does.
  Document footer;
};

/// Nitpicks are left out where there is anything worse, as in the review's document.
PostedReview write_posted_review(const Report& report, const repo::SnapshotDiff& diff, Document summary);

}  // namespace lockstep::report
