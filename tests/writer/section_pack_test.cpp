// What a question to the model is given: the lines of the places that a text names, and the callers of what changes.
#include "writer/author/section_pack.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/story/story.h"
#include "writer/pack/callers_piece.h"

namespace lockstep::writer {
namespace {

using render::Files;
using ::testing::HasSubstr;

/// A change of a.py beside b.py, which has 400 lines: "B_0 = 0" the first.
class NamedLines : public ::testing::Test {
 protected:
  NamedLines() {
    std::string lines;
    for (int i = 0; i < 400; ++i) lines += fmt::format("B_{} = {}\n", i, i);
    const std::string f = "def f(x):\n    return x\n", constant = "A_0 = 0\n";
    std::string steps;
    for (int i = 0; i < 20; ++i) steps += fmt::format("    x += {}\n", i);
    const std::string more = "\n\n" + constant + "\n\ndef short(x):\n" + steps + "    return x\n";
    const Files before = {{"a.py", f + more}, {"b.py", lines}};
    Files after = before;
    after["a.py"] = replace_all(f, "return x", "return x + 1") + more;
    fixture_ = render::make_fixture(before, after, "Change it");
  }

  std::string pack_of(const std::string& places, std::size_t tokens = 100'000) {
    const PackInputs inputs{fixture_->inputs, {}, nullptr};
    const report::Story story = report::find_story(fixture_->inputs);
    Recipe recipe;
    recipe.with_diff = false;
    recipe.least_score = 1e9;  // no code around the change
    recipe.places = places;
    return SectionPacks(inputs, story, Purpose::kExplain).pack(recipe, tokens);
  }

  /// Whether the pack shows this line of b.py, which counts from 1.
  static bool shows(const std::string& pack, int line) {
    return pack.find(fmt::format("B_{0} = {0}\n", line - 1)) != std::string::npos;
  }

 private:
  std::unique_ptr<render::Fixture> fixture_;
};

TEST_F(NamedLines, OfPlacesInAndOutsideBackQuotes) {
  for (const std::string_view text :
       {"See `b.py:100`.", "See b.py:100 and more.", "(b.py:100)", "See `b.py:100-100`."}) {
    const std::string pack = pack_of(std::string(text));
    EXPECT_TRUE(shows(pack, 92) && shows(pack, 100) && shows(pack, 108)) << text << pack;
    EXPECT_FALSE(shows(pack, 91) || shows(pack, 109)) << text << pack;
  }
  for (const std::string_view text : {"See b.py.", "See `b.py`.", "See other.py:100.", "See b.py:999."})
    EXPECT_FALSE(shows(pack_of(std::string(text)), 1)) << text;
}

TEST_F(NamedLines, AtMostThirtyBehindTheFirstOfAPlace) {
  const std::string pack = pack_of("See b.py:100-300.");
  EXPECT_TRUE(shows(pack, 92) && shows(pack, 130) && shows(pack, 138)) << pack;
  EXPECT_FALSE(shows(pack, 139) || shows(pack, 300)) << pack;
}

// What is named first comes first; a place for which there is no room leaves it to shorter ones.
TEST_F(NamedLines, OfTheFirstPlacesForWhichThereIsRoom) {
  const std::string pack = pack_of("b.py:300 b.py:200 b.py:100-130 b.py:20", 700);
  EXPECT_TRUE(shows(pack, 300) && shows(pack, 200) && shows(pack, 20)) << pack;
  EXPECT_FALSE(shows(pack, 100)) << pack;
}

// A short function says more than the lines around one of its own.
TEST_F(NamedLines, AsAWholeOfAShortFunction) {
  const std::string pack = pack_of("See a.py:13.");
  EXPECT_NE(pack.find("def short(x):"), std::string::npos) << pack;
  EXPECT_EQ(pack.find("A_0 = 0"), std::string::npos) << pack;
}

/// A function with a new argument, called in some ways.
class CallersOfChange : public ::testing::Test {
 protected:
  CallersOfChange() {
    std::string callers = "from lib.a import f\n\n\n";
    callers += "def plain(x):\n    return f(x)\n\n\n";
    callers +=
        "def guarded(x, group):\n    if group is not None:\n        return f(x, group=group)\n    return x\n\n\n";
    callers += "def broken():\n    return f()\n\n\n";
    for (int i = 0; i < 14; ++i) callers += fmt::format("def more_{0}(x):\n    return f(x, None)\n\n\n", i);
    const Files before = {{"lib/__init__.py", ""},
                          {"lib/a.py", "def f(x, scale=1):\n    return x * scale\n"},
                          {"lib/b.py", replace_all(replace_all(callers, ", group=group", ""), ", None", "")},
                          {"tests/test_a.py", "from lib.a import f\n\n\ndef test_f():\n    assert f(1) == 1\n"}};
    Files after = before;
    after["lib/a.py"] = "def f(x, group=None, scale=1):\n    return x * (scale if group is None else group)\n";
    after["lib/b.py"] = callers;
    fixture_ = render::make_fixture(before, after, "Take a group");
  }

