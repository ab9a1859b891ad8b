// What stood in the place of replaced lines before the commit that wrote them.
#include "report/author/line_past.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/document_fixture.h"
#include "render/markdown.h"
#include "report/documents/explain.h"

namespace lockstep::report {
namespace {

using render::Files;
using render::Fixture;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kOldest = R"(class Loss:
    def scale(self, mask, tokens):
        total = mask.sum()
        return total / tokens
)";
constexpr const char* kBefore = R"(class Loss:
    def scale(self, mask, tokens):
        total = mask.float().mean()
        return total / tokens
)";

std::string after_with(std::string_view value) {
  return render::with_edit({{"loss.py", kBefore}}, "loss.py", "mask.float().mean()", value)["loss.py"];
}

/// As if one commit had made `kBefore` of `oldest`.
repo::LineEdits made_of(std::string oldest, bool is_new_file = false, std::string subject = "Average instead") {
  return [oldest, is_new_file, subject](const std::vector<repo::TouchedLines>& all, std::size_t) {
    std::vector<std::vector<repo::LineEdit>> made;
    for (const repo::TouchedLines& lines : all) {
      EXPECT_EQ(lines.path, "loss.py");
      repo::LineEdit edit;
      edit.commit.id = "1a2b3c4d5e6f708090a0b0c0d0e0f00010203040";
      edit.commit.subject = subject;
      edit.commit.date = "2026-01-28T10:00:00Z";
      edit.is_new_file = is_new_file;
      edit.wrote = static_cast<std::uint32_t>(lines.lines.size());
      edit.before = oldest;
      if (!is_new_file) edit.removed_lines = {2};
      made.push_back({edit});
    }
    return made;
  };
}

std::string past(const std::string& after, const repo::LineEdits& edits, const std::string& title = "Fix the count") {
  const std::unique_ptr<Fixture> fixture = render::make_fixture({{"loss.py", kBefore}}, {{"loss.py", after}}, title);
  const Story story = find_story_to_explain(fixture->inputs);
  Document document = write_explain(fixture->inputs, story);
  tell_line_past(line_past(fixture->inputs, story, edits), document);
  return render::render_markdown(document);
}

TEST(LinePast, TellsWhatAValueWasBeforeTheCommitThatWroteIt) {
  const std::string text = past(after_with("mask.count_nonzero()"), made_of(kOldest));
  EXPECT_THAT(text,
              HasSubstr("Until `1a2b3c4d5e` “Average instead” (2026-01-28), `total` was `mask.sum()`.\n\n### What"));
}

TEST(LinePast, SaysThatItIsPutBack) {
  EXPECT_THAT(past(after_with("mask.sum()"), made_of(kOldest)),
              HasSubstr("`total` was `mask.sum()`, which the change puts back. Does what that commit was for still "
                        "hold?\n"));
}

TEST(LinePast, AsksNothingOfACommitThatTheChangeNames) {
  const auto question = [](std::string body) {
    const std::unique_ptr<Fixture> fixture = render::make_fixture(
        {{"loss.py", kBefore}}, {{"loss.py", after_with("mask.sum()")}}, "Sum the mask", std::move(body));
    const std::vector<LinePast> past = line_past(fixture->inputs, find_story_to_explain(fixture->inputs),
                                                 made_of(kOldest, false, "Average instead (#12)"));
    return past.empty() ? std::string("none") : unmarked(past.front().question);
  };
  EXPECT_EQ(
      question("It was wrong."),
      "total is mask.sum() again, as until 1a2b3c4d5e “Average instead (#12)” (2026-01-28): does what that commit "
      "was for still hold?");
  EXPECT_EQ(question("It takes back #12."), "");
  EXPECT_EQ(question("It takes back 1a2b3c4d5e."), "");
}

