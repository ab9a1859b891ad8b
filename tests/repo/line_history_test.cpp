// Which commits wrote lines, on real repositories.
#include "repo/line_history.h"

#include <gtest/gtest.h>

#include "repo/git_fixture.h"

namespace lockstep::repo {
namespace {

using testing::GitFixture;

std::vector<FileHistory> histories(const GitFixture& git, const std::vector<TouchedLines>& files) {
  const Result<Repository> repository = Repository::open(git.root());
  EXPECT_TRUE(repository);
  return line_histories(*repository, "HEAD", files);
}

TEST(LineHistory, NamesTheCommitsThatWroteTheLines) {
  const GitFixture git;
  git.write("a.py", "one\ntwo\nthree\nfour\n");
  const std::string first = git.commit("first");
  git.write("a.py", "zero\none\ntwo\nTHREE\nfour\n");
  const std::string second = git.commit("second");
  git.write("other.py", "x\n");
  git.commit("third");
  const auto found = histories(git, {{"a.py", {0, 1, 3, 4}}});
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].wrote.size(), 2u);
  EXPECT_EQ(found[0].wrote[0].commit.id, second);  // "zero", "THREE"
  EXPECT_EQ(found[0].wrote[0].lines, 2u);
  EXPECT_EQ(found[0].wrote[1].commit.id, first);  // "one", "four"
  EXPECT_EQ(found[0].wrote[1].lines, 2u);
  EXPECT_EQ(found[0].older, 0u);
  ASSERT_EQ(found[0].newest.size(), 2u);  // not the third, which leaves the file alone
  EXPECT_EQ(found[0].newest[0].id, second);
  EXPECT_EQ(found[0].newest[1].subject, "first");
}

TEST(LineHistory, ListsTheNewestCommitsOfAFileWithoutLines) {
  const GitFixture git;
  for (const std::string text : {"1\n", "2\n", "3\n", "4\n", "5\n"}) {
    git.write("a", text);
    git.commit("write " + text.substr(0, 1));
  }
  const auto found = histories(git, {{"a", {}}, {"missing", {}}});
  ASSERT_EQ(found.size(), 2u);
  ASSERT_EQ(found[0].newest.size(), kMostNewest);
  EXPECT_EQ(found[0].newest[0].subject, "write 5");
  EXPECT_EQ(found[0].newest[2].subject, "write 3");
  EXPECT_TRUE(found[0].wrote.empty());
  EXPECT_TRUE(found[1].newest.empty());
}

TEST(LineHistory, GoesOnUnderTheOlderNameOfAFile) {
  const GitFixture git;
  git.write("old/a.py", "import torch\nvalue = torch.zeros(1)\nother = torch.ones(2)\nlast_line = value + other\n");
  git.write("old/b.py", "something = different()\nand_more = of_it()\n");
  const std::string first = git.commit("first");
  git.write("old/a.py", "import torch\nvalue = torch.zeros(8)\nother = torch.ones(2)\nlast_line = value + other\n");
  const std::string second = git.commit("second");
  git.git("mv old/a.py new_name.py");
  git.git("rm -q old/b.py");
  git.write("new_name.py", "import torch\nvalue = torch.zeros(8)\nother = torch.ones(3)\nlast_line = value + other\n");
  const std::string third = git.commit("third");
  const Result<Repository> repository = Repository::open(git.root());
  ASSERT_TRUE(repository);
  const std::vector<LineEdit> kept = line_edits(*repository, "HEAD", {{"new_name.py", {1}}}, 5).front();
  ASSERT_EQ(kept.size(), 2u);  // not the renaming commit
  EXPECT_EQ(kept[0].commit.id, second);
  EXPECT_EQ(kept[1].commit.id, first);
  EXPECT_TRUE(kept[1].is_new_file);
  const std::vector<LineEdit> edited = line_edits(*repository, "HEAD", {{"new_name.py", {2}}}, 5).front();
  ASSERT_EQ(edited.size(), 2u);
  EXPECT_EQ(edited[0].commit.id, third);
  EXPECT_EQ(edited[0].renamed_from, "old/a.py");
  EXPECT_FALSE(edited[0].is_new_file);
}

