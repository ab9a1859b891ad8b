#include "repo/change_spec.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "repo/git_fixture.h"

namespace lockstep::repo {
namespace {

using testing::GitFixture;
using testing::TempFolder;
using testing::write_file;

Repository open(const std::string& path) { return Repository::open(path).value(); }

template <class Change>
Change parsed_as(const Repository& repository, std::string_view argument,
                 const std::optional<std::string>& stdin_text = std::nullopt) {
  const Result<ChangeInput> input = parse_change(repository, argument, stdin_text);
  EXPECT_TRUE(input) << argument << ": " << input.error().message;
  if (!input || !std::holds_alternative<Change>(*input)) {
    ADD_FAILURE() << argument << " is read as alternative " << (input ? input->index() : 99);
    return Change{};
  }
  return std::get<Change>(*input);
}

// main: first - second; topic: first - third.
struct Forked {
  GitFixture git;
  std::string first, second, third;
  Forked() {
    git.write("a.py", "one\n");
    first = git.commit("First");
    git.git("checkout -q -b topic");
    git.write("b.py", "b\n");
    third = git.commit("Third subject\n\nThird body.");
    git.git("checkout -q main");
    git.write("a.py", "two\n");
    second = git.commit("Second");
  }
};

TEST(ParseChange, Ranges) {
  const Forked fork;
  const Repository repository = open(fork.git.root());
  const auto two = parsed_as<RangeChange>(repository, "main..topic");
  EXPECT_EQ(two.base, "main");
  EXPECT_EQ(two.head, "topic");
  EXPECT_FALSE(two.from_merge_base);
  EXPECT_TRUE(parsed_as<RangeChange>(repository, "main...topic").from_merge_base);
  EXPECT_EQ(parsed_as<RangeChange>(repository, "topic..").head, "HEAD");
  EXPECT_EQ(parsed_as<RangeChange>(repository, "..topic").base, "HEAD");
  EXPECT_EQ(parse_change(repository, "main..tpic").error().message, "no revision 'tpic' in this repository");
  for (const char* malformed : {"main...topic..HEAD", "main..topic...HEAD", "main..HEAD..topic"}) {
    const auto refused = parse_change(repository, malformed);
    ASSERT_FALSE(refused) << malformed;
    EXPECT_EQ(refused.error().message, "'" + std::string(malformed) + "' names more than two ends of a range");
  }
}

TEST(ParseChange, CommitsAndPullRequests) {
  const Forked fork;
  const Repository repository = open(fork.git.root());
  EXPECT_EQ(parsed_as<CommitChange>(repository, "topic").revision, "topic");
  EXPECT_EQ(parsed_as<CommitChange>(repository, fork.first).revision, fork.first);
  EXPECT_EQ(parsed_as<CommitChange>(repository, "HEAD~1").revision, "HEAD~1");
  EXPECT_EQ(parsed_as<ForgeRef>(repository, "1234").number, 1234u);
  const auto named = parsed_as<ForgeRef>(repository, "NVIDIA/Megatron-LM#1234");
  EXPECT_EQ(named.owner, "NVIDIA");
  EXPECT_EQ(named.repo, "Megatron-LM");
  EXPECT_EQ(named.number, 1234u);
  const auto url = parsed_as<ForgeRef>(repository, "https://GitHub.com/pytorch/torchtitan/pull/77/files?w=1#r5");
  EXPECT_EQ(url.host, "github.com");
  EXPECT_EQ(url.owner, "pytorch");
  EXPECT_EQ(url.number, 77u);
  EXPECT_EQ(parsed_as<ForgeRef>(repository, "#9").number, 9u);
  fork.git.git("branch 4321");
  EXPECT_EQ(parsed_as<CommitChange>(repository, "4321").revision, "4321") << "a branch of that name is nearer";
  for (const char* bad : {"https://github.com/x/y", "https://github.com/x/y/pull/zero", "", "0", "no-such-thing"}) {
    EXPECT_FALSE(parse_change(repository, bad)) << bad;
  }
}

TEST(ParseChange, PatchesFromFilesAndStandardInput) {
  const Forked fork;
  const Repository repository = open(fork.git.root());
  const std::string file = fork.git.beside("my.patch");
  write_file(file, "text");
  EXPECT_EQ(parsed_as<PatchChange>(repository, file).text, "text");
  const std::string odd = fork.git.beside("odd..name");
  write_file(odd, "odd");
  EXPECT_EQ(parsed_as<PatchChange>(repository, odd).text, "odd") << "two dots in a path are no range";
  const auto piped = parsed_as<PatchChange>(repository, "-", "piped");
  EXPECT_EQ(piped.name, "standard input");
  EXPECT_EQ(piped.text, "piped");
  EXPECT_FALSE(parse_change(repository, "-"));
  EXPECT_NE(parse_change(repository, "missing.patch").error().message.find("No such file"), std::string::npos);
  parsed_as<WorktreeChange>(repository, "--worktree");
}

ChangeSides loaded(const Repository& repository, std::string_view argument, const LoadOptions& options = {}) {
  Result<ChangeSides> sides = load_change(repository, parse_change(repository, argument).value(), options);
  EXPECT_TRUE(sides) << argument << ": " << sides.error().message;
  return sides ? std::move(*sides) : ChangeSides{};
}

TEST(LoadChange, ACommitAgainstItsParent) {
  const Forked fork;
  const ChangeSides sides = loaded(open(fork.git.root()), "topic");
  EXPECT_EQ(sides.before_commit, fork.first);
  EXPECT_EQ(sides.after_commit, fork.third);
  EXPECT_EQ(sides.after_name, "topic (" + fork.third.substr(0, 12) + ")");
  EXPECT_EQ(sides.title, "Third subject");
  EXPECT_EQ(sides.body, "Third body.");
  EXPECT_FALSE(sides.before.find("b.py"));
  EXPECT_TRUE(sides.after.find("b.py"));
  ASSERT_EQ(sides.commits.size(), 1u);
}

TEST(LoadChange, ARootCommitStartsFromNothing) {
  const Forked fork;
  const ChangeSides sides = loaded(open(fork.git.root()), fork.first);
  EXPECT_TRUE(sides.before.files().empty());
  EXPECT_EQ(sides.before_commit, "");
  EXPECT_EQ(sides.before_name, "nothing (this is a root commit)");
  EXPECT_EQ(sides.title, "First");
}

TEST(LoadChange, RangesWithAndWithoutMergeBase) {
  const Forked fork;
  const Repository repository = open(fork.git.root());
  const ChangeSides direct = loaded(repository, "main..topic");
  EXPECT_EQ(direct.before_commit, fork.second);
  EXPECT_EQ(direct.before.read("a.py").value(), "two\n");
  const ChangeSides merged = loaded(repository, "main...topic");
  EXPECT_EQ(merged.before_commit, fork.first);
  EXPECT_EQ(merged.before.read("a.py").value(), "one\n");
  EXPECT_EQ(merged.before_name, fork.first.substr(0, 12) + ", where main and topic part");
  EXPECT_EQ(merged.title, "Third subject");
}

TEST(LoadChange, SeveralCommitsHaveNoTitleOfTheirOwn) {
  const Forked fork;
  fork.git.git("checkout -q topic");
  fork.git.write("c.py", "c\n");
  fork.git.commit("Fourth");
  const ChangeSides sides = loaded(open(fork.git.root()), "main...topic");
  EXPECT_EQ(sides.title, "");
  ASSERT_EQ(sides.commits.size(), 2u);
  EXPECT_EQ(sides.commits[0].subject, "Third subject");
  EXPECT_EQ(sides.commits[1].subject, "Fourth");
}

TEST(LoadChange, TheWorkingTree) {
  const Forked fork;
  fork.git.write("a.py", "three\n");
  const ChangeSides sides = loaded(open(fork.git.root()), "--worktree");
  EXPECT_EQ(sides.before.read("a.py").value(), "two\n");
  EXPECT_EQ(sides.after.read("a.py").value(), "three\n");
  EXPECT_EQ(sides.before_commit, fork.second);
  EXPECT_EQ(sides.after_commit, "");
  EXPECT_TRUE(sides.commits.empty());
}

TEST(LoadChange, TheWorkingTreeBeforeTheFirstCommit) {
  GitFixture git;
  git.write("a.py", "x\n");
  const ChangeSides sides = loaded(open(git.root()), "--worktree");
  EXPECT_TRUE(sides.before.files().empty());
  EXPECT_TRUE(sides.after.find("a.py"));
}

TEST(LoadChange, APatchWithItsMessage) {
  const Forked fork;
  const std::string file = fork.git.beside("third.patch");
  write_file(file, fork.git.git("format-patch --stdout -1 topic") + "\n");
  const Repository repository = open(fork.git.root());
  const ChangeSides sides = loaded(repository, file);
  EXPECT_EQ(sides.title, "Third subject");
  EXPECT_EQ(sides.body, "Third body.");
  EXPECT_EQ(sides.after.read("b.py").value(), "b\n");
  EXPECT_EQ(sides.before_name, "the working tree");
  EXPECT_EQ(sides.before_commit, "");
  LoadOptions options;
  options.patch_base = "HEAD~1";
  const ChangeSides on_base = loaded(repository, file, options);
  EXPECT_EQ(on_base.before_commit, fork.first);
  EXPECT_EQ(on_base.after.read("a.py").value(), "one\n");
}

TEST(LoadChange, APatchOnABareRepositoryUsesHead) {
  const Forked fork;
  fork.git.git("clone -q --bare . ../bare.git");
  const std::string file = fork.git.beside("third.patch");
  write_file(file, fork.git.git("diff main~1 topic") + "\n");
  const ChangeSides sides = loaded(open(fork.git.beside("bare.git")), file);
  EXPECT_EQ(sides.before_commit, fork.second);
  EXPECT_EQ(sides.title, "");
}

TEST(LoadChange, APatchOnAPlainFolder) {
  TempFolder folder;
  write_file(folder.path() + "/x.py", "a\n");
  const Repository repository = open(folder.path());
  const ChangeInput input = PatchChange{"p", "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"};
  EXPECT_EQ(load_change(repository, input).value().after.read("x.py").value(), "b\n");
  EXPECT_FALSE(load_change(repository, WorktreeChange{}));
}

TEST(LoadChange, ErrorsNameThePatchAndTheNextStep) {
  const Forked fork;
  const Repository repository = open(fork.git.root());
  const auto result =
      load_change(repository, PatchChange{"my.patch", "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-zero\n+x\n"});
  ASSERT_FALSE(result);
  EXPECT_EQ(
      result.error().message,
      "my.patch: a.py: hunk 1 of 1 (@@ -1 +1 @@) does not apply: removed line 1 expected \"zero\", found \"two\"");
  EXPECT_EQ(result.error().next_step, "name the revision that the patch was made from: `--base REV`");
  const auto forge = load_change(repository, ForgeRef{"", "", "", 7});
  ASSERT_FALSE(forge);
  EXPECT_NE(forge.error().next_step.find("pull/7/head"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::repo
