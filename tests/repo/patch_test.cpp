#include "repo/patch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "repo/git_fixture.h"

namespace lockstep::repo {
namespace {

using testing::GitFixture;

Patch parsed(const std::string& text) {
  Result<Patch> patch = parse_patch(text);
  EXPECT_TRUE(patch) << patch.error().message << "\n" << text;
  return patch ? std::move(*patch) : Patch();
}

std::string parse_error(const std::string& text) {
  const Result<Patch> patch = parse_patch(text);
  EXPECT_FALSE(patch) << text;
  return patch ? "" : patch.error().message;
}

Snapshot applied(const Snapshot& base, const std::string& text) {
  Result<AppliedPatch> result = apply_patch(base, parsed(text));
  EXPECT_TRUE(result) << result.error().message << "\n" << text;
  return result ? result->after : base;
}

Error apply_error(const Snapshot& base, const std::string& text) {
  const Result<AppliedPatch> result = apply_patch(base, parsed(text));
  EXPECT_FALSE(result) << text;
  return result ? Error{} : result.error();
}

std::string numbered(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += fmt::format("line {}\n", i);
  return text;
}

// A diff of x.py whose one hunk changes line 10 of numbered(1, 20).
const std::string kChangeTen =
    "diff --git a/x.py b/x.py\nindex 1111111..2222222 100644\n--- a/x.py\n+++ b/x.py\n"
    "@@ -7,7 +7,7 @@ def f():\n line 7\n line 8\n line 9\n-line 10\n+LINE 10\n line 11\n line 12\n line 13\n";

TEST(ParsePatch, GitDiff) {
  const Patch patch = parsed(kChangeTen);
  ASSERT_EQ(patch.files.size(), 1u);
  const FilePatch& file = patch.files[0];
  EXPECT_EQ(file.kind, ChangeKind::modified);
  EXPECT_EQ(file.old_path, "x.py");
  EXPECT_EQ(file.new_path, "x.py");
  ASSERT_EQ(file.hunks.size(), 1u);
  EXPECT_EQ(file.hunks[0].old_start, 6u);
  EXPECT_EQ(file.hunks[0].header, "@@ -7,7 +7,7 @@ def f():");
  EXPECT_EQ(file.hunks[0].lines.size(), 8u);
  EXPECT_EQ(file.hunks[0].lines[4].text, "LINE 10");
  EXPECT_TRUE(patch.messages.empty());
}

struct NameCase {
  const char* header;
  const char* old_path;
  const char* new_path;
};

class PatchNames : public ::testing::TestWithParam<NameCase> {};

TEST_P(PatchNames, AreReadWithTheirPrefixesGone) {
  const NameCase& expected = GetParam();
  const Patch patch = parsed(std::string(expected.header) + "@@ -1 +1 @@\n-a\n+b\n");
  ASSERT_EQ(patch.files.size(), 1u);
  EXPECT_EQ(patch.files[0].old_path, expected.old_path);
  EXPECT_EQ(patch.files[0].new_path, expected.new_path);
}

INSTANTIATE_TEST_SUITE_P(
    Headers, PatchNames,
    ::testing::Values(
        NameCase{"diff --git a/p/x.py b/p/x.py\n--- a/p/x.py\n+++ b/p/x.py\n", "p/x.py", "p/x.py"},
        NameCase{"diff --git p/x.py p/x.py\n--- p/x.py\n+++ p/x.py\n", "p/x.py", "p/x.py"},
        NameCase{"diff --git i/x.py w/x.py\n--- i/x.py\n+++ w/x.py\n", "x.py", "x.py"},
        NameCase{"diff --git a/b/x.py b/b/x.py\n--- a/b/x.py\n+++ b/b/x.py\n", "b/x.py", "b/x.py"},
        NameCase{"diff --git b/x.py b/x.py\n--- b/x.py\n+++ b/x.py\n", "b/x.py", "b/x.py"},
        NameCase{"diff --git a/sp ace.py b/sp ace.py\n--- a/sp ace.py\t\n+++ b/sp ace.py\t\n", "sp ace.py",
                 "sp ace.py"},
        NameCase{"diff --git \"a/\\303\\244\\t.py\" \"b/\\303\\244\\t.py\"\n--- \"a/\\303\\244\\t.py\"\n"
                 "+++ \"b/\\303\\244\\t.py\"\n",
                 "ä\\011.py", "ä\\011.py"},
        NameCase{"--- a/x.py\t2024-05-31 09:30:00.000000000 +0000\n+++ b/x.py\t2024-06-01 09:30:00.000000000 +0000\n",
                 "x.py", "x.py"},
        NameCase{"--- old/x.py 2024-05-31 09:30:00\n+++ new/x.py 2024-05-31 09:30:00\n", "x.py", "x.py"},
        NameCase{"--- x.py.orig\t2024-05-31 09:30:00\n+++ x.py\t2024-05-31 09:30:00\n", "x.py", "x.py"},
        NameCase{"Index: x.py\n===================================================================\n"
                 "--- x.py\t(revision 1)\n+++ x.py\t(working copy)\n",
                 "x.py", "x.py"},
        NameCase{"diff --git a/o.py b/n.py\nsimilarity index 90%\nrename from o.py\nrename to n.py\n--- a/o.py\n"
                 "+++ b/n.py\n",
                 "o.py", "n.py"}));

TEST(ParsePatch, FileKindsAndModes) {
  const Patch patch = parsed(
      "diff --git a/new.sh b/new.sh\nnew file mode 100755\nindex 0000000..587be6b\n--- /dev/null\n+++ b/new.sh\n"
      "@@ -0,0 +1 @@\n+x\n"
      "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\nindex 587be6b..0000000\n--- a/gone.py\n"
      "+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
      "diff --git a/mode.sh b/mode.sh\nold mode 100644\nnew mode 100755\n"
      "diff --git a/empty.py b/empty.py\nnew file mode 100644\nindex 0000000..e69de29\n"
      "diff --git a/o.py b/n.py\nsimilarity index 100%\nrename from o.py\nrename to n.py\n"
      "diff --git a/s.py b/c.py\nsimilarity index 100%\ncopy from s.py\ncopy to c.py\n"
      "diff --git a/w.bin b/w.bin\nindex 1..2 100644\nBinary files a/w.bin and b/w.bin differ\n"
      "diff --git a/v.bin b/v.bin\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y01f~L\n\nliteral 3\n"
      "KcmZQzWMT#Y01f~L\n\n");
  ASSERT_EQ(patch.files.size(), 8u);
  EXPECT_EQ(patch.files[0].kind, ChangeKind::added);
  EXPECT_EQ(patch.files[0].old_path, "");
  EXPECT_EQ(patch.files[0].new_mode, 0100755u);
  EXPECT_EQ(patch.files[1].kind, ChangeKind::deleted);
  EXPECT_EQ(patch.files[1].new_path, "");
  EXPECT_EQ(patch.files[2].kind, ChangeKind::mode_changed);
  EXPECT_EQ(patch.files[3].kind, ChangeKind::added);
  EXPECT_EQ(patch.files[4].kind, ChangeKind::renamed);
  EXPECT_FALSE(patch.files[4].copied);
  EXPECT_TRUE(patch.files[5].copied);
  EXPECT_TRUE(patch.files[6].binary);
  EXPECT_TRUE(patch.files[7].binary);
  EXPECT_EQ(patch.files[7].new_path, "v.bin");
}

TEST(ParsePatch, PlainDiffsOfNewAndGoneFiles) {
  const Patch patch = parsed(
      "diff -uN a/n.py b/n.py\n--- a/n.py\t1970-01-01 00:00:00.000000000 +0000\n"
      "+++ b/n.py\t2024-05-31 09:30:00.000000000 +0000\n@@ -0,0 +1 @@\n+x\n"
      "--- a/g.py\t2024-05-31 09:30:00.000000000 +0000\n+++ b/g.py\t1969-12-31 16:00:00.000000000 -0800\n"
      "@@ -1 +0,0 @@\n-x\n"
      "--- a/e.py\t1970-01-01 00:00:00.000000000 +0000\n+++ b/e.py\t1970-01-01 00:00:00.000000000 +0000\n"
      "@@ -1 +1 @@\n-x\n+y\n"
      "Binary files a/w.bin and b/w.bin differ\nOnly in b: unrelated\n");
  ASSERT_EQ(patch.files.size(), 4u);
  EXPECT_EQ(patch.files[0].kind, ChangeKind::added);
  EXPECT_EQ(patch.files[1].kind, ChangeKind::deleted);
  EXPECT_EQ(patch.files[2].kind, ChangeKind::modified) << "a reproducible build dates real files at 1970";
  EXPECT_TRUE(patch.files[3].binary);
}

TEST(ParsePatch, UnsafePathsAreRefused) {
  for (const char* name : {"../evil.py", "x/../../evil.py", "/etc/passwd", ".git/hooks/pre-commit", "a//b"}) {
    const std::string text = fmt::format("--- {0}\n+++ {0}\n@@ -1 +1 @@\n-a\n+b\n", name);
    EXPECT_NE(parse_error(text).find("not a path inside the repository"), std::string::npos) << name;
  }
  EXPECT_NE(parse_error("diff --git a/x b/x\nrename from x\nrename to ../y\n").find("'../y'"), std::string::npos);
  EXPECT_NE(parse_error("diff --git \"a/\\056./y\" \"b/\\056./y\"\nnew file mode 100644\n").find("'../y'"),
            std::string::npos)
      << "escapes are undone before the check";
}

TEST(ParsePatch, BrokenPatchesSayWhere) {
  EXPECT_EQ(parse_error(""), "no diff was found in the patch");
  EXPECT_EQ(parse_error("hello\n"), "no diff was found in the patch");
  EXPECT_EQ(parse_error("@@ -1 +1 @@\n-a\n+b\n"), "line 1: a hunk without a file name above it");
  EXPECT_EQ(parse_error("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n"),
            "line 3: the hunk promises 1 more old and 2 more new lines, but the patch ends");
  EXPECT_EQ(parse_error("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\nrubbish\n"),
            "line 3: the hunk promises 1 more old and 1 more new lines, but line 5 is no part of it");
  EXPECT_EQ(parse_error("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ what @@\n"),
            "line 6: this hunk header cannot be read: '@@ what @@'");
  EXPECT_NE(parse_error("diff --cc x.py\nindex 1,2..3\n@@@ -1 -1 +1 @@@\n").find("combined diff"), std::string::npos);
}

TEST(ParsePatch, APatchMayEndAnywhere) {
  const std::string whole = "From: a@b\nSubject: =?UTF-8?q?x?=\n\nbody\n---\n" + kChangeTen;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const Result<Patch> patch = parse_patch(whole.substr(0, length));
    EXPECT_TRUE(patch || !patch.error().message.empty()) << length;
  }
}

TEST(ParsePatch, LimitsAreKept) {
  PatchLimits limits;
  limits.max_lines = 3;
  EXPECT_FALSE(parse_patch(kChangeTen, limits));
  limits = {};
  limits.max_bytes = 10;
  EXPECT_FALSE(parse_patch(kChangeTen, limits));
  limits = {};
  limits.max_files = 1;
  EXPECT_TRUE(parse_patch(kChangeTen, limits));
  EXPECT_FALSE(parse_patch(kChangeTen + kChangeTen, limits));
}

TEST(ParsePatch, MailHeadersBecomeMessages) {
  const Patch patch = parsed(
      "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n"
      "From: =?UTF-8?q?J=C3=B6rg?= <j@example.org>\nDate: Fri, 31 May 2024 11:30:00 +0200\n"
      "Subject: [PATCH v2 1/2] [fix] Reduce gradients over the\n expert group\nMIME-Version: 1.0\n\n"
      "They were reduced twice.\n\nSecond paragraph: --- is no end here.\n---\n x.py | 2 +-\n"
      " 1 file changed, 1 insertion(+), 1 deletion(-)\n\n" +
      kChangeTen +
      "-- \n2.39.5\n\n"
      "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nFrom: Ada <a@example.org>\n"
      "Date: nonsense\nSubject: [PATCH 2/2] =?UTF-8?B?R3LDvMOfZQ==?=\n\n"
      "From: Grace <g@example.org>\n\nbody\n---\n\n"
      "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-line 1\n+LINE 1\n");
  ASSERT_EQ(patch.messages.size(), 2u);
  EXPECT_EQ(patch.messages[0].subject, "[fix] Reduce gradients over the expert group");
  EXPECT_EQ(patch.messages[0].author, "Jörg <j@example.org>");
  EXPECT_EQ(patch.messages[0].date, "2024-05-31T09:30:00Z");
  EXPECT_EQ(patch.messages[0].body, "They were reduced twice.\n\nSecond paragraph: --- is no end here.");
  EXPECT_EQ(patch.messages[1].subject, "Grüße");
  EXPECT_EQ(patch.messages[1].author, "Grace <g@example.org>");
  EXPECT_EQ(patch.messages[1].date, "");
  EXPECT_EQ(patch.messages[1].body, "body");
  ASSERT_EQ(patch.files.size(), 2u);
  EXPECT_EQ(patch.files[0].hunks[0].lines.size(), 8u) << "the signature below is no line of it";
  EXPECT_NE(patch.files[0].part, patch.files[1].part);
}

TEST(ParsePatch, EncodedMailsAreRefused) {
  EXPECT_NE(parse_error("From: a@b\nSubject: x\nContent-Transfer-Encoding: base64\n\nZGlmZg==\n").find("base64"),
            std::string::npos);
}

TEST(ParsePatch, GitShowHasAMessageToo) {
  GitFixture git;
  git.write("x.py", "a\n");
  git.commit("first");
  git.write("x.py", "b\n");
  git.commit("Change a\n\nto b");
  const Patch patch = parsed(git.git("show") + "\n");
  ASSERT_EQ(patch.messages.size(), 1u);
  EXPECT_EQ(patch.messages[0].subject, "Change a");
  EXPECT_EQ(patch.messages[0].body, "to b");
  EXPECT_EQ(patch.messages[0].author, "Ada Lovelace <ada@example.org>");
  EXPECT_EQ(patch.messages[0].date, "2024-05-31T09:30:00Z");
}

TEST(ApplyPatch, AtItsPlaceAndMoved) {
  const std::string expected = "LINE 10\n";
  for (const auto& [before, prefix] :
       {std::pair(numbered(1, 20), ""), std::pair("new\nnew\n" + numbered(1, 20), "new\nnew\n"),
        std::pair(numbered(4, 20), "")}) {
    const Snapshot after = applied(memory_snapshot({{"x.py", before}}), kChangeTen);
    std::string wanted = before;
    wanted.replace(wanted.find("line 10\n"), 8, "LINE 10\n");
    EXPECT_EQ(after.read("x.py").value(), wanted);
    EXPECT_TRUE(wanted.starts_with(prefix));
  }
}

TEST(ApplyPatch, TheNearestPlaceWinsAndTheLaterOfTwo) {
  // Three equal places; the header names line 11, so that the one at 14 is nearest.
  std::string before;
  for (int i = 0; i < 20; ++i) before += i == 4 || i == 13 || i == 19 ? "mark\n" : fmt::format("{}\n", i);
  const auto patch_at = [](int line) { return fmt::format("--- a/x\n+++ b/x\n@@ -{0} +{0} @@\n-mark\n+MARK\n", line); };
  const auto marked = [&](int line) {
    return applied(memory_snapshot({{"x", before}}), patch_at(line)).read("x").value();
  };
  EXPECT_NE(marked(11).find("12\nMARK\n"), std::string::npos);
  EXPECT_NE(marked(6).find("3\nMARK\n"), std::string::npos);
  EXPECT_NE(marked(17).find("18\nMARK\n"), std::string::npos) << "equally near to lines 14 and 20";
}

TEST(ApplyPatch, FailuresNameHunkLineAndNextStep) {
  std::string before = numbered(1, 20);
  before.replace(before.find("line 12\n"), 8, "other 12\n");
  const Error error = apply_error(memory_snapshot({{"x.py", before}}), kChangeTen);
  EXPECT_EQ(error.message,
            "x.py: hunk 1 of 1 (@@ -7,7 +7,7 @@ def f():) does not apply: context line 12 expected \"line 12\", found "
            "\"other 12\"");
  EXPECT_EQ(error.next_step, "name the revision that the patch was made from: `--base REV`");
  EXPECT_NE(
      apply_error(memory_snapshot({{"x.py", numbered(1, 8)}}), kChangeTen).message.find("found the end of the file"),
      std::string::npos);
  EXPECT_NE(apply_error(memory_snapshot({{"y.py", ""}}), kChangeTen).message.find("does not exist"), std::string::npos);
  std::string done = numbered(1, 20);
  done.replace(done.find("line 10\n"), 8, "LINE 10\n");
  EXPECT_NE(apply_error(memory_snapshot({{"x.py", done}}), kChangeTen).message.find("there already"),
            std::string::npos);
}

TEST(ApplyPatch, ControlCharactersInMessagesAreEscaped) {
  const Error error = apply_error(memory_snapshot({{"x", "\x1b[2Jevil\n"}}), "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n");
  EXPECT_EQ(error.message.find('\x1b'), std::string::npos);
}

TEST(ApplyPatch, StartAndEndOfTheFileAreKept) {
  const std::string append = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n b\n+c\n";
  EXPECT_EQ(applied(memory_snapshot({{"x", "a\nb\n"}}), append).read("x").value(), "a\nb\nc\n");
  EXPECT_NE(apply_error(memory_snapshot({{"x", "a\nb\nz\n"}}), append).message.find("must end the file"),
            std::string::npos);
  const std::string prepend = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n+0\n a\n b\n";
  EXPECT_EQ(applied(memory_snapshot({{"x", "a\nb\nz\n"}}), prepend).read("x").value(), "0\na\nb\nz\n");
  EXPECT_FALSE(apply_patch(memory_snapshot({{"x", "z\na\nb\n"}}), parsed(prepend)));
}

TEST(ApplyPatch, MissingLastLineEnds) {
  const std::string add_newline = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
  EXPECT_EQ(applied(memory_snapshot({{"x", "a"}}), add_newline).read("x").value(), "a\n");
  const std::string drop_newline = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+a\n\\ Kein Zeilenumbruch am Dateiende.\n";
  EXPECT_EQ(applied(memory_snapshot({{"x", "a\n"}}), drop_newline).read("x").value(), "a");
  EXPECT_NE(apply_error(memory_snapshot({{"x", "a\n"}}), add_newline).message.find("there already"), std::string::npos);
  const std::string change = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n";
  EXPECT_NE(apply_error(memory_snapshot({{"x", "a\n"}}), change).message.find("ends with a newline"),
            std::string::npos);
}

TEST(ApplyPatch, LineEndsMayDifferBetweenPatchAndFile) {
  const std::string lf = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n+new\n b\n";
  std::string crlf;
  for (const char c : lf) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string crlf_body = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\r\n+new\r\n b\r\n";
  const Snapshot lf_file = memory_snapshot({{"x", "a\nb\n"}}), crlf_file = memory_snapshot({{"x", "a\r\nb\r\n"}});
  for (const std::string& patch : {lf, crlf, crlf_body}) {
    EXPECT_EQ(applied(lf_file, patch).read("x").value(), "a\nnew\nb\n");
    EXPECT_EQ(applied(crlf_file, patch).read("x").value(), "a\r\nnew\r\nb\r\n");
  }
}

TEST(ApplyPatch, AChangeOfLineEndsItselfApplies) {
  const std::string patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\r\n+b\n";
  EXPECT_EQ(applied(memory_snapshot({{"x", "a\nb\r\n"}}), patch).read("x").value(), "a\nb\n");
}

TEST(ApplyPatch, BlankContextLinesMayHaveLostTheirBlank) {
  const std::string patch = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n";
  EXPECT_EQ(applied(memory_snapshot({{"x", "a\n\nb\n"}}), patch).read("x").value(), "a\n\nc\n");
}

TEST(ApplyPatch, FilesComeGoMoveAndCopy) {
  const Snapshot base = memory_snapshot({{"o.py", "o\n"}, {"g.py", "g\n"}, {"s.py", "s\n"}, {"m.sh", "m\n"}});
  const Snapshot after = applied(
      base,
      "diff --git a/g.py b/g.py\ndeleted file mode 100644\n--- a/g.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n"
      "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+n\n"
      "diff --git a/o.py b/p/o.py\nsimilarity index 50%\nrename from o.py\nrename to p/o.py\n--- a/o.py\n+++ b/p/o.py\n"
      "@@ -1 +1,2 @@\n o\n+more\n"
      "diff --git a/s.py b/s.py\n--- a/s.py\n+++ b/s.py\n@@ -1 +1 @@\n-s\n+S\n"
      "diff --git a/s.py b/t.py\nsimilarity index 100%\ncopy from s.py\ncopy to t.py\n"
      "diff --git a/m.sh b/m.sh\nold mode 100644\nnew mode 100755\n");
  std::vector<std::string> paths;
  for (const FileEntry& file : after.files()) paths.push_back(file.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"m.sh", "n.py", "p/o.py", "s.py", "t.py"}));
  EXPECT_EQ(after.read("p/o.py").value(), "o\nmore\n");
  EXPECT_EQ(after.read("t.py").value(), "s\n") << "a copy means the file as it was before";
  EXPECT_EQ(after.files()[0].mode, 0100755u);
}