TEST(LineHistory, AFileThatTakesFewLinesFromOneThatGoesIsNew) {
  const GitFixture git;
  git.write("a.py", "import torch\nvalue = torch.zeros(1)\nother = torch.ones(2)\nlast_line = value + other\n");
  git.commit("first");
  git.git("rm -q a.py");
  git.write("b.py", "import torch\nsomething = different()\nand_more = of_it()\nlast_of_it = 1 + something\n");
  const std::string second = git.commit("second");
  const Result<Repository> repository = Repository::open(git.root());
  ASSERT_TRUE(repository);
  const std::vector<LineEdit> edits = line_edits(*repository, "HEAD", {{"b.py", {0}}}, 5).front();
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0].commit.id, second);
  EXPECT_TRUE(edits[0].is_new_file);
}

std::vector<LineEdit> edits_of(const GitFixture& git, const std::string& path, std::vector<std::uint32_t> lines,
                               std::size_t walked = kMostWalked) {
  const Result<Repository> repository = Repository::open(git.root());
  EXPECT_TRUE(repository);
  return line_edits(*repository, "HEAD", {{path, std::move(lines)}}, 5, walked).front();
}

// A merge takes what its parents have: the commit below it wrote the lines.
TEST(LineHistory, GoesOnBelowAMergeWithTheParentThatHasTheFile) {
  const GitFixture git;
  git.write("a.py", "x = 1\n");
  const std::string first = git.commit("first");
  git.git("branch side");
  git.write("b.py", "y = 1\n");
  git.commit("beside");
  git.git("checkout -q side");
  git.write("a.py", "x = 2\n");
  git.write("new.py", "z = 1\n");
  const std::string second = git.commit("set it to two");
  git.git("checkout -q -");
  git.git("merge -q --no-ff side -m \"Merge branch 'side'\"");
  const std::vector<LineEdit> edits = edits_of(git, "a.py", {0});
  ASSERT_EQ(edits.size(), 2u);
  EXPECT_EQ(edits[0].commit.id, second);
  EXPECT_EQ(edits[1].commit.id, first);
  const std::vector<LineEdit> added = edits_of(git, "new.py", {0});
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0].commit.id, second);
  EXPECT_TRUE(added[0].is_new_file);
  const auto found = histories(git, {{"a.py", {0}}, {"new.py", {0}}, {"b.py", {0}}});
  ASSERT_EQ(found.size(), 3u);
  ASSERT_EQ(found[0].wrote.size(), 1u);
  EXPECT_EQ(found[0].wrote[0].commit.id, second);
  ASSERT_EQ(found[0].newest.size(), 2u);  // not the merge
  EXPECT_EQ(found[0].newest[0].id, second);
  ASSERT_EQ(found[1].wrote.size(), 1u);
  EXPECT_EQ(found[1].wrote[0].commit.id, second);
  ASSERT_EQ(found[2].wrote.size(), 1u);
  EXPECT_EQ(found[2].wrote[0].commit.subject, "beside");
  // Fewer commits than it takes to reach what wrote the line.
  EXPECT_TRUE(edits_of(git, "a.py", {0}, 1).empty());
  EXPECT_EQ(edits_of(git, "a.py", {0}, 2).size(), 1u);
}

