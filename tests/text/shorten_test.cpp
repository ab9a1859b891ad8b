#include "text/shorten.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

TEST(Shortened, WhatFitsStays) {
  EXPECT_EQ(shortened("f(a, b)", 7), "f(a, b)");
  EXPECT_EQ(shortened("\u00e4\u00e4\u00e4", 3), "\u00e4\u00e4\u00e4");
  EXPECT_EQ(shortened("", 0), "");
}

TEST(Shortened, ArgumentsGoBeforeNames) {
  // Of calls within calls first, then the last ones.
  EXPECT_EQ(shortened("make(placed.view(experts, capacity, -1), counts)", 40),
            "make(placed.view(experts, \u2026), counts)");
  EXPECT_EQ(shortened("make(placed.view(experts, capacity, -1), counts)", 30), "make(placed.view(\u2026), counts)");
  EXPECT_EQ(shortened("make(placed.view(experts, capacity, -1), counts)", 24), "make(placed.view(\u2026), \u2026)");
  EXPECT_EQ(shortened("make(placed.view(experts, capacity, -1), counts)", 20), "make(\u2026)");
  EXPECT_EQ(shortened("x = zeros(num_experts * capacity, hidden_size, dtype=x.dtype)", 40),
            "x = zeros(num_experts * capacity, \u2026)");
  EXPECT_EQ(shortened("x = zeros(num_experts * capacity, hidden_size)", 20), "x = zeros(\u2026)");
  EXPECT_EQ(shortened("first(a, b).then(third_one, fourth)", 24), "first(a, b).then(\u2026)");
  // The one that goes is not the one that says where.
  EXPECT_EQ(shortened("table[index] = lookup(alpha, beta)", 28), "table[index] = lookup(\u2026)");
}

TEST(Shortened, AKeyStaysBeforeLastArguments) {
  EXPECT_EQ(shortened("broadcast(batch['position_ids'], source_rank, tp_group)", 50),
            "broadcast(batch['position_ids'], source_rank, \u2026)");
}

TEST(Shortened, WhatOnlyGroupsStays) {
  EXPECT_EQ(shortened("(first_one or second_one) and third_one", 30), "(first_one or second_one) \u2026");
}

TEST(Shortened, WhatGoesBehindABracketIsMarked) {
  EXPECT_EQ(shortened("(first_one or (second_one and third_one)) and fourth_one", 40),
            "(first_one or (second_one and \u2026)) \u2026");
  EXPECT_EQ(shortened("table[first_name + second_name].squeeze_it_all", 30), "table[first_name + \u2026]\u2026");
}

TEST(Shortened, NamesAndWordsStayWhole) {
  EXPECT_EQ(shortened("left_side + right_side", 18), "left_side + \u2026");
  EXPECT_EQ(shortened("self.config.expert_parallel_size", 24), "self.config.\u2026");
  EXPECT_EQ(shortened("it doesn't fit (not at all)", 20), "it doesn't fit (\u2026)");
  // Unless one alone is too long.
  EXPECT_EQ(shortened("abcdef", 4), "abc\u2026");
  EXPECT_EQ(shortened("x = abcdefghijkl", 10), "x = abcde\u2026");
}

TEST(Shortened, WhatIsLeftOpenIsClosed) {
  EXPECT_EQ(shortened("raise ValueError(\"expected the number of experts\")", 36),
            "raise ValueError(\"expected the \u2026\")");
  EXPECT_EQ(shortened("f(\"a, (b\", second_argument)", 14), "f(\"a, (b\", \u2026)");
  EXPECT_EQ(shortened("[{\"key\": value_of_it", 16), "[{\"key\": \u2026}]");
}

TEST(Shortened, NothingIsLongerThanAsked) {
  const std::string text =
      "a(b[c], {d: e(f, g)}, \"h i\", 'j k') + \u00e4\u00f6(l) - m(n(o(p, q), r), s) doesn't end (";
  for (std::size_t limit = 1; limit < 90; ++limit) {
    const std::string out = shortened(text, limit);
    std::size_t width = 0;
    for (const char c : out) width += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u ? 1 : 0;
    EXPECT_LE(width, limit) << out;
  }
}

// Each of these took minutes while every comma, group or character measured the text anew.
TEST(Shortened, LongTextsCostNoMoreThanTheirLength) {
  constexpr std::size_t kMany = 100'000;
  std::string elements;
  std::string calls;
  for (std::size_t i = 0; i < kMany; ++i) {
    elements += "'x" + std::to_string(i) + "', ";
    calls += "f(a, b) + ";
  }
  const std::size_t limit = elements.size() / 2;
  const std::string outer = shortened("names = [" + elements + "]", limit);
  EXPECT_EQ(outer.substr(0, 25), "names = ['x0', 'x1', 'x2'");
  EXPECT_EQ(outer.substr(outer.size() - 6), ", \u2026]");
  EXPECT_EQ(shortened("frozenset([" + elements + "])", limit).substr(0, 20), "frozenset(['x0', 'x1");
  EXPECT_EQ(shortened(calls, calls.size() - 2).substr(0, 18), "f(a, b) + f(a, b) ");
  EXPECT_EQ(shortened(std::string(kMany, '('), kMany / 2).substr(0, 2), "((");
  std::string escaped = "'";
  for (std::size_t i = 0; i < kMany; ++i) escaped += "\\'";
  EXPECT_EQ(shortened(escaped, kMany).substr(0, 3), "'\\'");
}

TEST(Shortened, AMethodStaysBeforeTheClassThatItIsReadOff) {
  EXPECT_EQ(shortened("BatchDimensionBuilder.calculate_counts(tp_size, count)", 30), "\u2026.calculate_counts(\u2026)");
  EXPECT_EQ(shortened("builder.calculate_counts(tp_size, count)", 30), "builder.calculate_counts(\u2026)");
  // Of two calls neither is the whole.
  EXPECT_NE(shortened("BatchDimensionBuilder.first(a).second(b)", 20), "\u2026.second(\u2026)");
}

}  // namespace
}  // namespace lockstep