TEST(ApplyPatch, TwoFilesMaySwapNames) {
  const Snapshot after = applied(memory_snapshot({{"a", "A\n"}, {"b", "B\n"}}),
                                 "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"
                                 "diff --git a/b b/a\nsimilarity index 100%\nrename from b\nrename to a\n");
  EXPECT_EQ(after.read("a").value(), "B\n");
  EXPECT_EQ(after.read("b").value(), "A\n");
}

TEST(ApplyPatch, AnAddedFileMustNotExistAndADeletedOneMustMatch) {
  const std::string add = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n";
  EXPECT_EQ(apply_error(memory_snapshot({{"n", "old\n"}}), add).message,
            "n: the patch adds this file, but it exists already");
  const std::string remove =
      "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-n\n";
  EXPECT_FALSE(apply_patch(memory_snapshot({{"n", "n\nmore\n"}}), parsed(remove)));
  EXPECT_TRUE(applied(memory_snapshot({{"n", "n\n"}}), remove).files().empty());
}

TEST(ApplyPatch, BinaryChangesAreReportedNotApplied) {
  const Patch patch = parsed("diff --git a/w b/w\nindex 1..2 100644\nBinary files a/w and b/w differ\n");
  const AppliedPatch result = apply_patch(memory_snapshot({{"w", "old"}}), patch).value();
  EXPECT_EQ(result.after.read("w").value(), "old");
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].path, "w");
}

