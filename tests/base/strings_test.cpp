#include "base/strings.h"

#include <gtest/gtest.h>

#include <chrono>

namespace lockstep {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Strings, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (Parts{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
}

TEST(Strings, SplitLinesTakesBothLineEnds) {
  EXPECT_EQ(split_lines("a\nb\r\n\nc"), (Parts{"a", "b", "", "c"}));
  EXPECT_EQ(split_lines("a\n"), (Parts{"a"}));
  EXPECT_EQ(split_lines(""), Parts{});
  EXPECT_EQ(split_lines("\n"), (Parts{""}));
  EXPECT_EQ(split_lines("a\rb"), (Parts{"a\rb"})) << "a lone carriage return ends no line here";
}

TEST(Strings, TrimJoinReplace) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(replace_all("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
  EXPECT_EQ(replace_all("a.b.c", ".", "::"), "a::b::c");
  EXPECT_EQ(to_lower("ABC ÄÖ"), "abc ÄÖ") << "ASCII only";
  EXPECT_TRUE(contains("haystack", "st"));
  EXPECT_FALSE(contains("haystack", "x"));
}

TEST(Strings, CountOf) {
  EXPECT_EQ(count_of(0, "file"), "0 files");
  EXPECT_EQ(count_of(1, "file"), "1 file");
  EXPECT_EQ(count_of(2, "entry", "entries"), "2 entries");
}

TEST(GlobMatch, ComponentsAndTheirWildcards) {
  EXPECT_TRUE(glob_match("*.py", "a.py"));
  EXPECT_FALSE(glob_match("*.py", "d/a.py")) << "one star stays within a component";
  EXPECT_TRUE(glob_match("d/?.py", "d/a.py"));
  EXPECT_FALSE(glob_match("d/?.py", "d/ab.py"));
  EXPECT_TRUE(glob_match("a*b*c", "axxbyyc"));
  EXPECT_FALSE(glob_match("a*b*c", "axxbyy"));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_FALSE(glob_match("", "a"));
}

TEST(GlobMatch, DoubleStarSpansComponents) {
  EXPECT_TRUE(glob_match("**/x.py", "x.py"));
  EXPECT_TRUE(glob_match("**/x.py", "a/b/x.py"));
  EXPECT_TRUE(glob_match("a/**", "a/b/c"));
  EXPECT_TRUE(glob_match("a/**/b/**/c", "a/x/b/c"));
  EXPECT_FALSE(glob_match("a/**/b", "a/x/c"));
}

TEST(GlobMatch, HostilePatternsStayFast) {
  std::string pattern, text(5000, 'a');
  for (int i = 0; i < 1000; ++i) pattern += "*a";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(glob_match(pattern + "b", text));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(CutAtCharacter, EndsBeforeACharacterThatDoesNotFit) {
  EXPECT_EQ(cut_at_character("plain", 5), "plain");
  EXPECT_EQ(cut_at_character("plain", 3), "pla");
  const std::string_view text = "a\u00e9\u4e2d\U0001f600z";  // of one, two, three, four and one bytes
  const std::string_view kept[] = {"", "a", "a", "a\u00e9", "a\u00e9", "a\u00e9", "a\u00e9\u4e2d"};
  for (std::size_t bytes = 0; bytes < std::size(kept); ++bytes)
    EXPECT_EQ(cut_at_character(text, bytes), kept[bytes]) << bytes;
  EXPECT_EQ(cut_at_character(text, 9), "a\u00e9\u4e2d");
  EXPECT_EQ(cut_at_character(text, 10), "a\u00e9\u4e2d\U0001f600");
  EXPECT_EQ(cut_at_character(text, 11), text);
  EXPECT_EQ(cut_at_character(text, 100), text);
  EXPECT_EQ(cut_at_character("\x80\x80\x80", 2), "") << "no character at all";
}

TEST(EditDistance, CountsAndGivesUp) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 10), 3u);
  EXPECT_EQ(edit_distance("", "abc", 10), 3u);
  EXPECT_EQ(edit_distance("same", "same", 0), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3u) << "the limit and one";
  EXPECT_EQ(edit_distance("a", "completely different", 3), 4u);
}

}  // namespace
}  // namespace lockstep
