#include "forge/review_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "render/github_review.h"
#include "render/markdown.h"
#include "report/review/review_post.h"

namespace lockstep::forge {

namespace {

using render::characters_of;
using render::kMostBodyCharacters;

constexpr std::size_t kMostPathBytes = 4096;
constexpr std::size_t kMostPostedFingerprints = 2000;
constexpr std::string_view kMarkerEnd = " -->";

std::uint32_t line_field(const Json& json, std::string_view key) {
  const std::uint64_t number = number_field(json, key);
  return number <= 0x7fffffffu ? static_cast<std::uint32_t>(number) : 0;
}

bool is_fingerprint(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == ':';
  });
}

// "@@ -10,7 +10,9 @@ def f():" -> lines 10 to 18; nothing for a hunk that only removes.
std::optional<LineRange> hunk_range(std::string_view header) {
  const std::size_t plus = header.find(" +");
  if (!header.starts_with("@@ -") || plus == std::string_view::npos) return std::nullopt;
  const char* end = header.data() + header.size();
  std::uint32_t start = 0, count = 1;
  const auto [after, error] = std::from_chars(header.data() + plus + 2, end, start);
  if (error != std::errc{}) return std::nullopt;
  if (after != end && *after == ',' && std::from_chars(after + 1, end, count).ec != std::errc{}) return std::nullopt;
  if (start == 0 || count == 0 || count > 0x7fffffffu - start) return std::nullopt;
  return LineRange{start, start + count - 1};
}

Result<ReviewComment> parse_comment(const Json& json) {
  ReviewComment comment;
  comment.path = text_field(json, "path");
  comment.line = line_field(json, "line");
  comment.body = render::without_mentions(text_field(json, "body"));
  if (const std::uint32_t start = line_field(json, "start_line"); start > 0 && start < comment.line)
    comment.start_line = start;
  if (comment.path.empty() || comment.path.size() > kMostPathBytes || comment.line == 0 || comment.body.empty())
    return fail("a comment of the review lacks its path, its line or its body");
  if (text_field(json, "side") == "LEFT") return fail("a comment of the review stands on the old side");
  if (characters_of(comment.body) > kMostBodyCharacters) return fail("a comment of the review is too long");
  comment.fingerprints = fingerprints_in(comment.body);
  return comment;
}

std::string without_finding_marker(std::string_view text) {
  const std::size_t at = text.find(render::kFindingMarker);
  return std::string(trim(text.substr(0, at)));
}

}  // namespace

Result<ReviewRequest> parse_review_request(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  constexpr const char* kNext = "write the file with `lockstep review CHANGE --format github -o FILE`";
  if (!json.is_object() || !json.contains("body") || !object_field(json, "comments").is_array())
    return fail("this is not the JSON of a review", kNext);
  ReviewRequest request;
  request.commit = text_field(json, "commit_id");
  // What was posted is ours to say, and nobody is to be called by a file.
  request.body = body_with_posted(render::without_mentions(text_field(json, "body")), {});
  if (!request.body.starts_with(render::kSummaryMarker)) return fail("the body of the review lacks its marker", kNext);
  if (characters_of(request.body) > kMostBodyCharacters) return fail("the body of the review is too long", kNext);
  for (const Json& one : object_field(json, "comments")) {
    Result<ReviewComment> comment = parse_comment(one);
    if (!comment) return fail(comment.error().message, kNext);
    request.comments.push_back(std::move(*comment));
    if (request.comments.size() > 1000) return fail("the review has more than 1000 comments", kNext);
  }
  std::vector<bool> keep(request.comments.size());
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = i < report::kMostPostedComments;
  move_to_body(request, keep);
  return request;
}

HunksByPath hunks_of_files(const Json& files) {
  HunksByPath hunks;
  if (!files.is_array()) return hunks;
  for (const Json& file : files) {
    const std::string path = text_field(file, "filename");
    const std::string patch = text_field(file, "patch");
    std::vector<LineRange>& ranges = hunks[path];
    // Lines of a patch start with " ", "+", "-" or "\", so "@@" opens a hunk.
    for (const std::string_view line : split(patch, '\n')) {
      if (!line.starts_with("@@")) continue;
      if (const std::optional<LineRange> range = hunk_range(line)) ranges.push_back(*range);
    }
  }
  return hunks;
}

