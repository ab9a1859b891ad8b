#include "writer/author/passages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/markdown.h"

namespace lockstep::writer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

report::Document own_document() {
  report::Document document;
  document.paragraph("The commit.");
  document.heading(2, "2. Where It Runs");
  document.paragraph("Runs reach " + report::code("f") + ".");
  document.heading(2, "4. Risks");
  document.bullets({"A question.", "It hangs. P0 " + report::code("rank-divergent-collective") + "."});
  document.heading(3, "By the way");
  document.table({"Where", "Before"}, {{report::code("f"), "1"}, {report::code("g"), "2"}});
  return document;
}

const std::vector<bool> kCommitLineIsLeft = {true};
const std::vector<bool> kAllIsTold(7, true);

TEST(Passages, AreNumberedButForWhatARuleFound) {
  const std::string text = numbered_passages(own_document(), kCommitLineIsLeft);
  EXPECT_THAT(text, HasSubstr("[1] Runs reach f.\n[2] A question.\n[3] f | 1\n[4] g | 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("It hangs")));
  EXPECT_THAT(text, Not(HasSubstr("The commit")));
}

TEST(Passages, LeaveOutTheNamedOnes) {
  report::Document document = own_document();
  EXPECT_EQ(leave_out(document, kCommitLineIsLeft, kAllIsTold, {1, 2, 4, 9}), 3u);
  close_gaps(document, "en");
  const std::string text = render::render_markdown(document);
  EXPECT_THAT(text, HasSubstr("## 2. Where It Runs\n\nN/A - "));
  EXPECT_THAT(text, Not(HasSubstr("A question")));
  EXPECT_THAT(text, HasSubstr("It hangs. P0 `rank-divergent-collective`."));
  EXPECT_THAT(text, HasSubstr("| `f` | 1 |"));
  EXPECT_THAT(text, Not(HasSubstr("`g`")));
}

TEST(Passages, ASectionThatNobodyElseTellsStays) {
  report::Document document = own_document();
  EXPECT_EQ(leave_out(document, kCommitLineIsLeft, {}, {1, 2}), 1u);
  const std::string text = render::render_markdown(document);
  EXPECT_THAT(text, HasSubstr("Runs reach `f`."));
  EXPECT_THAT(text, Not(HasSubstr("A question")));
}

TEST(Passages, HeadingsWithNothingBelowGo) {
  report::Document document = own_document();
  leave_out(document, kCommitLineIsLeft, kAllIsTold, {3, 4});
  close_gaps(document, "en");
  EXPECT_THAT(render::render_markdown(document), Not(HasSubstr("By the way")));
}

TEST(Passages, NumbersAreReadFromLists) {
  EXPECT_THAT(numbers_in("3, 7-9 and [12]"), ElementsAre(3, 7, 8, 9, 12));
  EXPECT_THAT(numbers_in("none"), ElementsAre());
  EXPECT_THAT(numbers_in("9-7, 0, 99999999999999999999999, 401"), ElementsAre(7, 9));
  EXPECT_LE(numbers_in("1-400, 401-100000").size(), kMostPassages);
}

}  // namespace
}  // namespace lockstep::writer