TEST(ApplyPatch, LinksAndSubmodules) {
  GitFixture git;
  git.write("x", "x\n");
  git.commit("first");
  const std::string id = git.git("rev-parse HEAD");
  testing::run_shell(git.root(), "ln -s x link && git update-index --add --cacheinfo 160000," + id +
                                     ",sub && git add link && git commit -q -m second");
  const Snapshot after = applied(memory_snapshot({{"x", "x\n"}}), git.git("diff HEAD~1 HEAD") + "\n");
  ASSERT_EQ(after.files().size(), 3u);
  EXPECT_EQ(after.files()[0].kind, FileKind::symlink);
  EXPECT_EQ(after.read("link").value(), "x");
  EXPECT_EQ(after.files()[1].kind, FileKind::submodule);
  EXPECT_EQ(after.files()[1].content_id, id);
}

TEST(ApplyPatch, LaterMailsBuildOnEarlierOnes) {
  GitFixture git;
  git.write("x.py", "1\n");
  git.commit("zero");
  git.write("x.py", "2\n");
  git.write("y.py", "y\n");
  git.commit("one");
  git.write("x.py", "3\n");
  git.git("mv y.py z.py");
  git.commit("two");
  const std::string mails = git.git("format-patch --stdout HEAD~2") + "\n";
  const Patch patch = parsed(mails);
  ASSERT_EQ(patch.messages.size(), 2u);
  EXPECT_EQ(patch.messages[0].subject, "one");
  const Snapshot after = apply_patch(memory_snapshot({{"x.py", "1\n"}}), patch).value().after;
  EXPECT_EQ(after.read("x.py").value(), "3\n");
  EXPECT_FALSE(after.find("y.py"));
  EXPECT_TRUE(after.find("z.py"));
}

TEST(ApplyPatch, HostileRepetitionIsBounded) {
  // Each hunk matches nowhere but almost everywhere; comparing all places would take hours.
  std::string before, hunk_lines;
  for (int i = 0; i < 200'000; ++i) before += "x\n";
  for (int i = 0; i < 100'000; ++i) hunk_lines += " x\n";
  const std::string patch = fmt::format("--- a/x\n+++ b/x\n@@ -50,100002 +50,100002 @@\n{}-y\n+z\n x\n", hunk_lines);
  EXPECT_NE(apply_error(memory_snapshot({{"x", before}}), patch).message.find("takes too long"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::repo
