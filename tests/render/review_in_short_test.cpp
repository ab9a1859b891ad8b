// Suggestions that found no room among the issues of a review: a line each, without comments.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/markdown.h"
#include "report/review/review.h"

namespace lockstep::report {
namespace {

using rules::Severity;
using ::testing::HasSubstr;
using ::testing::Not;

void add(Report& report, Severity severity, std::size_t count,
         rules::FindingCertainty certainty = rules::FindingCertainty::kProven) {
  for (std::size_t i = 0; i < count; ++i) {
    ReportedFinding reported;
    reported.finding.rule = kModelRule;
    reported.finding.severity = severity;
    reported.finding.certainty = certainty;
    reported.finding.path = "lib/a.py";
    reported.finding.start_line = reported.finding.end_line = static_cast<std::uint32_t>(report.findings.size());
    reported.finding.message = fmt::format("`f{}` does it twice", report.findings.size() + 1);
    reported.finding.why = "It costs.";
    reported.finding.fix = "Do it once.";
    report.findings.push_back(std::move(reported));
  }
}

std::string review_of(const Report& report) { return render::render_markdown(write_review(report, {})); }

std::size_t count_in(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ReviewInShort, TellsSuggestionsWithoutRoomInALineEach) {
  Report report;
  add(report, Severity::kP1, 8);
  add(report, Severity::kP2, 5);
  const std::string text = review_of(report);
  EXPECT_THAT(text, HasSubstr("The 10 of 13 that matter most, and 3 more in a line each (section 3); `--format json` "
                              "lists all."));
  EXPECT_THAT(text,
              HasSubstr("**Less weighty than those told in full:**\n\n- `lib/a.py:11` - `f11` does it twice\n"
                        "- `lib/a.py:12` - `f12` does it twice\n- `lib/a.py:13` - `f13` does it twice\n\n### 4."));
  EXPECT_EQ(count_in(text, "**[P2]** `lib/a.py"), 2u);
  EXPECT_EQ(count_in(text, "**Line "), 10u);  // comments
}

TEST(ReviewInShort, StandsAlsoWhereNoSuggestionHadRoom) {
  Report report;
  add(report, Severity::kP1, 12);
  add(report, Severity::kP2, 9);
  const std::string text = review_of(report);
  EXPECT_THAT(text, HasSubstr("None among the weightiest.\n\n**Less weighty than those told in full:**\n\n"
                              "- `lib/a.py:13` - "));
  EXPECT_EQ(count_in(text, "\n- `lib/a.py"), 6u);
  EXPECT_THAT(text, HasSubstr("The 10 of 21 that matter most, and 6 more in a line each"));
}

// Issues above, questions, nitpicks, and what a model doubts.
TEST(ReviewInShort, TellsNothingElse) {
  Report report;
  add(report, Severity::kP1, 12);
  add(report, Severity::kP2, 1, rules::FindingCertainty::kQuestion);
  add(report, Severity::kP2, 1);
  report.findings.back().doubt = "Demoted from P1: it cannot happen";
  add(report, Severity::kP3, 3);
  const std::string text = review_of(report);
  EXPECT_THAT(text, Not(HasSubstr("Less weighty")));
  EXPECT_THAT(text, HasSubstr("The 10 of 14 that matter most; "));
  Report few;
  add(few, Severity::kP2, 10);
  EXPECT_THAT(review_of(few), Not(HasSubstr("Less weighty")));
  Report nitpicks;
  add(nitpicks, Severity::kP2, 10);
  add(nitpicks, Severity::kP3, 4);
  EXPECT_THAT(review_of(nitpicks), Not(HasSubstr("Less weighty")));
}

}  // namespace
}  // namespace lockstep::report
