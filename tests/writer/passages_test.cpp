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
  document.paragraph("In the words of its author:");
  document.quote("It was slow.");
  document.heading(2, "2. Where It Runs");
  document.paragraph("Runs reach " + report::code("f") + ".");
  document.bullets({"A question.", "It hangs. P0 " + report::code("rank-divergent-collective") + "."});
  report::Document inner;
  inner.table({"Where", "Before"}, {{report::code("f"), "1"}, {report::code("g"), "2"}});
  document.details("More", std::move(inner));
  return document;
}

std::string markdown_of(std::vector<report::Block> blocks) {
  report::Document document;
  document.blocks = std::move(blocks);
  return render::render_markdown(document);
}

TEST(Passages, TablesAndDiagramsAreOffered) {
  const std::vector<report::Block> offered = offered_passages(own_document().blocks);
  ASSERT_EQ(offered.size(), 1u);
  EXPECT_THAT(numbered_passages(offered), HasSubstr("[1] table: Where | Before; 2 rows, the first: f | 1\n"));
  EXPECT_EQ(numbered_passages({}), "");
}

TEST(Passages, TheAuthorsWordsAndWhatARuleFoundRemain) {
  const Remains remains = remains_of(own_document().blocks);
  EXPECT_EQ(markdown_of(remains.quotes), "In the words of its author:\n\n> It was slow.\n");
  EXPECT_EQ(markdown_of(remains.findings), "- It hangs. P0 `rank-divergent-collective`.\n");
}

TEST(Passages, HeadingsWithNothingBelowGo) {
  report::Document document;
  document.heading(2, "2. Where It Runs").heading(2, "3. More").paragraph("x").heading(3, "By the way");
  close_gaps(document, "en");
  const std::string text = render::render_markdown(document);
  EXPECT_THAT(text, Not(HasSubstr("By the way")));
  EXPECT_THAT(text, HasSubstr("## 2. Where It Runs\n\nN/A - "));
}

TEST(Passages, NumbersAreReadFromLists) {
  EXPECT_THAT(numbers_in("3, 7-9 and [12]"), ElementsAre(3, 7, 8, 9, 12));
  EXPECT_THAT(numbers_in("none"), ElementsAre());
  EXPECT_THAT(numbers_in("9-7, 0, 99999999999999999999999, 61"), ElementsAre(7, 9));
  EXPECT_LE(numbers_in("1-400, 401-100000").size(), kMostPassages);
}

}  // namespace
}  // namespace lockstep::writer
