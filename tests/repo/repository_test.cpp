#include "repo/repository.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>

#include "base/worker_pool.h"
#include "repo/git_fixture.h"

namespace lockstep::repo {
namespace {

using testing::GitFixture;
using testing::run_shell;
using testing::TempFolder;
using testing::write_file;
using Paths = std::vector<std::string>;

std::vector<std::string> paths_of(const Snapshot& snapshot) {
  std::vector<std::string> paths;
  for (const FileEntry& file : snapshot.files()) paths.push_back(file.path);
  return paths;
}

Repository open(const std::string& path) {
  Result<Repository> repository = Repository::open(path);
  EXPECT_TRUE(repository) << repository.error().message;
  return std::move(*repository);
}

TEST(Open, FindsTheWorkTreeFromASubfolderAndAFile) {
  GitFixture git;
  git.write("pkg/sub/a.py", "x\n");
  git.commit("first");
  for (const char* path : {"", "pkg/sub", "pkg/sub/a.py"}) {
    const Repository repository = open(git.path(path));
    EXPECT_TRUE(repository.is_git());
    EXPECT_FALSE(repository.is_bare());
    EXPECT_EQ(repository.root(), git.root());
    EXPECT_EQ(repository.head_branch(), "main");
  }
}

TEST(Open, ANearerLockstepTomlMakesAPlainFolder) {
  GitFixture git;
  git.write("sub/lockstep.toml", "");
  git.write("sub/deep/a.py", "x\n");
  const Repository repository = open(git.path("sub/deep"));
  EXPECT_FALSE(repository.is_git());
  EXPECT_EQ(repository.root(), git.path("sub"));
  EXPECT_EQ(paths_of(repository.worktree().value()), (Paths{"deep/a.py", "lockstep.toml"}));
}

TEST(Open, ALockstepTomlBesideDotGitIsTheGitRepository) {
  GitFixture git;
  git.write("lockstep.toml", "");
  EXPECT_TRUE(open(git.root()).is_git());
}

TEST(Open, AFolderWithoutGitIsPlain) {
  TempFolder folder;
  write_file(folder.path() + "/a.py", "x");
  const Repository repository = open(folder.path());
  EXPECT_FALSE(repository.is_git());
  EXPECT_EQ(repository.root(), folder.path());
  EXPECT_EQ(repository.current().value().files().size(), 1u);
  const Result<std::string> revision = repository.resolve("HEAD");
  ASSERT_FALSE(revision);
  EXPECT_EQ(revision.error().message, folder.path() + " is not a Git repository, so it has no revision 'HEAD'");
  EXPECT_FALSE(repository.has_revision("HEAD"));
  EXPECT_FALSE(repository.head_branch());
  EXPECT_TRUE(repository.remotes().empty());
}

TEST(Open, MissingPathIsAnError) { EXPECT_FALSE(Repository::open("/nonexistent/path")); }

TEST(Open, BareRepository) {
  GitFixture git;
  git.write("a.py", "x\n");
  git.commit("first");
  git.git("clone -q --bare . ../bare.git");
  const Repository repository = open(git.beside("bare.git"));
  EXPECT_TRUE(repository.is_bare());
  EXPECT_EQ(repository.root(), git.beside("bare.git"));
  EXPECT_EQ(repository.snapshot_at("HEAD").value().read("a.py").value(), "x\n");
  EXPECT_EQ(paths_of(repository.current().value()), (Paths{"a.py"}));
  ASSERT_FALSE(repository.worktree());
  EXPECT_EQ(repository.remotes().size(), 1u);
}

TEST(Open, BareRepositoryWithoutAConfig) {
  GitFixture git;
  git.write("a.py", "x\n");
  git.commit("first");
  git.git("clone -q --bare . ../bare.git");
  std::filesystem::remove(git.beside("bare.git/config"));
  EXPECT_TRUE(open(git.beside("bare.git")).is_bare());
}

TEST(Open, LinkedWorkTree) {
  GitFixture git;
  git.write("a.py", "x\n");
  git.commit("first");
  git.git("worktree add -q -b topic ../linked");
  write_file(git.beside("linked/b.py"), "y\n");
  const Repository repository = open(git.beside("linked"));
  EXPECT_EQ(repository.root(), git.beside("linked"));
  EXPECT_EQ(repository.head_branch(), "topic");
  EXPECT_EQ(paths_of(repository.worktree().value()), (Paths{"a.py", "b.py"}));
  EXPECT_EQ(repository.snapshot_at("topic").value().read("a.py").value(), "x\n");
}

TEST(Open, AWorkTreeWhoseGitFileLeadsNowhereIsReadAsAFolder) {
  TempFolder folder;
  write_file(folder.path() + "/.git", "gitdir: /nonexistent/place\n");
  write_file(folder.path() + "/a.py", "x");
  const Repository repository = open(folder.path());
  EXPECT_FALSE(repository.is_git());
  const Snapshot snapshot = repository.worktree().value();
  EXPECT_EQ(paths_of(snapshot), (Paths{"a.py"}));
  ASSERT_EQ(snapshot.problems().size(), 1u);
  EXPECT_NE(repository.resolve("HEAD").error().message.find("cannot be opened"), std::string::npos);
}

TEST(Open, AnotherObjectFormatIsReadAsAFolder) {
  TempFolder folder;
  run_shell(folder.path(), "git init -q --object-format=sha256 .");
  write_file(folder.path() + "/a.py", "x");
  const Repository repository = open(folder.path());
  EXPECT_FALSE(repository.is_git());
  const Snapshot snapshot = repository.worktree().value();
  EXPECT_EQ(paths_of(snapshot), (Paths{"a.py"}));
  EXPECT_EQ(snapshot.problems().size(), 1u);
}

TEST(Open, CoreWorktreeCannotPointElsewhere) {
  GitFixture git;
  write_file(git.beside("other/secret.py"), "secret");
  git.write("a.py", "x\n");
  git.commit("first");
  git.git("config core.worktree " + git.beside("other"));
  const Repository repository = open(git.root());
  EXPECT_EQ(repository.root(), git.root());
  EXPECT_EQ(paths_of(repository.worktree().value()), (Paths{"a.py"}));
}

TEST(Snapshots, TreeHasKindsModesAndIds) {
  GitFixture git;
  git.write("run.sh", "#!/bin/sh\n");
  git.write("a/b.py", "x\n");
  std::filesystem::create_symlink("a/b.py", git.path("link"));
  std::filesystem::permissions(git.path("run.sh"), std::filesystem::perms::owner_exec,
                               std::filesystem::perm_options::add);
  git.commit("first");
  const Snapshot snapshot = open(git.root()).snapshot_at("HEAD").value();
  ASSERT_EQ(paths_of(snapshot), (Paths{"a/b.py", "link", "run.sh"}));
  EXPECT_EQ(snapshot.files()[0].content_id, git.git("rev-parse HEAD:a/b.py"));
  EXPECT_EQ(snapshot.files()[0].size_bytes, 2u);
  EXPECT_EQ(snapshot.files()[0].mode, 0100644u);
  EXPECT_EQ(snapshot.files()[1].kind, FileKind::symlink);
  EXPECT_EQ(snapshot.read("link").value(), "a/b.py");
  EXPECT_EQ(snapshot.files()[2].mode, 0100755u);
}

TEST(Snapshots, SubmodulesAreListedNotRead) {
  GitFixture inner("inner");
  inner.write("x.py", "x\n");
  const std::string inner_commit = inner.commit("inner");
  GitFixture git;
  git.write("a.py", "x\n");
  git.git("-c protocol.file.allow=always submodule --quiet add " + inner.root() + " sub");
  git.commit("with submodule");
  const Repository repository = open(git.root());
  for (const Snapshot& snapshot : {repository.snapshot_at("HEAD").value(), repository.worktree().value()}) {
    ASSERT_EQ(paths_of(snapshot), (Paths{".gitmodules", "a.py", "sub"}));
    EXPECT_EQ(snapshot.files()[2].kind, FileKind::submodule);
    EXPECT_EQ(snapshot.files()[2].content_id, inner_commit);
    EXPECT_FALSE(snapshot.read("sub"));
  }
  EXPECT_EQ(open(git.path("sub")).root(), git.path("sub"));
}

TEST(Snapshots, NamesThatAreNotUtf8) {
  GitFixture git;
  git.write("b\xff.py", "odd\n");
  git.commit("first");
  const Repository repository = open(git.root());
  EXPECT_EQ(repository.snapshot_at("HEAD").value().read("b\\377.py").value(), "odd\n");
  EXPECT_EQ(repository.worktree().value().read("b\\377.py").value(), "odd\n");
}

TEST(Snapshots, PartialCloneMissesBlobsNotFiles) {
  GitFixture git;
  git.write("a.py", "one\n");
  git.commit("first");
  git.write("a.py", "two\n");
  git.write("b.py", "b\n");
  git.commit("second");
  git.git("config uploadpack.allowFilter true");
  git.git("clone -q --filter=blob:none --no-local file://" + git.root() + " ../partial");
  const Repository repository = open(git.beside("partial"));
  ASSERT_TRUE(repository.is_git());
  const Snapshot head = repository.snapshot_at("HEAD").value();
  EXPECT_EQ(head.read("a.py").value(), "two\n") << "checked out, so present";
  const Snapshot first = repository.snapshot_at("HEAD~1").value();
  ASSERT_EQ(paths_of(first), (Paths{"a.py"}));
  const Result<std::string> missing = first.read("a.py");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("is not in this clone"), std::string::npos) << missing.error().message;
  EXPECT_FALSE(missing.error().next_step.empty());
}

// A few objects that unfold to ten thousand million files, or folders without any file.
TEST(Snapshots, TreesThatRepeatThemselvesAreBounded) {
  GitFixture git;
  for (const char* start :
       {"100644 blob $(echo x | git hash-object -w --stdin)", "040000 tree $(git mktree </dev/null)"}) {
    const std::string tree = run_shell(
        git.root(), fmt::format("entry=\"{}\"; for level in 1 2 3 4 5 6 7 8 9 10; do "
                                "tree=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '%s\\tn%s\\n' \"$entry\" $n; done | "
                                "git mktree); entry=\"040000 tree $tree\"; done; printf %s $tree",
                                start));
    SnapshotLimits limits;
    limits.max_files = 5000;
    const Snapshot snapshot = open(git.root()).snapshot_at(tree, limits).value();
    EXPECT_LE(snapshot.files().size(), 5000u);
    ASSERT_EQ(snapshot.problems().size(), 1u);
    EXPECT_NE(snapshot.problems()[0].message.find("more than 5000"), std::string::npos);
  }
}

TEST(Snapshots, BlobsOutliveTheRepository) {
  GitFixture git;
  git.write("a.py", "x\n");
  git.commit("first");
  const Snapshot snapshot = open(git.root()).snapshot_at("HEAD").value();
  EXPECT_EQ(snapshot.read("a.py").value(), "x\n");
}

TEST(Snapshots, ManyThreadsReadAtOnce) {
  GitFixture git;
  for (int i = 0; i < 300; ++i) git.write(fmt::format("f{}", i), std::string(2000, static_cast<char>('a' + i % 26)));
  git.commit("first");
  git.git("gc -q");
  const Snapshot snapshot = open(git.root()).snapshot_at("HEAD").value();
  std::vector<std::string> bytes(snapshot.files().size());
  parallel_for(bytes.size(), 8, [&](std::size_t i) { bytes[i] = snapshot.read(i).value(); });
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i].size(), 2000u) << snapshot.files()[i].path;
}

