// What new assertions and raises say in their author's words, where the code that is shown does not have them.
#include <gtest/gtest.h>

#include <string>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A function too long to be shown whole, with `check` far below.
std::string long_function(const std::string& check) {
  std::string text = "def split(rows, parts):\n    total = 0\n";
  for (int i = 0; i < 60; ++i)
    text += "    total = total * " + std::to_string(i) + " + gather_rows_of_part(rows, parts, " + std::to_string(i) +
            ")\n    note_progress_of_part(total, " + std::to_string(i) + ")\n";
  return text + check + "    return total\n";
}

TEST(NewChecks, AMessageThatNoExcerptShowsIsQuoted) {
  const Files before = {{"m.py", "def other():\n    return 1\n"}};
  const std::string check =
      "    assert total % parts == 0, \"each part has to lie inside one half of the rows\"\n"
      "    if total > 9:\n        raise ValueError(f\"{total} rows are more than nine of them\")\n";
  const auto text_with = [&](const std::string& text) {
    return explain_of(before, {{"m.py", before.at("m.py") + "\n\n" + long_function(text)}});
  };
  const std::string text = text_with(check);
  EXPECT_TRUE(says(text,
                   "**Checks:** insists that `total % parts` is `0` (`\"each part has to lie inside one half of the "
                   "rows\"`); raises `ValueError` (`f\"{total} rows are more than nine of them\"`) where `total` is "
                   "more than `9`."))
      << text;
  // A word is no sentence.
  EXPECT_FALSE(says(text_with("    assert total % parts == 0, \"bad parts\"\n"), "**Checks:**"));
}

/// What a local feeds that nothing but checks read is a check, too: what is done comes first.
TEST(NewChecks, WhatOnlyChecksReadFollowsWhatIsDone) {
  const auto files = [](const std::string& fields, const std::string& check, const std::string& use,
                        const std::string& done) {
    return Files{{"m.py", "def validate(config, groups):\n    fields = [" + fields +
                              "]\n    if any(getattr(config, name) != 1 for name in fields):\n        raise "
                              "ValueError(f\"{fields} have to be one\")\n" +
                              use + check + "\n\ndef wrap(config, groups, model):\n    validate(config, groups)\n" +
                              done + "    return shard(model)\n"}};
  };
  const std::string checks =
      "    if config.expert > 1:\n        if groups.ep is None:\n            raise ValueError(\"a group of experts is "
      "missing\")\n        if groups.dp is None:\n            raise ValueError(\"a group of data is missing\")\n";
  const std::string done = "    if config.expert > 1:\n        shard(model.experts, groups.dp)\n";
  const auto leads = [&](const std::string& use, const std::string& name) {
    const std::string text =
        dive_of(files("\"tensor\", \"expert\"", "", use, ""), files("\"tensor\"", checks, use, done));
    return says(text, "- **What:** `" + name + "`");
  };
  EXPECT_TRUE(leads("", "wrap"));
  EXPECT_TRUE(leads("    groups.keep(fields)\n", "validate"));
}

TEST(NewChecks, WhatAnExcerptShowsIsNotToldAgain) {
  const std::string text =
      explain_of({{"m.py", "def split(rows, parts):\n    return rows\n"}},
                 {{"m.py",
                   "def split(rows, parts):\n    assert rows > parts, \"there have to be more rows than parts\"\n"
                   "    return rows\n"}});
  EXPECT_FALSE(says(text, "**Checks:**")) << text;
}

/// Where more than branches decides over the error, or something may catch it, nothing is told.
TEST(NewChecks, WhatConditionsDoNotTellIsNotTold) {
  const Files before = {{"m.py", "def other():\n    return 1\n"}};
  const auto tells = [&](const std::string& text) {
    return says(explain_of(before, {{"m.py", before.at("m.py") + "\n\n" + long_function(text)}}), "**Checks:**");
  };
  const std::string raise = "raise ValueError(\"there are more rows than nine here\")\n";
  EXPECT_TRUE(tells("    if total > 9:\n        " + raise));
  EXPECT_FALSE(
      tells("    try:\n        if total > 9:\n            " + raise + "    except ValueError:\n        total = 1\n"));
  EXPECT_FALSE(
      tells("    try:\n        total += 1\n    except KeyError:\n        if total > 9:\n            " + raise));
  // An early return that a condition tells, and others.
  EXPECT_FALSE(tells("    for row in rows:\n        return parts\n    if total > 9:\n        " + raise));
  EXPECT_FALSE(
      tells("    for row in rows:\n        with row:\n            return parts\n        if total > 9:\n            " +
            raise));
  EXPECT_FALSE(tells(
      "    if parts == 2:\n        return parts\n    elif parts == 3:\n        return 1\n    if total > 9:\n        " +
      raise));
  EXPECT_FALSE(
      tells("    if parts == 2:\n        return parts\n    parts = rows\n    if total > 9:\n        " + raise));
  EXPECT_FALSE(tells("    if parts == 2:\n        parts = rows\n        if total > 9:\n            " + raise));
  EXPECT_FALSE(tells("    match total:\n        case 9:\n            " + raise));
  EXPECT_FALSE(tells("    while total:\n        if total > 9:\n            " + raise));
  // A text of which one part is formatted and the other not.
  EXPECT_FALSE(tells("    assert total, (\"there are more {rows} than \"\n                   f\"{total} of them\")\n"));
}

TEST(NewChecks, EarlyReturnsAreToldAsConditions) {
  const Files before = {{"m.py", "def other():\n    return 1\n"}};
  const auto text_with = [&](const std::string& text) {
    return explain_of(before, {{"m.py", before.at("m.py") + "\n\n" + long_function(text)}});
  };
  const std::string text = text_with(
      "    if parts == 2:\n        return parts\n    if total > 9:\n"
      "        raise ValueError(\"there are more rows than nine here\")\n"
      "    assert total % 3 == 0, \"the rows have to be a multiple of three\"\n");
  EXPECT_TRUE(says(text,
                   "**Checks:** raises `ValueError` (`\"there are more rows than nine here\"`) where `parts` is not "
                   "`2` and `total` is more than `9`; "))
      << text;
  EXPECT_TRUE(says(text, "(`\"the rows have to be a multiple of three\"`) where `parts` is not `2`.")) << text;
}

}  // namespace
}  // namespace lockstep::render