TEST(LinePast, NamesWhoWroteItWhereNothingElseStoodThere) {
  const std::string after = after_with("mask.sum()");
  // The file was new, or the function is another.
  EXPECT_THAT(past(after, made_of("", true)),
              HasSubstr("What it replaces in `Loss.scale` came with the file, in `1a2b3c4d5e` “Average instead”"));
  EXPECT_THAT(past(after, made_of("class Loss:\n    def mean(self, mask):\n        total = mask.sum()\n")),
              HasSubstr("What it replaces in `Loss.scale` was written by `1a2b3c4d5e`"));
  // A file that was moved holds lines that are older than it.
  EXPECT_THAT(past(after, made_of("", true, "Move the losses")), Not(HasSubstr("What it replaces")));
  // Of a change that mends nothing nobody asks since when.
  EXPECT_THAT(past(after, made_of("", true), "Count tokens"), Not(HasSubstr("What it replaces")));
  // Another variable.
  EXPECT_THAT(past(after, made_of("class Loss:\n    def scale(self, mask, tokens):\n        count = mask.sum()\n")),
              HasSubstr("was written by"));
}

TEST(LinePast, TakesAnotherConditionForNoEarlierForm) {
  const std::string before = "def scale(mask, tokens, limit):\n    if tokens > 1:\n        mask.zero_()\n";
  const auto told = [&](std::string oldest) {
    repo::LineEdits edits = [oldest](const std::vector<repo::TouchedLines>& lines, std::size_t most) {
      std::vector<std::vector<repo::LineEdit>> made = made_of(oldest)(lines, most);
      for (std::vector<repo::LineEdit>& one : made) one.front().removed_lines = {1, 2};
      return made;
    };
    const std::unique_ptr<Fixture> fixture = render::make_fixture(
        {{"loss.py", before}},
        {{"loss.py", render::with_edit({{"loss.py", before}}, "loss.py", "> 1", "> 2")["loss.py"]}}, "Fix it");
    const std::vector<LinePast> past = line_past(fixture->inputs, find_story_to_explain(fixture->inputs), edits);
    return past.empty() ? std::string("none") : unmarked(past.front().sentence);
  };
  EXPECT_EQ(told("def scale(mask, tokens, limit):\n    if tokens > 2:\n        mask.zero_()\n"),
            "Until 1a2b3c4d5e “Average instead” (2026-01-28), scale asked tokens > 2, which the change puts back.");
  EXPECT_THAT(told("def scale(mask, tokens, limit):\n    if limit is None:\n        mask.zero_()\n"),
              HasSubstr("was written by"));
}

/// What the earlier edit did not touch, the change does not take up again.
TEST(LinePast, SaysNothingOfAnotherPartOfTheValue) {
  const auto told = [](std::string_view value) {
    const std::string after = after_with(value);
    const std::unique_ptr<Fixture> fixture =
        render::make_fixture({{"loss.py", kBefore}}, {{"loss.py", after}}, "Rename the mask");
    return line_past(fixture->inputs, find_story_to_explain(fixture->inputs), made_of(kOldest));
  };
  EXPECT_THAT(told("self.mask.float().mean()"), IsEmpty());
  EXPECT_THAT(told("mask.float().mean() * 2"), IsEmpty());
  EXPECT_THAT(told("mask.double().mean()"), Not(IsEmpty()));
}

TEST(LinePast, IsSilentWithoutHistory) {
  const std::string after = after_with("mask.sum()");
  const std::string none = past(after, {});
  EXPECT_EQ(none, past(after, [](const std::vector<repo::TouchedLines>& all, std::size_t) {
              return std::vector<std::vector<repo::LineEdit>>(all.size());
            }));
  EXPECT_THAT(none, Not(HasSubstr("What it replaces")));
  // Some of the lines are older than the newest of the commits.
  const repo::LineEdits partly = [](const std::vector<repo::TouchedLines>& lines, std::size_t most) {
    std::vector<std::vector<repo::LineEdit>> edits = made_of("x = 1\ny = 2\nz = 3\n")(lines, most);
    for (std::vector<repo::LineEdit>& one : edits) one.front().wrote = 0;
    return edits;
  };
  EXPECT_EQ(past(after, partly), none);
}

}  // namespace
}  // namespace lockstep::report