TEST(Revisions, ResolveNamesAndAbbreviations) {
  GitFixture git;
  const std::string first = git.commit("first");
  git.git("tag -a v1 -m one");
  const std::string second = git.commit("second");
  const Repository repository = open(git.root());
  git.git("checkout -q --detach");
  EXPECT_FALSE(repository.head_branch()) << "detached";
  EXPECT_EQ(repository.resolve("HEAD").value(), second);
  EXPECT_EQ(repository.resolve("main~1").value(), first);
  EXPECT_EQ(repository.resolve("v1").value(), first) << "an annotated tag is peeled";
  EXPECT_EQ(repository.resolve(second.substr(0, 9)).value(), second);
  EXPECT_TRUE(repository.has_reference("v1"));
  EXPECT_FALSE(repository.has_reference("v2"));
  EXPECT_FALSE(repository.resolve(git.git("rev-parse HEAD^{tree}"))) << "a tree is no commit";
}

TEST(Revisions, UnknownOnesNameTheNearest) {
  GitFixture git;
  git.commit("first");
  git.git("branch feature-tensor-parallel");
  git.git("update-ref refs/remotes/origin/pipeline HEAD");
  git.git("remote add origin ../elsewhere");
  const Repository repository = open(git.root());
  const Error error = repository.resolve("feature-tensor-paralel").error();
  EXPECT_EQ(error.message, "no revision 'feature-tensor-paralel' in this repository");
  EXPECT_EQ(error.next_step,
            "did you mean 'feature-tensor-parallel'? Otherwise fetch it first: `git fetch origin "
            "feature-tensor-paralel:feature-tensor-paralel`");
  EXPECT_NE(repository.resolve("pipelin").error().next_step.find("'origin/pipeline'"), std::string::npos);
  EXPECT_EQ(repository.resolve("nothing-like-it").error().next_step,
            "fetch it first: `git fetch origin nothing-like-it:nothing-like-it`");
  const std::string id(40, 'a');
  EXPECT_EQ(repository.resolve(id).error().message, "no commit " + id + " in this repository");
  EXPECT_FALSE(repository.resolve(""));
  EXPECT_FALSE(repository.resolve(std::string(5000, 'x')));
}

