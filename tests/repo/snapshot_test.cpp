#include "repo/snapshot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/worker_pool.h"
#include "repo/git_fixture.h"

namespace lockstep::repo {
namespace {

using testing::TempFolder;
using testing::write_file;

std::vector<std::string> paths_of(const Snapshot& snapshot) {
  std::vector<std::string> paths;
  for (const FileEntry& file : snapshot.files()) paths.push_back(file.path);
  return paths;
}

using Paths = std::vector<std::string>;

TEST(Snapshot, EmptyHasNoFiles) {
  const Snapshot snapshot;
  EXPECT_TRUE(snapshot.files().empty());
  EXPECT_FALSE(snapshot.find("x"));
  EXPECT_FALSE(snapshot.read("x"));
}

TEST(Snapshot, MemoryFilesAreSortedAndCarryGitBlobIds) {
  const Snapshot snapshot = memory_snapshot({{"b.py", "x\n"}, {"a/z.py", ""}});
  EXPECT_EQ(paths_of(snapshot), (Paths{"a/z.py", "b.py"}));
  EXPECT_EQ(snapshot.files()[0].content_id, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");  // Git's empty blob.
  EXPECT_EQ(snapshot.files()[1].content_id, "587be6b4c3f93f93c489c0111bba5596147a26cb");  // echo x | git hash-object
  EXPECT_EQ(snapshot.read("b.py").value(), "x\n");
  EXPECT_EQ(snapshot.find("b.py"), 1u);
  EXPECT_FALSE(snapshot.find("b"));
}

TEST(Snapshot, OverlayReplacesAddsAndRemoves) {
  const Snapshot base = memory_snapshot({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  const Snapshot over = overlay_snapshot(base, {{"a", MemoryFile{"new"}}, {"b", std::nullopt}, {"d", MemoryFile{"4"}}});
  EXPECT_EQ(paths_of(over), (Paths{"a", "c", "d"}));
  EXPECT_EQ(over.read("a").value(), "new");
  EXPECT_EQ(over.read("c").value(), "3");
  EXPECT_EQ(over.files()[1].content_id, base.files()[2].content_id);
  EXPECT_EQ(base.read("a").value(), "1") << "the base stays as it was";
}

TEST(Snapshot, UnsafePathsAreLeftOutWithAProblem) {
  for (const char* path : {"../x", "/etc/passwd", "a//b", "a/../b", "./a", "a/.git/config", ".GIT/x", ""}) {
    const Snapshot snapshot = memory_snapshot({{path, "x"}, {"good", "y"}});
    EXPECT_EQ(paths_of(snapshot), (Paths{"good"})) << path;
    ASSERT_EQ(snapshot.problems().size(), 1u) << path;
  }
}

TEST(Snapshot, EscapedPathsAreCheckedAsTheyWouldBeOnDisk) {
  const Snapshot snapshot = memory_snapshot({{"a/\\056\\056/b", "x"}});  // "a/../b" once unescaped.
  EXPECT_TRUE(snapshot.files().empty());
}

TEST(Snapshot, LimitsAreKeptAndReported) {
  SnapshotLimits limits;
  limits.max_files = 2;
  limits.max_file_bytes = 3;
  limits.max_path_bytes = 4;
  TempFolder folder;
  write_file(folder.path() + "/a", "1234");
  write_file(folder.path() + "/b", "123");
  write_file(folder.path() + "/c", "");
  write_file(folder.path() + "/longer", "");
  const Snapshot snapshot = directory_snapshot(folder.path(), limits).value();
  EXPECT_EQ(paths_of(snapshot), (Paths{"a", "b"}));
  EXPECT_FALSE(snapshot.read("a"));
  EXPECT_EQ(snapshot.read("a").error().message, "a has 4 bytes; files over 3 bytes are not read");
  EXPECT_EQ(snapshot.read("b").value(), "123");
  ASSERT_FALSE(snapshot.problems().empty());
  EXPECT_EQ(snapshot.problems().back().message, "more than 2 files; the rest is left out");
}

TEST(Paths, EscapingIsOneToOne) {
  const std::vector<std::string> raws = {"plain/pfad.py",
                                         "sp ace",
                                         "ä/ö.py",
                                         "\xff\xfe",
                                         "new\nline",
                                         "back\\slash",
                                         "\\134",
                                         "\x1b[31m",
                                         "c\xc2\x9b"
                                         "ontrol",
                                         "日本.py"};
  for (const std::string& raw : raws) EXPECT_EQ(unescape_path(escape_path(raw)), raw);
  EXPECT_EQ(escape_path("ä/ö.py"), "ä/ö.py");
  EXPECT_EQ(escape_path("\xff"), "\\377");
  EXPECT_EQ(escape_path("a\nb"), "a\\012b");
  EXPECT_EQ(escape_path("a\\b"), "a\\134b");
  EXPECT_EQ(escape_path("c\xc2\x9b"), "c\\302\\233");
  EXPECT_EQ(escape_path("\xc2"), "\\302") << "a cut sequence at the end";
}

TEST(DirectorySnapshot, ListsFilesAndSkipsWhatToolsMade) {
  TempFolder folder;
  const std::string root = folder.path();
  for (const char* path : {"a.py", "pkg/b.py", "pkg/build/kept.py", "build/x.py", "node_modules/m/x.js", ".git/config",
                           "pkg/__pycache__/b.pyc", "env39/pyvenv.cfg", "env39/lib/x.py", "cache/CACHEDIR.TAG",
                           "cache/y.py", "x.egg-info/PKG", "pkg/x.egg-info/PKG", "out/CMakeCache.txt", "out/z.c"}) {
    write_file(root + "/" + path, "x");
  }
  const Snapshot snapshot = directory_snapshot(root).value();
  EXPECT_EQ(paths_of(snapshot), (Paths{"a.py", "pkg/b.py", "pkg/build/kept.py"}));
  EXPECT_EQ(snapshot.read("pkg/b.py").value(), "x");
}

TEST(DirectorySnapshot, NeverFollowsLinksOrLeavesTheRoot) {
  TempFolder folder;
  const std::string root = folder.path() + "/root";
  write_file(folder.path() + "/secret/key", "secret");
  write_file(root + "/real.py", "x");
  std::filesystem::create_symlink("../secret", root + "/outside");
  std::filesystem::create_symlink("../secret/key", root + "/link.py");
  std::filesystem::create_symlink(".", root + "/loop");
  ASSERT_EQ(::mkfifo((root + "/pipe").c_str(), 0600), 0);
  const Snapshot snapshot = directory_snapshot(root).value();
  EXPECT_EQ(paths_of(snapshot), (Paths{"link.py", "loop", "outside", "real.py"}));
  EXPECT_EQ(snapshot.files()[0].kind, FileKind::symlink);
  EXPECT_EQ(snapshot.read("link.py").value(), "../secret/key") << "a link's bytes are its target's name";
}

TEST(DirectorySnapshot, AFileSwappedForALinkIsNotFollowed) {
  TempFolder folder;
  const std::string root = folder.path() + "/root";
  write_file(folder.path() + "/secret/x.py", "secret");
  write_file(root + "/pkg/x.py", "x");
  const Snapshot snapshot = directory_snapshot(root).value();
  std::filesystem::remove_all(root + "/pkg");
  std::filesystem::create_symlink("../secret", root + "/pkg");
  EXPECT_FALSE(snapshot.read("pkg/x.py"));
}

TEST(DirectorySnapshot, OddNamesCanBeRead) {
  TempFolder folder;
  write_file(folder.path() + "/b\xff\nc.py", "odd");
  const Snapshot snapshot = directory_snapshot(folder.path()).value();
  ASSERT_EQ(paths_of(snapshot), (Paths{"b\\377\\012c.py"}));
  EXPECT_EQ(snapshot.read(std::size_t{0}).value(), "odd");
}

TEST(DirectorySnapshot, MissingFolderAndVanishedFileAreErrors) {
  TempFolder folder;
  EXPECT_FALSE(directory_snapshot(folder.path() + "/none"));
  write_file(folder.path() + "/x.py", "x");
  const Snapshot snapshot = directory_snapshot(folder.path()).value();
  std::filesystem::remove(folder.path() + "/x.py");
  EXPECT_FALSE(snapshot.read("x.py"));
}

TEST(DirectorySnapshot, IdsChangeWithTheBytes) {
  TempFolder folder;
  write_file(folder.path() + "/x.py", "x");
  const Snapshot before = directory_snapshot(folder.path()).value();
  const Snapshot same = directory_snapshot(folder.path()).value();
  write_file(folder.path() + "/x.py", "xy");
  const Snapshot after = directory_snapshot(folder.path()).value();
  EXPECT_EQ(before.files()[0].content_id, same.files()[0].content_id);
  EXPECT_NE(before.files()[0].content_id, after.files()[0].content_id);
}

TEST(DirectorySnapshot, DeepFoldersAreBounded) {
  TempFolder folder;
  std::string deep = folder.path();
  for (int i = 0; i < 300; ++i) deep += "/d";
  write_file(deep + "/x.py", "x");
  const Snapshot snapshot = directory_snapshot(folder.path()).value();
  EXPECT_TRUE(snapshot.files().empty());
  ASSERT_EQ(snapshot.problems().size(), 1u);
  EXPECT_EQ(snapshot.problems()[0].message, "folders are nested too deeply");
}

TEST(DirectorySnapshot, CanBeReadFromManyThreads) {
  TempFolder folder;
  for (int i = 0; i < 200; ++i) write_file(fmt::format("{}/f{}", folder.path(), i), std::string(1000, 'x'));
  const Snapshot snapshot = directory_snapshot(folder.path()).value();
  std::vector<std::size_t> sizes(snapshot.files().size());
  parallel_for(sizes.size(), 8, [&](std::size_t i) { sizes[i] = snapshot.read(i).value().size(); });
  EXPECT_EQ(sizes, std::vector<std::size_t>(200, 1000));
}

}  // namespace
}  // namespace lockstep::repo
