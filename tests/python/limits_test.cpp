// Hostile input: everything ends quickly, with a tree that keeps its invariants.
#include <gtest/gtest.h>

#include <chrono>

#include "python/outline.h"
#include "python/tree_invariants.h"

namespace lockstep::python {
namespace {

constexpr int kMany = 100'000;

std::string repeat(std::string_view text, int count) {
  std::string result;
  result.reserve(text.size() * static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

// Far above what any of these takes (milliseconds), far below what quadratic time would take (minutes).
constexpr auto kQuick = std::chrono::seconds(10);

std::unique_ptr<ParsedFile> parse_quickly(std::string source) {
  const auto start = std::chrono::steady_clock::now();
  auto file = parse(std::move(source));
  EXPECT_LT(std::chrono::steady_clock::now() - start, kQuick);
  EXPECT_EQ(broken_invariant(*file), "");
  return file;
}

// The file must be refused with a problem that says `message`.
void expect_refused(std::string source, std::string_view message) {
  const auto file = parse_quickly(std::move(source));
  ASSERT_FALSE(file->problems.empty());
  EXPECT_EQ(file->problems[0].message, message);
}

void expect_accepted(std::string source) {
  const auto file = parse_quickly(std::move(source));
  EXPECT_TRUE(file->problems.empty()) << file->problems[0].message;
}

TEST(Limits, Brackets) {
  expect_accepted(repeat("(", kMaxTreeDepth / 5) + "x" + repeat(")", kMaxTreeDepth / 5));
  expect_refused(repeat("(", kMany) + repeat(")", kMany), "too many nested parentheses");
  expect_refused(repeat("[", kMany), "too many nested parentheses");
  expect_refused(repeat("{", kMany), "too many nested parentheses");
  expect_refused(repeat("f(x=", kMany), "too many nested parentheses");
  expect_refused(repeat("with (", kMany), "invalid syntax");
  expect_refused(repeat("x = (\n", kMany), "expected ')'");
  expect_refused(repeat("for x in [y\n", kMany), "too many nested parentheses");
  expect_refused(repeat("match (\n", kMany), "too many nested parentheses");
  expect_refused("match x:\n case " + repeat("[", kMany), "too many nested parentheses");
}

TEST(Limits, PrefixesAndRightRecursion) {
  expect_refused(repeat("-", kMany) + "1", "too deeply nested");
  expect_refused(repeat("not ", kMany) + "x", "too deeply nested");
  expect_refused(repeat("lambda: ", kMany) + "x", "too deeply nested");
  expect_refused(repeat("lambda x=", kMany), "too deeply nested");
  expect_refused("a" + repeat(" ** a", kMany), "too deeply nested");
  expect_refused("a" + repeat(" if b else a", kMany), "too deeply nested");
  expect_accepted("a" + repeat(" if b else a", 400));
}

TEST(Limits, ChainsToTheLeft) {
  expect_refused("a" + repeat(" + a", kMany), "too deeply nested");
  expect_refused("a" + repeat(".a", kMany), "too deeply nested");
  expect_refused("a" + repeat("()", kMany), "too deeply nested");
  expect_refused("a" + repeat("[0]", kMany), "too deeply nested");
  expect_accepted("a" + repeat(" + a", 900));
  expect_accepted("a" + repeat(".a", 900));
}

TEST(Limits, FlatSequencesHaveNone) {
  expect_accepted("a" + repeat(" and a", kMany));
  expect_accepted("a" + repeat(" < a", kMany));
  expect_accepted(repeat("a = ", kMany) + "1");
  expect_accepted("x = [" + repeat("1, ", kMany) + "]");
  expect_accepted(repeat("'a' ", kMany));
  expect_accepted(repeat("a; ", kMany));
  expect_accepted("with (" + repeat("a as b, ", kMany) + "): pass");
  expect_accepted("match x:\n case " + repeat("1 | ", kMany) + "1: pass");
  expect_accepted("from " + repeat(".", kMany) + " import x");
}

TEST(Limits, ElifChains) {
  expect_accepted("if a: pass\n" + repeat("elif b: pass\n", 600));
  expect_refused("if a: pass\n" + repeat("elif b: pass\n", kMany), "invalid syntax");
}

TEST(Limits, Indentation) {
  std::string hundred, more;
  for (int i = 0; i <= 1500; ++i) {
    if (i <= 99) hundred += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
    more += std::string(static_cast<std::size_t>(i), ' ') + "if x:\n";
  }
  expect_accepted(hundred + std::string(100, ' ') + "pass\n");
  const auto file = parse_quickly(more);
  EXPECT_FALSE(file->problems.empty());
  EXPECT_LE(file->problems.size(), 201u);
}

TEST(Limits, FStrings) {
  expect_accepted("x = " + repeat("f'{", 100) + "1" + repeat("}'", 100));
  expect_refused(repeat("f'{", kMany), "f-string: expressions nested too deeply");
  expect_refused("f'{x:" + repeat("{y:", kMany), "f-string: expressions nested too deeply");
  expect_accepted("f'" + repeat("{{", kMany) + "'");
}

TEST(Limits, LongLinesAndManyLines) {
  expect_accepted("x = '" + repeat("a", 1'000'000) + "'\n");
  expect_accepted(repeat("x", 1'000'000));
  expect_accepted(repeat("1", 1'000'000));
  expect_accepted(repeat("\u00e9", 300'000));
  expect_accepted(repeat("\n", 1'000'000));
  expect_accepted(repeat("\r", 1'000'000));
  expect_accepted(repeat("x # a\r", kMany));
  expect_accepted("match(x)" + repeat("; match(x)", kMany));
}

TEST(Limits, BrokenTextIsReadAFewTimesAtMost) {
  parse_quickly(repeat("print 'a'\n", kMany));
  parse_quickly(repeat("'\n", kMany));
  parse_quickly(repeat("\"\"\"\n", kMany + 1));
  parse_quickly(repeat("x = '''\ndef f(\n", kMany));
  parse_quickly("x = (a\n" + repeat("if (b\n", kMany));
  parse_quickly("(a\n" + repeat("for x in y\n", kMany));
  parse_quickly(repeat("f'''{\n", kMany));
  parse_quickly(repeat("x\n  y\n", kMany));
  parse_quickly("if x:\n" + repeat("    y\n  z\n", kMany));
  parse_quickly(repeat("@a\n", kMany));
  parse_quickly(repeat("try: x\n", kMany));
}

}  // namespace
}  // namespace lockstep::python