TEST(Revisions, MistypedHeadsAndNamesWithTwins) {
  GitFixture git;
  git.commit("first");
  git.git("branch -M master");
  const Repository repository = open(git.root());
  const auto next_step = [&](std::string_view revision) { return repository.resolve(revision).error().next_step; };
  EXPECT_EQ(next_step("HAED"), "did you mean 'HEAD'? Otherwise `git branch -a` and `git tag` list the names");
  EXPECT_EQ(next_step("main"), "did you mean 'master'? Otherwise `git branch -a` and `git tag` list the names");
  // Without a remote nothing can be fetched.
  EXPECT_EQ(next_step("nothing-like-it"), "`git branch -a` and `git tag` list the names");
}

TEST(Revisions, BeforeTheFirstCommitThereIsNone) {
  GitFixture git;
  git.commit("first");
  const Error error = open(git.root()).resolve("HEAD~1").error();
  EXPECT_EQ(error.message, "no revision 'HEAD~1': the history of 'HEAD' does not go back so far");
  EXPECT_EQ(error.next_step, "the first commit of a repository is named alone: it is compared with nothing");
}

TEST(Revisions, APathIsSaidToBeOne) {
  GitFixture git;
  git.write("core/train.py", "X = 1\n");
  git.commit("first");
  const Repository repository = open(git.root());
  for (const std::string path : {"core/train.py", "core"}) {
    const Error error = repository.resolve(path).error();
    EXPECT_EQ(error.message, "'" + path + "' is a path in this repository, not a revision");
    EXPECT_EQ(error.next_step,
              "name a commit, a branch or a range (`A..B`); `lockstep check " + path + "` looks at files");
  }
  EXPECT_EQ(repository.resolve("core/serve.py").error().message, "no revision 'core/serve.py' in this repository");
}

