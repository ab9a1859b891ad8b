// What holds for any change: comparing a program with itself is empty, swapping sides mirrors, layout is cosmetic, the
// order of files does not matter. On fixtures, and on the example library when it is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/strings.h"
#include "change/fixture.h"
#include "program/link.h"

namespace lockstep::change {
namespace {

using testing::IsEmpty;

Files example_files() {
  Files files;
  const std::filesystem::path root = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "examples" / "minitrain";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".py") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    files[std::filesystem::relative(entry.path(), root).string()] = text.str();
  }
  return files;
}

/// Drops, doubles and swaps lines: code that is often broken, which every law must survive.
std::string mangled(const std::string& text, std::mt19937& random) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text)) lines.emplace_back(line);
  for (std::size_t edits = lines.size() / 10 + 1; edits > 0 && lines.size() > 2; --edits) {
    const std::size_t at = random() % lines.size(), other = random() % lines.size();
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 4) {
      case 0:
        lines.erase(place);
        break;
      case 1:
        lines.insert(place, lines[other]);
        break;
      case 2:
        std::swap(lines[at], lines[other]);
        break;
      default:
        lines[at] = replace_all(lines[at], "self", "that");
        break;
    }
  }
  return join(lines, "\n") + "\n";
}

Files mangled_files(const Files& files, std::uint32_t seed) {
  std::mt19937 random(seed);
  Files out;
  for (const auto& [path, text] : files) {
    const std::string name = random() % 8 == 0 ? "moved/" + path : path;
    if (random() % 12 != 0) out[name] = random() % 3 == 0 ? mangled(text, random) : text;
  }
  return out;
}

/// Another layout of the same code: comments, blank lines, trailing white space, all that keeps the tree.
std::string reformatted(const std::string& text) {
  std::string out = "# A comment before everything.\n\n";
  for (const std::string_view line : split_lines(text)) {
    const std::string_view code = trim(line);
    if (code.starts_with("def ") || code.starts_with("class ")) out += "\n\n";
    out.append(line);
    if (code.ends_with(":") && !contains(code, "\"\"\"") && !contains(code, "#") &&
        (code.starts_with("def ") || code.starts_with("if ") || code.starts_with("for "))) {
      out += "  # a comment";
    }
    out.push_back('\n');
  }
  return out;
}

/// Twice the indentation, outside of brackets and strings that span lines alike (their inner layout is free, except in
/// strings: files with these are left out by the caller).
std::string reindented(const std::string& text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent != std::string_view::npos) out.append(indent, ' ');
    out.append(line).push_back('\n');
  }
  return out;
}

void expect_mirrored(const Files& before, const Files& after) {
  const auto forth = compare_files(before, after), back = compare_files(after, before);
  const std::vector<std::string> expected = full_text(forth->change, false), mirrored = full_text(back->change, true);
  std::vector<std::string> missing, extra;
  std::ranges::set_difference(expected, mirrored, std::back_inserter(missing));
  std::ranges::set_difference(mirrored, expected, std::back_inserter(extra));
  EXPECT_THAT(missing, IsEmpty()) << "mirrored: " << testing::PrintToString(extra);
  EXPECT_THAT(extra, IsEmpty());
}

void expect_cosmetic(const Files& before, const Files& after) {
  const auto compared = compare_files(before, after);
  EXPECT_FALSE(compared->change.entities.empty());
  for (const EntityChange& entity : compared->change.entities) {
    EXPECT_TRUE(entity.is_cosmetic()) << testing::PrintToString(describe(compared->change));
    if (!entity.is_cosmetic()) return;
  }
}

TEST(Laws, ComparedWithItselfNothingDiffers) {
  const Files files = example_files();
  const auto compared = compare_files(files, files);
  EXPECT_THAT(compared->change.entities, IsEmpty());
  EXPECT_THAT(compared->change.files, IsEmpty());
}

TEST(Laws, SwappingSidesMirrors) {
  const Files files = example_files();
  ASSERT_FALSE(files.empty());
  expect_mirrored({}, files);
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    expect_mirrored(files, mangled_files(files, seed));
    if (HasFailure()) return;
  }
}

TEST(Laws, LayoutIsCosmetic) {
  const Files files = example_files();
  Files other, indented, crlf;
  for (const auto& [path, text] : files) {
    other[path] = reformatted(text);
    crlf[path] = replace_all(text, "\n", "\r\n");
  }
  expect_cosmetic(files, other);
  expect_cosmetic(files, crlf);
  const std::string code =
      "import a\nclass C(a.B):\n    x = 1\n    def m(self, y):\n        '''Says\n        what.'''\n        if y:\n"
      "            return [self.x,\n                    y]\n        try:\n            y = 2\n        finally:\n        "
      "    pass\n";
  expect_cosmetic({{"m.py", code}}, {{"m.py", reindented(code)}});
}

TEST(Laws, EveryChangedPythonFileHasAnEntity) {
  const Files files = example_files();
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const auto compared = compare_files(files, mangled_files(files, seed));
    for (const FileSummary& file : compared->change.files) {
      const auto stands_in = [&](const EntityChange& entity) {
        return (entity.before && entity.before->path == file.file->path()) ||
               (entity.after && entity.after->path == file.file->path());
      };
      EXPECT_TRUE(std::ranges::any_of(compared->change.entities, stands_in)) << file.file->path() << " seed " << seed;
      EXPECT_FALSE(file.summary.empty());
    }
  }
}

TEST(Laws, OrderOfFilesDoesNotMatter) {
  const Files files = example_files();
  const Files edited = mangled_files(files, 7);
  const auto sorted = compare_files(files, edited);
  std::vector<program::SourceFile> sources;
  for (const auto& [path, text] : edited) sources.push_back({path, python::extract_facts(text)});
  std::ranges::shuffle(sources, std::mt19937(3));
  const program::Program after = program::link(std::move(sources), {.jobs = 2});
  const Change change = compare(sorted->before, after, sorted->diff);
  EXPECT_EQ(full_text(change, false), full_text(sorted->change, false));
}

TEST(Laws, LookupsAgreeWithTheEntities) {
  const Files files = example_files();
  const auto compared = compare_files(files, mangled_files(files, 11));
  for (const auto& [path, text] : compared->change.segments) {
    for (std::uint32_t line = 0; line < 400; ++line) {
      const EntityChange* innermost = nullptr;
      for (const EntityChange& entity : compared->change.entities) {
        const bool holds = entity.after && entity.after->path == path && entity.after->first_line <= line &&
                           line <= entity.after->last_line;
        if (holds) innermost = &entity;  // Outer ones come first.
      }
      ASSERT_EQ(compared->change.entity_at_after(path, line), innermost) << path << ":" << line;
    }
  }
}

TEST(Laws, ManyEqualThingsTakeNoLongerThanTheyShould) {
  // Would take minutes if anything here compared each with each.
  std::string before, after;
  for (int i = 0; i < 20'000; ++i) {
    before += "x = 1\ndef f(): return 1\n";
    after += "def f(): return 1\nif a:\n    b(2)\nx = 1\n";
  }
  EXPECT_FALSE(differences_of(before, after).empty());
  std::string deep = "def f(a):\n", shallow = "def f(a):\n";
  for (int i = 0; i < 90; ++i) {
    deep += std::string(static_cast<std::size_t>(i) + 1, ' ') + "if a:\n";
    shallow += " if a: b()\n";
  }
  deep += std::string(92, ' ') + "b()\n";
  EXPECT_FALSE(differences_of(deep, shallow).empty());
}

}  // namespace
}  // namespace lockstep::change
