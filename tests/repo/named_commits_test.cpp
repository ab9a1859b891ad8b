// Commits that a message names as taken back or brought again.
#include "repo/named_commits.h"

#include <gtest/gtest.h>

#include "repo/git_fixture.h"

namespace lockstep::repo {
namespace {

TEST(NamedCommits, WhatMessagesName) {
  const auto title = commits_named_in("Revert \"Fix it (#12)\" (#15)", "");
  ASSERT_EQ(title.size(), 1U);
  EXPECT_EQ(title.front().title, "Fix it (#12)");
  const auto id = commits_named_in("Reapply 3955c49ed9af5e5b38dccdd30c1323c00b9bcd29 (#3146)", "");
  ASSERT_EQ(id.size(), 1U);
  EXPECT_EQ(id.front().id, "3955c49ed9af5e5b38dccdd30c1323c00b9bcd29");
  const auto body = commits_named_in("Revert \"Fix it\"", "This reverts commit 287d2f47c3.");
  ASSERT_EQ(body.size(), 1U);
  EXPECT_EQ(body.front().id, "287d2f47c3");
  const auto numbers = commits_named_in("Revert precompile PRs (#3107, #3178) to fix CI (#3212)", "");
  ASSERT_EQ(numbers.size(), 2U);
  EXPECT_EQ(numbers.back().number, "#3178");
  EXPECT_TRUE(commits_named_in("Fix 287d2f47c3 (#12)", "See 287d2f47c3.").empty());
  EXPECT_TRUE(commits_named_in("Revertible blocks (#12)", "").empty());
}

TEST(NamedCommits, AreComparedLineByLine) {
  const testing::GitFixture repository;
  repository.write("a.py", "x = 1\n");
  repository.commit("Start");
  repository.write("a.py", "x = 2\ny = 3\n");
  repository.commit("Set y (#1)");
  repository.write("a.py", "x = 1\n");
  repository.commit("Revert \"Set y (#1)\" (#2)");
  repository.write("a.py", "x = 2\ny = 3\n");
  repository.write("b.py", "z = 1\n");
  repository.commit("Reapply \"Set y (#1)\" (#3)");
  const auto opened = Repository::open(repository.root());
  ASSERT_TRUE(opened);
  const auto reverted = load_change(*opened, CommitChange{"HEAD~1"});
  ASSERT_TRUE(reverted);
  ASSERT_EQ(reverted->named.size(), 1U);
  EXPECT_EQ(reverted->named.front().info.subject, "Set y (#1)");
  EXPECT_EQ(reverted->named.front().relation, NamedCommit::Relation::kOpposite);
  EXPECT_TRUE(reverted->named.front().differing.empty());
  const auto again = load_change(*opened, CommitChange{"HEAD"});
  ASSERT_TRUE(again);
  ASSERT_EQ(again->named.size(), 1U);
  EXPECT_EQ(again->named.front().relation, NamedCommit::Relation::kSame);
  EXPECT_EQ(again->named.front().differing, std::vector<std::string>{"b.py"});
}

}  // namespace
}  // namespace lockstep::repo
