// The working tree of a Git repository as a snapshot.
#include <gtest/gtest.h>

#include <filesystem>

#include "repo/diff.h"
#include "repo/git_fixture.h"
#include "repo/repository.h"

namespace lockstep::repo {
namespace {

using testing::GitFixture;
using Paths = std::vector<std::string>;

std::vector<std::string> paths_of(const Snapshot& snapshot) {
  std::vector<std::string> paths;
  for (const FileEntry& file : snapshot.files()) paths.push_back(file.path);
  return paths;
}

Snapshot worktree_of(const GitFixture& git) { return Repository::open(git.root()).value().worktree().value(); }
Snapshot head_of(const GitFixture& git) { return Repository::open(git.root()).value().snapshot_at("HEAD").value(); }

TEST(Worktree, CleanFilesKeepTheirBlobIds) {
  GitFixture git;
  git.write("a.py", "x\n");
  git.write("pkg/b.py", "y\n");
  git.commit("first");
  const Snapshot tree = worktree_of(git), head = head_of(git);
  ASSERT_EQ(paths_of(tree), paths_of(head));
  for (std::size_t i = 0; i < tree.files().size(); ++i) {
    EXPECT_EQ(tree.files()[i].content_id, head.files()[i].content_id);
    EXPECT_EQ(tree.read(i).value(), head.read(i).value());
  }
  EXPECT_TRUE(diff_snapshots(head, tree).files.empty());
}

TEST(Worktree, ChangesOfEveryKind) {
  GitFixture git;
  for (const char* path : {"changed.py", "deleted.py", "kept.py", "mode.py", "staged.py"}) git.write(path, "x = 1\n");
  git.write(".gitignore", "*.log\nout/\n");
  git.commit("first");
  git.write("changed.py", "x = 2\n");
  git.write("staged.py", "x = 3\n");
  git.git("add staged.py");
  std::filesystem::remove(git.path("deleted.py"));
  git.write("new.py", "n\n");
  git.write("deep/new.py", "n\n");
  git.write("run.log", "ignored\n");
  git.write("out/x.py", "ignored\n");
  git.write("node_modules/m.js", "not the project's own\n");
  std::filesystem::permissions(git.path("mode.py"), std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  const Snapshot tree = worktree_of(git), head = head_of(git);
  EXPECT_EQ(paths_of(tree),
            (Paths{".gitignore", "changed.py", "deep/new.py", "kept.py", "mode.py", "new.py", "staged.py"}));
  EXPECT_EQ(tree.read("changed.py").value(), "x = 2\n");
  EXPECT_EQ(tree.read("new.py").value(), "n\n");
  const SnapshotDiff diff = diff_snapshots(head, tree);
  ASSERT_EQ(diff.files.size(), 6u);
  EXPECT_EQ(diff.find_before("deleted.py")->kind, ChangeKind::deleted);
  EXPECT_EQ(diff.find_after("changed.py")->kind, ChangeKind::modified);
  EXPECT_EQ(diff.find_after("staged.py")->kind, ChangeKind::modified);
  EXPECT_EQ(diff.find_after("mode.py")->kind, ChangeKind::mode_changed);
  EXPECT_EQ(diff.find_after("new.py")->kind, ChangeKind::added);
}

TEST(Worktree, ModesCountOnlyWhereGitTrustsThem) {
  GitFixture git;
  git.write("a.py", "x\n");
  git.commit("first");
  git.git("config core.fileMode false");
  git.write("a.py", "y\n");
  std::filesystem::permissions(git.path("a.py"), std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(worktree_of(git).files()[0].mode, 0100644u);
}

TEST(Worktree, AFileThatBecameALink) {
  GitFixture git;
  git.write("a.py", "x\n");
  git.commit("first");
  std::filesystem::remove(git.path("a.py"));
  std::filesystem::create_symlink("elsewhere", git.path("a.py"));
  const Snapshot tree = worktree_of(git);
  ASSERT_EQ(tree.files().size(), 1u);
  EXPECT_EQ(tree.files()[0].kind, FileKind::symlink);
  EXPECT_EQ(tree.read("a.py").value(), "elsewhere");
}

TEST(Worktree, AnUnfinishedMergeIsReadAsItStands) {
  GitFixture git;
  git.write("a.py", "x\n");
  git.commit("first");
  git.git("checkout -q -b other");
  git.write("a.py", "other\n");
  git.commit("other");
  git.git("checkout -q main");
  git.write("a.py", "main\n");
  git.commit("main");
  git.git("merge -q other >/dev/null || true");
  const Snapshot tree = worktree_of(git);
  ASSERT_EQ(paths_of(tree), (Paths{"a.py"}));
  EXPECT_NE(tree.read("a.py").value().find("<<<<<<<"), std::string::npos);
}

TEST(Worktree, TouchedFilesAreNotChanged) {
  GitFixture git;
  git.write("a.py", "x\n");
  git.commit("first");
  std::filesystem::last_write_time(git.path("a.py"), std::filesystem::file_time_type::clock::now());
  EXPECT_TRUE(diff_snapshots(head_of(git), worktree_of(git)).files.empty());
}

TEST(Worktree, AMovedFileIsARename) {
  GitFixture git;
  git.write("old.py", "a = 1\nb = 2\nc = 3\n");
  git.commit("first");
  std::filesystem::rename(git.path("old.py"), git.path("new.py"));
  const SnapshotDiff diff = diff_snapshots(head_of(git), worktree_of(git));
  ASSERT_EQ(diff.files.size(), 1u);
  EXPECT_EQ(diff.files[0].kind, ChangeKind::renamed);
  EXPECT_EQ(diff.files[0].similarity_percent, 100);
}

TEST(Worktree, CheckedOutLineEndsDoNotCountAsChanges) {
  GitFixture git;
  git.write(".gitattributes", "*.py text eol=crlf\n");
  git.write("clean.py", "x\ny\n");
  git.write("dirty.py", "x\ny\n");
  git.commit("first");
  for (const char* path : {"clean.py", "dirty.py"}) std::filesystem::remove(git.path(path));
  git.git("checkout -q -- .");
  ASSERT_EQ(testing::read_file(git.path("clean.py")), "x\r\ny\r\n");
  git.write("dirty.py", "x\r\nz\r\n");
  const Snapshot tree = worktree_of(git);
  EXPECT_EQ(tree.read("clean.py").value(), "x\ny\n") << "as Git stores it";
  EXPECT_EQ(tree.read("dirty.py").value(), "x\nz\n");
  const SnapshotDiff diff = diff_snapshots(head_of(git), tree);
  ASSERT_EQ(diff.files.size(), 1u);
  EXPECT_EQ(diff.files[0].lines.added_lines(), (std::vector<std::uint32_t>{1}));
}

TEST(Worktree, ExternalFiltersNeverRun) {
  GitFixture git;
  git.write(".gitattributes", "*.py filter=evil\n");
  git.write("a.py", "x\n");
  git.commit("first");
  const std::string mark = git.beside("ran");
  git.git("config filter.evil.clean 'touch " + mark + "; cat'");
  git.git("config filter.evil.smudge 'touch " + mark + "; cat'");
  git.git("config core.fsmonitor 'touch " + mark + "'");
  git.write("a.py", "changed\n");
  EXPECT_EQ(worktree_of(git).read("a.py").value(), "changed\n");
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST(Worktree, SparseCheckoutReadsTheRestFromGit) {
  GitFixture git;
  git.write("in/a.py", "a\n");
  git.write("out/b.py", "b\n");
  git.commit("first");
  git.git("sparse-checkout set --no-cone /in/");
  ASSERT_FALSE(std::filesystem::exists(git.path("out/b.py")));
  const Snapshot tree = worktree_of(git);
  EXPECT_EQ(paths_of(tree), (Paths{"in/a.py", "out/b.py"}));
  EXPECT_EQ(tree.read("out/b.py").value(), "b\n");
  EXPECT_TRUE(diff_snapshots(head_of(git), tree).files.empty());
}

TEST(Worktree, FilesBehindALinkedFolderAreNotRead) {
  GitFixture git;
  git.write("pkg/a.py", "a\n");
  git.commit("first");
  testing::write_file(git.beside("secret/a.py"), "secret\n");
  std::filesystem::remove_all(git.path("pkg"));
  std::filesystem::create_symlink("../secret", git.path("pkg"));
  const Snapshot tree = worktree_of(git);
  EXPECT_FALSE(tree.find("pkg/a.py"));
}

TEST(Worktree, ANestedRepositoryIsNotOurs) {
  GitFixture git;
  git.write("a.py", "a\n");
  git.commit("first");
  git.write("nested/x.py", "x\n");
  testing::run_shell(git.path("nested"), "git init -q . && git add -A && git commit -q -m x");
  EXPECT_EQ(paths_of(worktree_of(git)), (Paths{"a.py"}));
}

TEST(Worktree, BeforeTheFirstCommit) {
  GitFixture git;
  git.write("a.py", "a\n");
  EXPECT_EQ(paths_of(worktree_of(git)), (Paths{"a.py"}));
}

}  // namespace
}  // namespace lockstep::repo
