// The JSON of a review (`review --format github`) -> comments and a body that may be posted. The file may come from a
// job that ran next to a stranger's code, so it is believed nothing: its event is dropped, its texts and counts are
// bounded, and whether a comment stands on a line of the diff is asked of GitHub's own list of files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forge/github_client.h"

namespace lockstep::forge {

struct ReviewComment {
  std::string path;
  std::uint32_t line = 0;                   ///< From 1; the last of the range.
  std::optional<std::uint32_t> start_line;  ///< From 1; before `line`.
  std::string body;
  std::vector<std::string> fingerprints;  ///< Of its marker; the first is the comment's own.
};

struct ReviewRequest {
  std::string commit;  ///< Empty where the file names none.
  std::string body;
  std::vector<ReviewComment> comments;
};

/// Error: no JSON of a review, and what is wrong with it.
Result<ReviewRequest> parse_review_request(std::string_view json);

/// Lines of the new side that stand in one hunk: [first, last], from 1.
struct LineRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
using HunksByPath = std::map<std::string, std::vector<LineRange>, std::less<>>;

/// Hunks of GitHub's list of files (`/pulls/N/files`): their "patch", which is absent for binary and very large ones.
HunksByPath hunks_of_files(const Json& files);

/// Whether GitHub takes the comment: its range lies in one hunk.
bool is_on_diff(const ReviewComment& comment, const HunksByPath& hunks);

/// Takes the comments for which `keep` is false out of the request and appends them to its body, as far as they fit.
void move_to_body(ReviewRequest& request, const std::vector<bool>& keep);

/// Fingerprints in the markers of a comment's or summary's text, in order.
std::vector<std::string> fingerprints_in(std::string_view text);

/// The body, with the fingerprints of all that was ever posted in a marker at its end.
std::string body_with_posted(std::string_view body, const std::vector<std::string>& fingerprints);

/// The request body of a new review.
Json review_json(const ReviewRequest& request, std::string_view event);

}  // namespace lockstep::forge
