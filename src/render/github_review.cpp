#include "render/github_review.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "render/markdown.h"

namespace lockstep::render {

namespace {

using Json = nlohmann::ordered_json;
using report::Document;

// Left for what posting adds: comments that GitHub took on no line, and the list of what was posted.
constexpr std::size_t kReserve = 8'000;

std::string finding_marker(const std::vector<std::string>& fingerprints) {
  return fmt::format("{}{} -->", kFindingMarker, fmt::join(fingerprints, " "));
}

/// A text that only grows as long as it stays within its limit.
class BoundedText {
 public:
  explicit BoundedText(std::size_t limit) : left_(limit) {}
  bool add(std::string_view part) {
    const std::size_t size = characters_of(part);
    if (size > left_) return false;
    left_ -= size;
    text_ += part;
    return true;
  }
  std::string take() { return std::move(text_); }

 private:
  std::size_t left_;
  std::string text_;
};

// The whole comment, or where it is too long its first paragraph.
std::string comment_body(const Document& text, const std::vector<std::string>& fingerprints) {
  const std::string marker = fmt::format("\n{}\n", finding_marker(fingerprints));
  std::string body = render_markdown(text) + marker;
  if (characters_of(body) <= kMostBodyCharacters) return body;
  Document first;
  if (!text.blocks.empty()) first.blocks.push_back(text.blocks.front());
  body = render_markdown(first) + marker;
  return characters_of(body) <= kMostBodyCharacters ? body : "This finding is too long to show." + marker;
}

std::string body_of(const report::PostedReview& review, std::string_view commit) {
  BoundedText body(kMostBodyCharacters - kReserve);
  body.add(fmt::format("{}\n### Lockstep\n\n", kSummaryMarker));
  std::string footer = fmt::format("\n---\n\n{}", render_markdown(review.footer));
  if (!commit.empty()) footer += fmt::format("\nOf commit {}.\n", commit);
  if (!body.add(render_markdown(review.overview))) {
    Document verdict;
    if (!review.overview.blocks.empty()) verdict.blocks.push_back(review.overview.blocks.front());
    body.add(render_markdown(verdict));
  }
  std::size_t left_out = 0;
  if (!review.unplaced.empty()) body.add("\n#### Not on a line of the diff\n");
  for (const report::UnplacedIssue& issue : review.unplaced) {
    const std::string text =
        fmt::format("\n##### {}\n\n{}", render_inline(report::prose(issue.heading)), render_markdown(issue.text));
    if (!body.add(text)) ++left_out;
  }
  if (left_out > 0) body.add(fmt::format("\n{} more did not fit.\n", count_of(left_out, "finding")));
  if (!review.summary.blocks.empty()) {
    Document details;
    Document inner;
    inner.blocks = review.summary.blocks;
    details.details("What the change does", std::move(inner));
    body.add(fmt::format("\n{}", render_markdown(details)));
  }
  body.add(footer);
  return body.take();
}

Json comment_json(const report::PostedComment& comment) {
  Json json = {{"path", comment.path}, {"side", "RIGHT"}, {"line", comment.last_line + 1}};
  if (comment.first_line < comment.last_line) {
    json["start_line"] = comment.first_line + 1;
    json["start_side"] = "RIGHT";
  }
  json["body"] = comment_body(comment.text, comment.fingerprints);
  return json;
}

}  // namespace

std::size_t characters_of(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // One for each code point, and another for those above U+FFFF.
    count += (byte & 0xc0) != 0x80 ? 1 : 0;
    count += byte >= 0xf0 ? 1 : 0;
  }
  return count;
}

std::string render_github_review(const report::PostedReview& review, std::string_view commit) {
  Json json = Json::object();
  if (!commit.empty()) json["commit_id"] = commit;
  json["event"] = "COMMENT";
  json["body"] = body_of(review, commit);
  json["comments"] = Json::array();
  for (const report::PostedComment& comment : review.comments) json["comments"].push_back(comment_json(comment));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::render
