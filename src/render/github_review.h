// A review to be posted -> the request body of GitHub's `POST /repos/OWNER/REPO/pulls/N/reviews`, within GitHub's
// limits. Hidden markers (HTML comments, which GitHub does not show) say whose comments they are and which findings
// they tell, so that a second run repeats nothing; forge/ reads them back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/review/review_post.h"

namespace lockstep::render {

/// GitHub refuses bodies of more than 65,536 characters.
inline constexpr std::size_t kMostBodyCharacters = 65'000;
/// Markers; of the second and third, fingerprints and " -->" follow.
inline constexpr std::string_view kSummaryMarker = "<!-- lockstep:summary -->";
inline constexpr std::string_view kFindingMarker = "<!-- lockstep:finding ";
inline constexpr std::string_view kPostedMarker = "<!-- lockstep:posted ";

/// `{"commit_id", "event": "COMMENT", "body", "comments": [{"path", "side", "line", "start_line", …, "body"}]}`;
/// without a commit (a patch) there is no "commit_id". Lines from 1.
std::string render_github_review(const report::PostedReview& review, std::string_view commit);

/// Length as GitHub counts it, at most: UTF-16 code units.
std::size_t characters_of(std::string_view text);

}  // namespace lockstep::render
