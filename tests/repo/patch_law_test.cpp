// Law: applying `git diff A B` to A gives B's tree, and our own diff counts the same lines as Git's. Held against
// seeded random edits, and against the history of a real repository where LOCKSTEP_TEST_REPO names one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "base/strings.h"
#include "repo/diff.h"
#include "repo/git_fixture.h"
#include "repo/patch.h"
#include "repo/repository.h"

namespace lockstep::repo {
namespace {

using testing::GitFixture;
using testing::run_shell;

// path, mode and blob of every file, one a line, as `git ls-tree -r` would list them.
std::string listing(const Snapshot& snapshot) {
  std::string text;
  for (const FileEntry& file : snapshot.files()) {
    text += fmt::format("{:06o} {} {}\n", file.mode, file.content_id, file.path);
  }
  return text;
}

void expect_patch_gives(const Snapshot& before, const Snapshot& after, const std::string& patch_text,
                        const std::string& what) {
  if (listing(before) == listing(after)) return;  // Nothing to say: Git's diff is empty.
  const Result<Patch> patch = parse_patch(patch_text);
  ASSERT_TRUE(patch) << what << ": " << patch.error().message << "\n" << patch_text;
  const Result<AppliedPatch> applied = apply_patch(before, *patch);
  ASSERT_TRUE(applied) << what << ": " << applied.error().message << "\n" << patch_text;
  ASSERT_EQ(listing(applied->after), listing(after)) << what << "\n" << patch_text;
}

// "added removed" summed over all text files.
std::string line_counts(const SnapshotDiff& diff) {
  std::size_t added = 0, removed = 0;
  for (const FileChange& file : diff.files) {
    added += file.lines.added_lines().size();
    removed += file.lines.removed_lines().size();
  }
  return fmt::format("{} {}", added, removed);
}

class RandomEdits {
 public:
  explicit RandomEdits(unsigned seed) : random_(seed) {}

  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  std::string line() {
    // Few different lines, so that hunks are ambiguous.
    static constexpr std::array<const char*, 8> kLines = {"",    "    return x", "x = 1", "def f(x):", "    y = f(x)",
                                                          "# ä", "\tz",          "-- "};
    return kLines[static_cast<std::size_t>(below(kLines.size()))];
  }

  std::string new_text() {
    std::string text;
    const int count = below(40);
    const char* end = below(5) == 0 ? "\r\n" : "\n";
    for (int i = 0; i < count; ++i) text += line() + end;
    if (below(4) == 0) text += "no line end";
    return text;
  }

  std::string edited(const std::string& text) {
    std::string result;
    bool first = true;
    for (const std::string_view part : split(text, '\n')) {
      if (!first) result += '\n';
      first = false;
      const int choice = below(12);
      if (choice == 0) continue;
      result += choice == 1 ? line() : std::string(part);
      if (choice == 2) result.append("\n").append(line());
      if (choice == 3 && result.ends_with('\r')) result.pop_back();
    }
    if (below(6) == 0) result += below(2) == 0 ? "\n" : "tail";
    return result;
  }

