// Where paths went, and what recent commits touched, on real repositories.
#include <gtest/gtest.h>

#include "repo/git_fixture.h"
#include "repo/repository.h"

namespace lockstep::repo {
namespace {

using testing::GitFixture;

const std::string kText = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

TEST(PathHistory, TellsRenamedRemovedAndUnknownPathsApart) {
  const GitFixture git;
  git.write("pkg/old.py", kText);
  git.write("pkg/gone.py", "unlike\nanything\nelse\n");
  git.commit("first");
  git.git("mv pkg/old.py pkg/new.py");
  git.write("pkg/new.py", kText + "nine\n");
  const std::string rename = git.commit("Rename the module");
  git.git("rm -q pkg/gone.py");
  const std::string removal = git.commit("Remove the other");
  git.write("pkg/later.py", "later\n");
  git.commit("last");
  const Result<Repository> repository = Repository::open(git.root());
  ASSERT_TRUE(repository);
  const std::vector<PathFate> fates =
      repository->fates_of("HEAD", {"pkg/old.py", "pkg/gone.py", "pkg/never.py", "pkg/later.py"});
  ASSERT_EQ(fates.size(), 4u);
  EXPECT_TRUE(fates[0].known);
  EXPECT_EQ(fates[0].removed_by.id, rename);
  EXPECT_EQ(fates[0].renamed_to, "pkg/new.py");
  EXPECT_TRUE(fates[1].known);
  EXPECT_EQ(fates[1].removed_by.id, removal);
  EXPECT_EQ(fates[1].renamed_to, "");
  EXPECT_FALSE(fates[2].known);
  EXPECT_FALSE(fates[3].known);  // It is there.
}

TEST(PathHistory, FindsARemovedFolder) {
  const GitFixture git;
  git.write("pkg/sub/a.py", kText);
  git.write("pkg/b.py", "b\n");
  git.commit("first");
  git.git("rm -rq pkg/sub");
  const std::string removal = git.commit("Remove the folder");
  const Result<Repository> repository = Repository::open(git.root());
  ASSERT_TRUE(repository);
  const std::vector<PathFate> fates = repository->fates_of("HEAD", {"pkg/sub"});
  EXPECT_TRUE(fates[0].known);
  EXPECT_EQ(fates[0].removed_by.id, removal);
}

TEST(PathHistory, ListsWhatRecentCommitsTouched) {
  const GitFixture git;
  git.write("a", "1\n");
  git.commit("first");
  git.write("a", "2\n");
  git.write("b", "1\n");
  git.commit("second");
  git.git("rm -q a");
  git.commit("third");
  const Result<Repository> repository = Repository::open(git.root());
  ASSERT_TRUE(repository);
  using Names = std::vector<std::string>;
  const std::vector<CommitPaths> all = repository->recent_commits("HEAD", 10);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].info.subject, "third");
  EXPECT_EQ(all[0].paths, Names{"a"});
  EXPECT_EQ(all[1].paths, (Names{"a", "b"}));
  EXPECT_EQ(all[2].paths, Names{"a"});
  const std::vector<CommitPaths> newest = repository->recent_commits("HEAD", 1);
  ASSERT_EQ(newest.size(), 1u);
  EXPECT_EQ(newest[0].paths, Names{"a"});
  EXPECT_TRUE(repository->recent_commits("no-such-revision", 1).empty());
}

}  // namespace
}  // namespace lockstep::repo
