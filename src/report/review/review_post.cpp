#include "report/review/review_post.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "report/review/review.h"

namespace lockstep::report {

namespace {

using rules::Finding;
using rules::Severity;

constexpr std::size_t kMostFingerprints = 50;

// Where a comment stands: the part of the finding's lines that lies in one hunk.
struct Anchor {
  const repo::Hunk* hunk = nullptr;
  std::uint32_t first = 0, last = 0;
  bool is_whole = false;  // all of the finding's lines
};

std::optional<Anchor> anchor_of(const Finding& finding, const repo::SnapshotDiff& diff) {
  if (finding.side != rules::Side::kAfter) return std::nullopt;
  const repo::FileChange* file = diff.find_after(finding.path);
  if (file == nullptr) return std::nullopt;
  for (const repo::Hunk& hunk : file->lines.hunks()) {
    const std::uint32_t end = hunk.new_start + hunk.new_count;
    if (hunk.new_count == 0 || end <= finding.start_line || hunk.new_start > finding.end_line) continue;
    Anchor anchor{&hunk, std::max(finding.start_line, hunk.new_start), std::min(finding.end_line, end - 1), false};
    anchor.is_whole = anchor.first == finding.start_line && anchor.last == finding.end_line;
    return anchor;
  }
  return std::nullopt;
}

// Whether a forge can put the replacement in: it covers exactly the lines of the comment, changes something, and mixes
// no line ends.
bool applies_cleanly(const Finding& finding, const Anchor& anchor) {
  if (!finding.suggestion || !anchor.is_whole) return false;
  std::string current;
  for (const repo::DiffLine& line : anchor.hunk->lines) {
    if (line.kind == repo::LineKind::removed || line.new_line < anchor.first || line.new_line > anchor.last) continue;
    if (line.text.ends_with('\r')) return false;
    current += line.text + "\n";
  }
  const std::string_view wanted = *finding.suggestion;
  return wanted.find('\r') == std::string_view::npos && wanted != current && std::string(wanted) + "\n" != current;
}

std::vector<std::string> fingerprints_of(const Issue& issue) {
  std::vector<std::string> all = {issue.first->fingerprint};
  for (const ReportedFinding* other : issue.more) {
    if (all.size() < kMostFingerprints) all.push_back(other->fingerprint);
  }
  return all;
}

// The issue told from the place among its places that a forge takes a comment on.
Issue with_anchored_first(Issue issue, const repo::SnapshotDiff& diff) {
  if (anchor_of(issue.first->finding, diff)) return issue;
  for (const ReportedFinding*& other : issue.more) {
    if (!anchor_of(other->finding, diff)) continue;
    std::swap(issue.first, other);
    break;
  }
  return issue;
}

std::string heading_of(const Finding& finding) {
  std::string text = place(finding.path, finding.start_line, finding.end_line);
  if (finding.side == rules::Side::kBefore) text += " of the old version";
  return text;
}

void add_issue(PostedReview& review, const Issue& issue, const repo::SnapshotDiff& diff) {
  ReportedFinding first = *issue.first;
  const std::optional<Anchor> anchor = anchor_of(first.finding, diff);
  const bool has_room = review.comments.size() < kMostPostedComments;
  if (!anchor || !has_room || !applies_cleanly(first.finding, *anchor)) first.finding.suggestion.reset();
  Document text = write_comment({&first, issue.more});
  if (!anchor && first.anchor && has_room && first.doubt.empty()) {
    Document led;
    led.paragraph(because_of_line(first.finding));
    led.append(std::move(text));
    review.comments.push_back(
        {first.anchor->path, first.anchor->line, first.anchor->line, std::move(led), fingerprints_of(issue)});
    return;
  }
  if (anchor && has_room && issue.first->doubt.empty()) {
    review.comments.push_back(
        {first.finding.path, anchor->first, anchor->last, std::move(text), fingerprints_of(issue)});
  } else {
    review.unplaced.push_back({heading_of(first.finding), std::move(text), fingerprints_of(issue)});
  }
}

std::string issue_line(const Issue& issue) {
  const Finding& finding = issue.first->finding;
  return fmt::format("{} {} - {}", issue_mark(issue), place(finding.path, finding.start_line),
                     from_backquotes(finding.message));
}

Document footer_of(const Report& report) {
  Document footer;
  std::string text = fmt::format("Read {} with {} lines", count_of(report.coverage.files_read, "Python file"),
                                 report.coverage.lines_read);
  if (!report.coverage.problems.empty())
    text += fmt::format("; {} could not be read in full", count_of(report.coverage.problems.size(), "place"));
  if (report.suppressed > 0) text += fmt::format("; {} allowed by comments", count_of(report.suppressed, "finding"));
  footer.paragraph(text + ".");
  return footer;
}

}  // namespace

PostedReview write_posted_review(const Report& report, const repo::SnapshotDiff& diff, Document summary) {
  std::vector<Issue> issues = group_issues(report);
  PostedReview review;
  const Compared compared = compared_in(diff, report.coverage);
  review.overview.paragraph(write_verdict(report, issues, &compared));
  const bool has_serious = std::any_of(issues.begin(), issues.end(), [](const Issue& issue) {
    return issue.first->finding.severity <= Severity::kP1 && !is_question(issue);
  });
  if (has_serious)
    std::erase_if(issues, [](const Issue& issue) { return issue.first->finding.severity == Severity::kP3; });
  std::vector<std::string> lines;
  for (Issue& issue : issues) {
    issue = with_anchored_first(std::move(issue), diff);
    lines.push_back(issue_line(issue));
    if (!issue.first->is_brief) add_issue(review, issue, diff);
  }
  if (!lines.empty()) review.overview.bullets(lines);
  review.summary = std::move(summary);
  review.footer = footer_of(report);
  return review;
}

}  // namespace lockstep::report