TEST(Revisions, ANewRepositoryHasNoCommit) {
  GitFixture git;
  const Repository repository = open(git.root());
  EXPECT_FALSE(repository.has_commits());
  EXPECT_EQ(repository.resolve("HEAD").error().message, "this repository has no commit yet");
}

TEST(History, CommitInfoIsInUtcAndSplit) {
  GitFixture git;
  git.commit("first");
  const std::string id = git.commit("Shard the\noptimizer\n\nBecause it is large.\n\nSigned-off-by: Ada");
  const CommitInfo info = open(git.root()).commit_info("HEAD").value();
  EXPECT_EQ(info.id, id);
  EXPECT_EQ(info.subject, "Shard the optimizer");
  EXPECT_EQ(info.body, "Because it is large.\n\nSigned-off-by: Ada");
  EXPECT_EQ(info.author, "Ada Lovelace <ada@example.org>");
  EXPECT_EQ(info.date, "2024-05-31T09:30:00Z");
  EXPECT_EQ(info.parents.size(), 1u);
}

TEST(History, MessagesInOtherEncodingsBecomeUtf8) {
  GitFixture git;
  write_file(git.beside("message"),
             "Gr\xfc\xdf"
             "e\n");
  git.git("-c i18n.commitEncoding=ISO-8859-1 commit -q --allow-empty -F ../message");
  EXPECT_EQ(open(git.root()).commit_info("HEAD").value().subject, "Grüße");
}

