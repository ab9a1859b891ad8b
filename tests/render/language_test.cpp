#include "report/language.h"

#include <gtest/gtest.h>

namespace lockstep::report {
namespace {

std::string chinese(std::string_view marked) {
  std::string out;
  for (const Run& run : in_language(prose(marked), "zh"))
    out += run.style == Style::kCode ? "`" + run.text + "`" : run.text;
  return out;
}

TEST(Language, OfAChangesWords) {
  EXPECT_EQ(language_of("Fix the router"), "en");
  EXPECT_EQ(language_of(""), "en");
  EXPECT_EQ(language_of("修复 MoE router 的 padding mask 广播"), "zh");
  EXPECT_EQ(language_of("Support 中 in tokenizer tests"), "en");
}

TEST(Language, KeepsCodeQuotesAndWhatItDoesNotKnow) {
  EXPECT_EQ(chinese("Sets " + code("a") + " to " + code("b") + "."), "把 `a` 设为 `b`。");
  EXPECT_EQ(chinese("Its docstring: \u201cSets the " + code("x") + ".\u201d"),
            "其文档字符串：\u201cSets the `x`.\u201d");
  EXPECT_EQ(chinese("Words that no catalogue holds"), "Words that no catalogue holds");
}

TEST(Language, ClausesWithinSentences) {
  EXPECT_EQ(chinese("When " + code("a") + " is true, sets " + code("b") + " to " + code("c") + "; and 3 more steps."),
            "当 `a` 为真 时，把 `b` 设为 `c`；以及另外 3 步。");
  EXPECT_EQ(chinese("also passes " + code("a") + " and " + code("b") + " to " + code("f")), "还把 `a` 和 `b` 传给 `f`");
  EXPECT_EQ(chinese("adds " + code("or a") + " to the value of " + code("f")), "给 `f` 的值加上 `or a`");
  EXPECT_EQ(chinese("no longer imports " + code("a") + " from " + code("m")), "不再从 `m` 导入 `a`");
}

TEST(Language, HeadingsKeepTheirNumbers) {
  EXPECT_EQ(chinese("4.1 Entry Point"), "4.1 入口");
  EXPECT_EQ(chinese("1. TL;DR"), "1. 摘要");
}

TEST(Language, EveryEntryHasAText) {
  for (const Sentence& one : catalogue_zh()) {
    EXPECT_FALSE(one.text.empty()) << one.english;
    EXPECT_NE(one.english, one.text);
    for (std::size_t at = one.text.find('{'); at != std::string_view::npos; at = one.text.find('{', at + 1)) {
      const std::size_t hole = static_cast<std::size_t>(one.text[at + 1] - '0');
      std::size_t holes = 0;
      for (const char c : one.english) holes += c == '{' ? 1u : 0u;
      EXPECT_LE(hole, holes) << one.english;
    }
  }
}

}  // namespace
}  // namespace lockstep::report