// Of a file that a merge made out of both sides, each line has its writer; the merge's own are those that no side has.
TEST(LineHistory, TellsOfALineThatAMergeTookFromItsOtherSide) {
  const GitFixture git;
  git.write("a.py", "one = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\nsix = 6\nseven = 7\n");
  const std::string first = git.commit("first");
  git.git("branch side");
  git.write("a.py", "ONE = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\nsix = 6\nseven = 7\n");
  const std::string here = git.commit("here");
  git.git("checkout -q side");
  git.write("a.py", "one = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\nsix = 6\nSEVEN = 7\n");
  const std::string there = git.commit("there");
  git.git("checkout -q -");
  git.git("merge -q --no-ff --no-commit side");
  git.write("a.py", "ONE = 1\ntwo = 2\nthree = 3\nFOUR = 4\nfive = 5\nsix = 6\nSEVEN = 7\n");
  const std::string merge = git.commit("merge it");
  const auto writer_of = [&](std::uint32_t line) {
    const std::vector<LineEdit> edits = edits_of(git, "a.py", {line});
    return edits.empty() ? std::string() : edits.front().commit.id;
  };
  EXPECT_EQ(writer_of(0), here);
  EXPECT_EQ(writer_of(1), first);
  EXPECT_EQ(writer_of(3), merge);
  EXPECT_EQ(writer_of(6), there);
  const std::vector<LineEdit> seventh = edits_of(git, "a.py", {6});
  ASSERT_EQ(seventh.size(), 2u);
  EXPECT_EQ(seventh[0].removed, std::vector<std::string>{"seven = 7"});
  EXPECT_EQ(seventh[1].commit.id, first);
  const auto found = histories(git, {{"a.py", {0, 1, 3, 6}}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].wrote.size(), 4u);
  EXPECT_EQ(found[0].older, 0u);
}

TEST(LineHistory, FollowsALineThroughWhatReplacedIt) {
  const GitFixture git;
  git.write("a.py", "head\nx = 1\ntail\n");
  const std::string first = git.commit("first");
  git.write("a.py", "head\nx = 2\ny = 0\ntail\n");
  const std::string second = git.commit("second");
  git.write("a.py", "new\nhead\nx = 2\ny = 0\ntail\nmore\n");
  git.commit("moves it");
  git.write("a.py", "new\nhead\nx = 3\ny = 0\ntail\nmore\n");
  const std::string fourth = git.commit("fourth");
  const Result<Repository> repository = Repository::open(git.root());
  ASSERT_TRUE(repository);
  const std::vector<LineEdit> edits = line_edits(*repository, "HEAD", {{"a.py", {2}}}, 5).front();
  ASSERT_EQ(edits.size(), 3u);
  EXPECT_EQ(edits[0].commit.id, fourth);
  EXPECT_EQ(edits[0].added, std::vector<std::string>{"x = 3"});
  EXPECT_EQ(edits[0].removed, std::vector<std::string>{"x = 2"});
  EXPECT_EQ(edits[0].removed_lines, std::vector<std::uint32_t>{2});
  EXPECT_EQ(edits[0].before, "new\nhead\nx = 2\ny = 0\ntail\nmore\n");
  EXPECT_EQ(edits[1].commit.id, second);
  EXPECT_EQ(edits[1].removed, std::vector<std::string>{"x = 1"});
  EXPECT_EQ(edits[2].commit.id, first);
  EXPECT_TRUE(edits[2].is_new_file);
  EXPECT_EQ(line_edits(*repository, "HEAD", {{"a.py", {2}}}, 1).front().size(), 1u);
  // A line that only moved was written by none of the later ones.
  const std::vector<LineEdit> tail = line_edits(*repository, "HEAD", {{"a.py", {2}}, {"a.py", {4}}}, 5).back();
  ASSERT_EQ(tail.size(), 1u);
  EXPECT_EQ(tail[0].commit.id, first);
  EXPECT_TRUE(line_edits(*repository, "HEAD", {{"missing.py", {4}}}, 5).front().empty());
  EXPECT_TRUE(line_edits(*repository, "no-such-revision", {{"a.py", {2}}}, 5).front().empty());
}

TEST(LineHistory, IsSilentWhereThereIsNone) {
  const GitFixture git;
  git.write("a", "1\n");
  git.commit("first");
  const Result<Repository> repository = Repository::open(git.root());
  ASSERT_TRUE(repository);
  EXPECT_TRUE(line_histories(*repository, "no-such-revision", {{"a", {0}}}).empty());
  EXPECT_TRUE(line_histories(*repository, "HEAD", {}).empty());
}

}  // namespace
}  // namespace lockstep::repo