 private:
  std::mt19937 random_;
};

std::string random_name(RandomEdits& edits) {
  static constexpr std::array<const char*, 8> kNames = {"a.py", "b c.py",     "d/e.py",   "d/f.py",
                                                        "ü.py", "q\"uote.py", "t\tab.py", "deep/er/x.txt"};
  return kNames[static_cast<std::size_t>(edits.below(kNames.size()))];
}

void edit_work_tree(const GitFixture& git, RandomEdits& edits) {
  namespace fs = std::filesystem;
  for (int step = 0; step < 1 + edits.below(4); ++step) {
    const std::string name = random_name(edits), path = git.path(name);
    switch (fs::exists(fs::symlink_status(path)) ? edits.below(8) : 7) {
      case 0:
        fs::remove(path);
        break;
      case 1:
        fs::permissions(path, fs::perms::owner_exec,
                        edits.below(2) == 0 ? fs::perm_options::add : fs::perm_options::remove);
        break;
      case 2: {
        const std::string target =
            git.path(fmt::format("moved{}/{}", edits.below(3), fs::path(name).filename().string()));
        fs::create_directories(fs::path(target).parent_path());
        fs::rename(path, target);
        break;
      }
      case 7:
        git.write(name, edits.new_text());
        break;
      default:
        git.write(name, edits.edited(testing::read_file(path)));
    }
  }
}

TEST(PatchLaw, GitDiffsOfRandomEditsGiveGitsTrees) {
  constexpr std::array<const char*, 8> kOptions = {"-U3",
                                                   "-U0",
                                                   "-U1 -M",
                                                   "-M -C --find-copies-harder",
                                                   "--no-prefix -M",
                                                   "-U10 -B",
                                                   "--no-renames -U2",
                                                   "--src-prefix=i/ --dst-prefix=w/"};
  GitFixture git;
  git.git("config core.autocrlf false");
  git.write("a.py", "start\n");
  git.commit("start");
  // Another seed looks at other edits: LOCKSTEP_TEST_SEED.
  const char* seed = std::getenv("LOCKSTEP_TEST_SEED");
  RandomEdits edits(seed == nullptr ? 20240531u : static_cast<unsigned>(std::stoul(seed)));
  std::size_t changed_rounds = 0;
  const Repository repository = Repository::open(git.root()).value();
  for (std::size_t round = 0; round < 56; ++round) {
    edit_work_tree(git, edits);
    git.git("add -A && git commit -q --allow-empty -m edit");
    const std::string options = kOptions[round % kOptions.size()];
    const std::string text = git.git("diff --full-index " + options + " HEAD~1 HEAD") + "\n";
    const Snapshot before = repository.snapshot_at("HEAD~1").value(), after = repository.snapshot_at("HEAD").value();
    changed_rounds += listing(before) == listing(after) ? 0 : 1;
    expect_patch_gives(before, after, text, fmt::format("round {} with {}", round, options));
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(changed_rounds, 45u) << "the edits must be worth the test";
  // One more law on the whole history: mails applied one after the other.
  const std::string mails = git.git("format-patch --stdout --root HEAD") + "\n";
  expect_patch_gives(Snapshot(), repository.snapshot_at("HEAD").value(), mails, "all mails");
}

// The tree that `git apply` makes of `revision` with the patch in `file`, as a listing; empty where it refuses.
std::string applied_by_git(const GitFixture& git, const std::string& revision, const std::string& file) {
  const std::string index = "GIT_INDEX_FILE=" + git.beside("index") + " git ";
  const std::string tree =
      run_shell(git.root(), index + "read-tree " + revision + " && { " + index + "apply --cached --whitespace=nowarn " +
                                file + " 2>/dev/null && " + index + "write-tree || true; }");
  if (tree.empty()) return "";
  const Repository repository = Repository::open(git.root()).value();
  return listing(repository.snapshot_at(trim(tree)).value());
}

// Patches on files that moved on since: lines have shifted, and places are ambiguous.
TEST(PatchLaw, DisplacedHunksGoWhereGitPutsThem) {
  GitFixture git;
  git.git("config core.autocrlf false");
  const char* seed = std::getenv("LOCKSTEP_TEST_SEED");
  RandomEdits edits(seed == nullptr ? 7u : static_cast<unsigned>(std::stoul(seed)));
  const Repository repository = Repository::open(git.root()).value();
  std::size_t taken = 0, refused = 0;
  for (int round = 0; round < 24; ++round) {
    std::string text;
    for (int i = 0; i < 25; ++i) text += edits.line() + "\n";
    const auto commit_text = [&](const std::string& bytes) {
      git.write("x.py", bytes);
      return git.commit("x");
    };
    const std::string base = commit_text(text);
    const std::string after = commit_text(edits.edited(text));
    std::string moved = text;
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = moved.find('\n', static_cast<std::size_t>(edits.below(static_cast<int>(moved.size()))));
      moved.insert(at == std::string::npos ? moved.size() : at + 1, edits.line() + "\n");
    }
    const std::string other = commit_text(moved);
    const std::string file = git.beside("change.patch");
    testing::write_file(file, git.git(fmt::format("diff -U{} {} {}", 1 + round % 3, base, after)) + "\n");
    const Result<Patch> patch = parse_patch(testing::read_file(file));
    if (!patch) continue;  // No difference.
    const std::string expected = applied_by_git(git, other, file);
    const Result<AppliedPatch> ours = apply_patch(repository.snapshot_at(other).value(), *patch);
    EXPECT_EQ(ours ? listing(ours->after) : "", expected)
        << "round " << round << (ours ? "" : ": " + ours.error().message) << "\n"
        << testing::read_file(file) << "on\n"
        << moved;
    ++(expected.empty() ? refused : taken);
  }
  EXPECT_GE(taken, 5u);
  EXPECT_GE(refused, 5u);
}

TEST(PatchLaw, HistoryOfARealRepository) {
  const char* root = std::getenv("LOCKSTEP_TEST_REPO");
  if (root == nullptr) GTEST_SKIP() << "set LOCKSTEP_TEST_REPO to a clone";
  const Result<Repository> repository = Repository::open(root);
  ASSERT_TRUE(repository) << repository.error().message;
  const std::string log = run_shell(root, "git log --no-merges --first-parent -n 60 --format='%H %P' HEAD");
  for (const std::string_view line : split_lines(log)) {
    const std::vector<std::string_view> ids = split(line, ' ');
    if (ids.size() != 2) continue;
    const std::string head(ids[0]), base(ids[1]);
    const Snapshot before = repository->snapshot_at(base).value(), after = repository->snapshot_at(head).value();
    if (contains(run_shell(root, "git diff --numstat " + base + " " + head), "-\t-\t")) continue;  // Binary files.
    expect_patch_gives(before, after, run_shell(root, "git diff -M " + base + " " + head), head);
    if (HasFatalFailure()) return;
    std::size_t added = 0, removed = 0;
    // Without renames, so that both sides count the same files.
    const std::string numstat = run_shell(root, "git diff --no-renames --numstat " + base + " " + head);
    for (const std::string_view row : split_lines(numstat)) {
      added += std::stoul(std::string(split(row, '\t')[0]));
      removed += std::stoul(std::string(split(row, '\t')[1]));
    }
    const SnapshotDiff diff = diff_snapshots(before, after);
    bool renames = false;
    for (const FileChange& file : diff.files) renames = renames || file.kind == ChangeKind::renamed;
    if (!renames) {
      EXPECT_EQ(line_counts(diff), fmt::format("{} {}", added, removed)) << head;
    }
  }
}

}  // namespace
}  // namespace lockstep::repo