TEST(History, ParentsMergeBasesAndRanges) {
  GitFixture git;
  const std::string root = git.commit("root");
  git.git("checkout -q -b topic");
  const std::string t1 = git.commit("t1");
  const std::string t2 = git.commit("t2");
  git.git("checkout -q main");
  const std::string m1 = git.commit("m1");
  git.git("merge -q --no-ff -m merge topic");
  const Repository repository = open(git.root());
  EXPECT_EQ(repository.merge_base("topic", m1).value(), root);
  EXPECT_EQ(repository.first_parent("HEAD").value(), m1);
  EXPECT_EQ(repository.first_parent(root).value(), std::nullopt);
  std::vector<std::string> subjects;
  const std::vector<CommitInfo> commits = repository.commits_between(root, "topic").value();
  for (const CommitInfo& commit : commits) subjects.push_back(commit.subject);
  EXPECT_EQ(subjects, (Paths{"t1", "t2"}));
  EXPECT_TRUE(repository.commits_between("topic", "topic").value().empty());
  git.git("checkout -q --orphan lonely");
  git.commit("lonely");
  EXPECT_NE(repository.merge_base("main", "lonely").error().message.find("no common ancestor"), std::string::npos);
}

TEST(History, ShallowCloneSaysThatTheParentIsMissing) {
  GitFixture git;
  git.write("a.py", "1\n");
  git.commit("first");
  git.write("a.py", "2\n");
  git.commit("second");
  git.git("clone -q --depth 1 file://" + git.root() + " ../shallow");
  const Repository repository = open(git.beside("shallow"));
  EXPECT_EQ(repository.snapshot_at("HEAD").value().read("a.py").value(), "2\n");
  const auto parent = repository.first_parent("HEAD");
  ASSERT_FALSE(parent);
  EXPECT_NE(parent.error().next_step.find("git fetch --unshallow"), std::string::npos);
}

TEST(History, RemotesPutOriginFirst) {
  GitFixture git;
  git.git("remote add backup https://example.org/b.git");
  git.git("remote add origin https://example.org/o.git");
  const std::vector<Remote> remotes = open(git.root()).remotes();
  ASSERT_EQ(remotes.size(), 2u);
  EXPECT_EQ(remotes[0].name, "origin");
  EXPECT_EQ(remotes[1].url, "https://example.org/b.git");
}

}  // namespace
}  // namespace lockstep::repo