bool is_on_diff(const ReviewComment& comment, const HunksByPath& hunks) {
  const auto found = hunks.find(comment.path);
  if (found == hunks.end()) return false;
  const std::uint32_t first = comment.start_line.value_or(comment.line);
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const LineRange& range) { return range.first <= first && comment.line <= range.last; });
}

void move_to_body(ReviewRequest& request, const std::vector<bool>& keep) {
  std::vector<ReviewComment> kept;
  std::size_t left_out = 0;
  // Room for the line that counts what did not fit.
  std::size_t room = kMostBodyCharacters - std::min(kMostBodyCharacters, characters_of(request.body) + 200);
  bool has_heading = contains(request.body, "\n#### Not on a line of the diff\n");
  std::string added;
  for (std::size_t i = 0; i < request.comments.size(); ++i) {
    ReviewComment& comment = request.comments[i];
    if (keep[i]) {
      kept.push_back(std::move(comment));
      continue;
    }
    std::string text = has_heading ? "" : "\n#### Not on a line of the diff\n";
    const std::uint32_t first = comment.start_line.value_or(comment.line);
    const std::string range =
        first == comment.line ? fmt::format("{}", first) : fmt::format("{}-{}", first, comment.line);
    text += fmt::format("\n##### {}\n\n{}\n", render::code_span(fmt::format("{}:{}", comment.path, range), false),
                        without_finding_marker(comment.body));
    const std::size_t size = characters_of(text);
    if (size > room) {
      ++left_out;
      continue;
    }
    room -= size;
    has_heading = true;
    added += text;
  }
  if (left_out > 0) added += fmt::format("\n{} more did not fit.\n", count_of(left_out, "finding"));
  request.body += added;
  request.comments = std::move(kept);
}

std::vector<std::string> fingerprints_in(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string_view marker : {render::kFindingMarker, render::kPostedMarker}) {
    // The last one: a comment's own text stands before it.
    const std::size_t at = text.rfind(marker);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = text.substr(at + marker.size());
    const std::size_t end = rest.find(kMarkerEnd);
    if (end == std::string_view::npos) continue;
    for (const std::string_view word : split(rest.substr(0, end), ' ')) {
      if (is_fingerprint(word) && found.size() < kMostPostedFingerprints) found.emplace_back(word);
    }
  }
  return found;
}

std::string body_with_posted(std::string_view body, const std::vector<std::string>& fingerprints) {
  std::string marked(trim(body.substr(0, body.rfind(render::kPostedMarker))));
  if (fingerprints.empty()) return marked;
  std::string marker = fmt::format("\n\n{}", render::kPostedMarker);
  marker.pop_back();
  // The newest matter most: what was posted long ago is likely gone from the change.
  const std::size_t room =
      kMostBodyCharacters - std::min(kMostBodyCharacters, characters_of(marked) + marker.size() + 10);
  std::size_t used = 0;
  std::size_t first = fingerprints.size();
  while (first > 0 && fingerprints.size() - first < kMostPostedFingerprints &&
         used + fingerprints[first - 1].size() + 1 <= room)
    used += fingerprints[--first].size() + 1;
  for (std::size_t i = first; i < fingerprints.size(); ++i) marker += " " + fingerprints[i];
  return marked + marker + std::string(kMarkerEnd);
}

Json review_json(const ReviewRequest& request, std::string_view event) {
  Json json = {{"event", event}, {"body", request.body}};
  if (!request.commit.empty()) json["commit_id"] = request.commit;
  json["comments"] = Json::array();
  for (const ReviewComment& comment : request.comments) {
    Json one = {{"path", comment.path}, {"side", "RIGHT"}, {"line", comment.line}, {"body", comment.body}};
    if (comment.start_line) {
      one["start_line"] = *comment.start_line;
      one["start_side"] = "RIGHT";
    }
    json["comments"].push_back(std::move(one));
  }
  return json;
}

}  // namespace lockstep::forge
