#include "repo/diff.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "repo/git_fixture.h"
#include "repo/repository.h"

namespace lockstep::repo {
namespace {

using Lines = std::vector<std::uint32_t>;

std::string numbered(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += fmt::format("line {}\n", i);
  return text;
}

TEST(DiffLines, EqualTextsHaveNoHunks) {
  const LineDiff diff = diff_lines("a\nb\n", "a\nb\n");
  EXPECT_TRUE(diff.empty());
  EXPECT_EQ(diff.map_old_to_new(1), 1u);
  EXPECT_FALSE(diff.in_hunk(0));
  EXPECT_EQ(LineDiff().map_new_to_old(77), 77u);
}

TEST(DiffLines, OneChangedLineInTheMiddle) {
  const std::string before = numbered(0, 19);
  std::string after = before;
  after.replace(after.find("line 10\n"), 8, "LINE 10\nextra\n");
  const LineDiff diff = diff_lines(before, after);
  ASSERT_EQ(diff.hunks().size(), 1u);
  const Hunk& hunk = diff.hunks()[0];
  EXPECT_EQ(hunk.old_start, 7u);
  EXPECT_EQ(hunk.old_count, 7u);
  EXPECT_EQ(hunk.new_start, 7u);
  EXPECT_EQ(hunk.new_count, 8u);
  EXPECT_EQ(diff.added_lines(), (Lines{10, 11}));
  EXPECT_EQ(diff.removed_lines(), (Lines{10}));
  EXPECT_TRUE(diff.is_added_line(11));
  EXPECT_FALSE(diff.is_added_line(12));
  EXPECT_TRUE(diff.is_removed_line(10));
  EXPECT_TRUE(diff.has_added_in(0, 10));
  EXPECT_FALSE(diff.has_added_in(0, 9));
  EXPECT_FALSE(diff.has_added_in(12, 100));
  EXPECT_TRUE(diff.has_removed_in(10, 10));
  for (const auto& [line, inside] : {std::pair(6u, false), {7u, true}, {14u, true}, {15u, false}}) {
    EXPECT_EQ(diff.in_hunk(line), inside) << line;
  }
  EXPECT_TRUE(diff.in_hunk_before(13));
  EXPECT_FALSE(diff.in_hunk_before(14));
  EXPECT_EQ(diff.map_old_to_new(9), 9u);
  EXPECT_EQ(diff.map_old_to_new(10), std::nullopt);
  EXPECT_EQ(diff.map_old_to_new(11), 12u);
  EXPECT_EQ(diff.map_old_to_new(19), 20u);
  EXPECT_EQ(diff.map_new_to_old(10), std::nullopt);
  EXPECT_EQ(diff.map_new_to_old(11), std::nullopt);
  EXPECT_EQ(diff.map_new_to_old(12), 11u);
  EXPECT_EQ(hunk.lines[3].text, "line 10");
  EXPECT_EQ(hunk.lines[3].kind, LineKind::removed);
  EXPECT_EQ(hunk.lines[4].new_line, 10u);
}

TEST(DiffLines, InsertionsAndDeletionsAtTheEdges) {
  const LineDiff top = diff_lines("a\n", "x\na\n", 0);
  EXPECT_EQ(top.hunks()[0].old_start, 0u);
  EXPECT_EQ(top.hunks()[0].old_count, 0u);
  EXPECT_EQ(top.map_old_to_new(0), 1u);
  const LineDiff end = diff_lines("a\n", "a\nx\n", 0);
  EXPECT_EQ(end.hunks()[0].old_start, 1u) << "before the line that would come next";
  EXPECT_EQ(end.added_lines(), (Lines{1}));
  const LineDiff fill = diff_lines("", "a\nb\n");
  EXPECT_EQ(fill.added_lines(), (Lines{0, 1}));
  EXPECT_TRUE(fill.in_hunk(1));
  EXPECT_FALSE(fill.in_hunk(2));
  EXPECT_EQ(diff_lines("a\nb\n", "").removed_lines(), (Lines{0, 1}));
}

TEST(DiffLines, AMissingLastLineEndIsAChange) {
  const LineDiff diff = diff_lines("a\nb", "a\nb\n");
  EXPECT_EQ(diff.added_lines(), (Lines{1}));
  EXPECT_EQ(diff.removed_lines(), (Lines{1}));
  EXPECT_FALSE(diff.hunks()[0].lines[1].ends_with_newline);
  EXPECT_TRUE(diff.hunks()[0].lines[2].ends_with_newline);
}

TEST(DiffLines, ManyDifferentLinesStayFast) {
  std::string before, after;
  for (std::int64_t i = 0; i < 50'000; ++i) {
    before += fmt::format("{}\n", i * 7919 % 50'021);
    after += fmt::format("{}\n", i * 104'729 % 50'021);
  }
  const LineDiff diff = diff_lines(before, after);
  EXPECT_FALSE(diff.empty());
}

const FileChange& only(const SnapshotDiff& diff) {
  EXPECT_EQ(diff.files.size(), 1u);
  return diff.files.front();
}

TEST(DiffSnapshots, OfASnapshotWithItselfIsEmpty) {
  const Snapshot snapshot = memory_snapshot({{"a", "1"}, {"b", "2"}});
  EXPECT_TRUE(diff_snapshots(snapshot, snapshot).files.empty());
}

TEST(DiffSnapshots, KindsAndLookups) {
  const Snapshot before = memory_snapshot({{"gone.py", "g\n"}, {"kept.py", "k\n"}, {"mod.py", "a\nb\n"}});
  const Snapshot after = memory_snapshot({{"kept.py", "k\n"}, {"mod.py", "a\nc\n"}, {"new.txt", "n\n"}});
  const SnapshotDiff diff = diff_snapshots(before, after);
  ASSERT_EQ(diff.files.size(), 3u);
  EXPECT_EQ(diff.files[0].path(), "gone.py");
  EXPECT_EQ(diff.find_after("gone.py"), nullptr);
  EXPECT_EQ(diff.find_before("gone.py")->kind, ChangeKind::deleted);
  EXPECT_EQ(diff.find_before("gone.py")->lines.removed_lines(), (Lines{0}));
  EXPECT_EQ(diff.find_after("mod.py")->lines.added_lines(), (Lines{1}));
  EXPECT_EQ(diff.find_before("new.txt"), nullptr);
  EXPECT_EQ(diff.find_after("new.txt")->kind, ChangeKind::added);
  EXPECT_EQ(diff.find_after("kept.py"), nullptr);
  EXPECT_EQ(*diff.find_after("mod.py")->before_index, *before.find("mod.py"));
}

TEST(DiffSnapshots, SwappingTheSidesMirrorsTheChange) {
  const Snapshot before = memory_snapshot({{"a.py", numbered(0, 30)}, {"b.py", "b\n"}});
  const Snapshot after = memory_snapshot({{"a.py", numbered(3, 33)}, {"c.py", "c\n"}});
  const SnapshotDiff forth = diff_snapshots(before, after), back = diff_snapshots(after, before);
  EXPECT_EQ(forth.find_after("a.py")->lines.added_lines(), back.find_after("a.py")->lines.removed_lines());
  EXPECT_EQ(forth.find_before("b.py")->kind, ChangeKind::deleted);
  EXPECT_EQ(back.find_after("b.py")->kind, ChangeKind::added);
}

TEST(DiffSnapshots, ThreadCountDoesNotMatter) {
  std::map<std::string, std::string> before, after;
  for (int i = 0; i < 60; ++i) {
    before[fmt::format("f{}.py", i)] = numbered(i, i + 20);
    after[fmt::format("f{}.py", i * 2)] = numbered(i, i + 22);
  }
  const SnapshotDiff one = diff_snapshots(memory_snapshot(before), memory_snapshot(after), {3, 1});
  const SnapshotDiff many = diff_snapshots(memory_snapshot(before), memory_snapshot(after), {3, 8});
  ASSERT_EQ(one.files.size(), many.files.size());
  for (std::size_t i = 0; i < one.files.size(); ++i) {
    EXPECT_EQ(one.files[i].old_path, many.files[i].old_path);
    EXPECT_EQ(one.files[i].new_path, many.files[i].new_path);
    EXPECT_EQ(one.files[i].lines.added_lines(), many.files[i].lines.added_lines());
  }
}

TEST(Renames, ExactOnesKeepTheirNameFirst) {
  const Snapshot before = memory_snapshot({{"a/x.py", "same\n"}, {"a/y.py", "same\n"}});
  const Snapshot after = memory_snapshot({{"b/y.py", "same\n"}, {"b/z.py", "same\n"}});
  const SnapshotDiff diff = diff_snapshots(before, after);
  ASSERT_EQ(diff.files.size(), 2u);
  EXPECT_EQ(diff.files[0].old_path, "a/y.py");
  EXPECT_EQ(diff.files[0].new_path, "b/y.py");
  EXPECT_EQ(diff.files[1].old_path, "a/x.py");
  EXPECT_EQ(diff.files[0].similarity_percent, 100);
  EXPECT_TRUE(diff.files[0].lines.empty());
}

TEST(Renames, SimilarFilesOfOneExtension) {
  const Snapshot before = memory_snapshot({{"old.py", numbered(0, 19)}, {"other.py", "quite different\n"}});
  const Snapshot after = memory_snapshot({{"new.py", numbered(0, 14) + "changed\n"}, {"new.txt", numbered(0, 19)}});
  const SnapshotDiff diff = diff_snapshots(before, after);
  ASSERT_EQ(diff.files.size(), 3u);
  // The exact copy wins, whatever its extension.
  EXPECT_EQ(diff.find_before("old.py")->new_path, "new.txt");
  const Snapshot only_py = memory_snapshot({{"new.py", numbered(0, 14) + "changed\n"}});
  const SnapshotDiff similar = diff_snapshots(before, only_py);
  const FileChange& renamed = *similar.find_after("new.py");
  EXPECT_EQ(renamed.kind, ChangeKind::renamed);
  EXPECT_EQ(renamed.old_path, "old.py");
  EXPECT_GE(renamed.similarity_percent, 50);
  EXPECT_LT(renamed.similarity_percent, 100);
  EXPECT_EQ(renamed.lines.added_lines(), (Lines{15}));
}

TEST(Renames, LessThanHalfAlikeIsNoRename) {
  const Snapshot before = memory_snapshot({{"old.py", numbered(0, 19)}});
  const Snapshot after = memory_snapshot({{"new.py", numbered(0, 8) + numbered(100, 130)}});
  const SnapshotDiff diff = diff_snapshots(before, after);
  ASSERT_EQ(diff.files.size(), 2u);
  EXPECT_EQ(diff.find_after("new.py")->kind, ChangeKind::added);
}

TEST(Renames, EmptyFilesAreNotPaired) {
  const SnapshotDiff diff =
      diff_snapshots(memory_snapshot({{"a/__init__.py", ""}}), memory_snapshot({{"b/__init__.py", ""}}));
  EXPECT_EQ(diff.files.size(), 2u);
}

TEST(Renames, ThousandsOfAlikeFilesStayFast) {
  std::map<std::string, std::string> before, after;
  const std::string licence = numbered(0, 20);
  for (int i = 0; i < 3000; ++i) {
    before[fmt::format("a/f{}.py", i)] = licence + fmt::format("x = {}\ny = {}\nz = {}\n", i, i * 3, i * 7);
    after[fmt::format("b/g{}.py", i)] = licence + fmt::format("x = {}\ny = {}\nz = {}\nw = 1\n", i, i * 3, i * 7);
  }
  const SnapshotDiff diff = diff_snapshots(memory_snapshot(before), memory_snapshot(after));
  std::size_t right = 0;
  for (const FileChange& file : diff.files) {
    right += file.kind == ChangeKind::renamed && file.old_path.substr(3) == file.new_path.substr(3) ? 1 : 0;
  }
  EXPECT_EQ(right, 3000u);
}

TEST(DiffSnapshots, BinaryFilesHaveNoLines) {
  const Snapshot before = memory_snapshot({{"w.bin", std::string("a\0b", 3)}});
  const Snapshot after = memory_snapshot({{"w.bin", std::string("a\0c", 3)}});
  const SnapshotDiff diff = diff_snapshots(before, after);
  EXPECT_TRUE(only(diff).binary);
  EXPECT_TRUE(only(diff).lines.empty());
  EXPECT_TRUE(is_binary(std::string("x\0", 2)));
  EXPECT_FALSE(is_binary(std::string(8000, 'x') + '\0')) << "Git looks at the first 8000 bytes";
}

TEST(DiffSnapshots, ModeAndTypeChanges) {
  const Snapshot file = memory_snapshot(std::map<std::string, MemoryFile>{{"x", {"t", FileKind::file, 0100644}}});
  const Snapshot tool = memory_snapshot(std::map<std::string, MemoryFile>{{"x", {"t", FileKind::file, 0100755}}});
  const Snapshot link = memory_snapshot(std::map<std::string, MemoryFile>{{"x", {"t", FileKind::symlink, 0120000}}});
  EXPECT_EQ(only(diff_snapshots(file, tool)).kind, ChangeKind::mode_changed);
  EXPECT_EQ(only(diff_snapshots(file, tool)).new_mode, 0100755u);
  const SnapshotDiff typed = diff_snapshots(file, link);
  ASSERT_EQ(typed.files.size(), 2u);
  EXPECT_EQ(typed.files[0].kind, ChangeKind::deleted);
  EXPECT_EQ(typed.files[1].kind, ChangeKind::added);
  EXPECT_EQ(typed.find_after("x")->file_kind, FileKind::symlink);
}

TEST(DiffSnapshots, AMissingBlobIsAProblemOfThatFile) {
  testing::GitFixture git;
  git.write("a.py", "one\n");
  git.write("b.py", "b\n");
  git.commit("first");
  const std::string blob = git.git("rev-parse HEAD:a.py");
  git.write("a.py", "two\n");
  git.write("b.py", "bb\n");
  git.commit("second");
  testing::run_shell(git.root(), "rm -f .git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2));
  const Repository repository = Repository::open(git.root()).value();
  const SnapshotDiff diff =
      diff_snapshots(repository.snapshot_at("HEAD~1").value(), repository.snapshot_at("HEAD").value());
  ASSERT_EQ(diff.files.size(), 2u);
  EXPECT_FALSE(diff.files[0].lines_known);
  EXPECT_TRUE(diff.files[1].lines_known);
  ASSERT_EQ(diff.problems.size(), 1u);
  EXPECT_EQ(diff.problems[0].path, "a.py");
}

TEST(DiffSnapshots, AgreesWithGitOnARename) {
  testing::GitFixture git;
  git.write("old/name.py", numbered(0, 50));
  git.write("sub.py", "x\n");
  git.commit("first");
  git.git("mv old/name.py moved.py");
  git.write("moved.py", numbered(0, 48) + "end\n");
  git.commit("second");
  const Repository repository = Repository::open(git.root()).value();
  const SnapshotDiff diff =
      diff_snapshots(repository.snapshot_at("HEAD~1").value(), repository.snapshot_at("HEAD").value());
  const std::string numstat = git.git("diff --numstat -M HEAD~1 HEAD");
  const FileChange& change = only(diff);
  EXPECT_EQ(numstat, fmt::format("{}\t{}\told/name.py => moved.py", change.lines.added_lines().size(),
                                 change.lines.removed_lines().size()));
}

}  // namespace
}  // namespace lockstep::repo