  std::unique_ptr<render::Fixture> fixture_;
};

TEST_F(CallersOfChange, AreAllGivenWithConditionsAndArguments) {
  const PackInputs inputs{fixture_->inputs, {}, nullptr};
  const report::Story story = report::find_story(fixture_->inputs);
  Recipe recipe;
  recipe.with_diff = false;
  recipe.least_score = 1e9;
  recipe.facts = {PieceKind::kCallers};
  const std::string pack = SectionPacks(inputs, story, Purpose::kDive).pack(recipe, 100'000);
  EXPECT_THAT(pack,
              HasSubstr("### Who calls `f`\n\n`f` is called from 17 places outside tests and 1 in tests; the surest "
                        "and nearest 12:\n"));
  EXPECT_THAT(pack, HasSubstr("- `lib/b.py:5` in `plain`: `f(x)`; leaves out `group` and `scale`\n"));
  // A fault that was there before is told with the call.
  EXPECT_THAT(
      pack,
      HasSubstr("- `lib/b.py:15` in `broken`: `f()`; leaves out `group` and `scale`; does not fit: missing `x`\n"));
  EXPECT_THAT(pack,
              HasSubstr("- `lib/b.py:10` in `guarded`: `f(x, group=group)` when `group` is not `None`; leaves out "
                        "`scale`\n"));
}

// A call on a value of unknown class is one of the only method of that name.
TEST(CallersOfMethods, AreKnownByAnOnlyName) {
  const auto pack = [](const std::string& other) {
    const Files before = {{"lib.py", "class Local:\n    def merge_ledgers(self):\n        return {}\n" + other},
                          {"run.py", "def collect(interface):\n    return interface.merge_ledgers()\n"}};
    Files after = before;
    after["lib.py"] = replace_all(after["lib.py"], "return {}", "return {1: 2}");
    const auto fixture = render::make_fixture(before, after, "Merge");
    const PackInputs inputs{fixture->inputs, {}, nullptr};
    const report::Story story = report::find_story(fixture->inputs);
    Recipe recipe;
    recipe.with_diff = false;
    recipe.least_score = 1e9;
    recipe.facts = {PieceKind::kCallers, PieceKind::kFurtherCallers};
    return SectionPacks(inputs, story, Purpose::kDive).pack(recipe, 100'000);
  };
  EXPECT_THAT(pack(""), HasSubstr("- `run.py:2` in `collect`: `interface.merge_ledgers()` (possibly)"));
  const std::string two = pack("\n\nclass Other:\n    def merge_ledgers(self):\n        return []\n");
  EXPECT_THAT(two, HasSubstr("No call of `Local.merge_ledgers` was found outside tests."));
}

TEST_F(CallersOfChange, StandInATableThatADocumentCanPlace) {
  const report::Story story = report::find_story(fixture_->inputs);
  const std::vector<report::Block> tables = callers_tables(fixture_->inputs, story, "en");
  ASSERT_EQ(tables.size(), 1u);
  const auto& table = std::get<report::Table>(tables.front().value);
  ASSERT_EQ(table.rows.size(), 13u);
  EXPECT_EQ(report::text_of(table.header[0]), "Call of f");
  EXPECT_EQ(report::text_of(table.rows[1][2]), "group is not None");
  EXPECT_EQ(report::text_of(table.rows[1][3]), "leaves out scale; gives group=group");
  EXPECT_EQ(report::text_of(table.rows[12][0]), "and 5 more calls");
}

/// A document that tells what a change does needs of a long test what it asserts; who judges the change reads it whole.
TEST(DiffOfTests, IsShownByWhatItAsserts) {
  std::string test = "def test_f():\n    \"\"\"Sums.\"\"\"\n";
  for (int i = 0; i < 50; ++i) test += fmt::format("    x = {}\n", i);
  test += "    assert f(x) == 50\n";
  const Files before = {{"a.py", "def f(x):\n    return x\n"}};
  const Files after = {{"a.py", "def f(x):\n    return x + 1\n"}, {"tests/test_a.py", "from a import f\n\n\n" + test}};
  const auto fixture = render::make_fixture(before, after, "Add one");
  const PackInputs inputs{fixture->inputs, {}, nullptr};
  const report::Story story = report::find_story(fixture->inputs);
  Recipe recipe;
  recipe.least_score = 1e9;
  const std::string told = SectionPacks(inputs, story, Purpose::kDive).pack(recipe, 100'000);
  EXPECT_THAT(told, HasSubstr("+    5|     \"\"\"Sums.\"\"\"\n+     | \u2026 50 lines that come left out\n+   56|     "
                              "assert f(x) == 50\n"));
  EXPECT_THAT(told, HasSubstr("return x + 1"));
  EXPECT_THAT(SectionPacks(inputs, story, Purpose::kReview).pack(recipe, 100'000), HasSubstr("+   30|     x = 24\n"));
}

}  // namespace
}  // namespace lockstep::writer
