#include "report/language/language.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <utility>

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

TEST(Language, OfCodeThatMoves) {
  EXPECT_EQ(chinese("Moves 6 steps to " + code("f") + ", 1 of them changed."),
            "把 6 个步骤（其中 1 个有改动）移到 `f`。");
  EXPECT_EQ(chinese("Moves " + code("x()") + " to " + code("f") + ", which calls this one."),
            "把 `x()` 移到调用本函数的 `f`。");
  EXPECT_EQ(chinese("Sets " + code("x") + " to what the new " + code("f()") +
                    " returns, which has the code that stood here."),
            "把 `x` 设为新函数 `f()` 的返回值，原先在此处的代码现在在其中。");
}

TEST(Language, WhatAnArgumentDecides) {
  EXPECT_EQ(
      chinese(code("p") + " can reach " + code("C") + " through " + code("A") + " and " + code("B") +
              " and decides in " + code("C.f") + " (" + place("a.py", 3) + "): " + code("x = y") +
              " and 2 more steps run only if " + code("p") + ". Before, it was " + code("False") + ", the default."),
      "`p` 可经由 `A` 和 `B` 到达 `C`，并在 `C.f`（a.py） 中决定行为：仅当 `p` 时才执行 `x = y` 及另外 2 步。"
      "此前它取默认值 `False`。");
  EXPECT_EQ(
      chinese(code("p") + " can reach " + code("f") + " (" + place("a.py", 3) + ") and, as " + code("q") +
              ", decides there: " + code("x = y") + " runs only if " + code("q") + " is not " + code("None") +
              ". Before, it was not passed."),
      "`p` 可到达 `f`（a.py），并作为 `q` 在其中决定行为：仅当 `q` 不为 `None` 时才执行 `x = y`。此前没有传入它。");
  EXPECT_EQ(chinese("Before, it was " + code("True") + "; now it is " + code("False") + "."),
            "此前它是 `True`，现在是 `False`。");
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
  // A question behind a sentence, and by itself.
  EXPECT_EQ(chinese(code("a") + " overrides it. Do they not need it?"), "`a` 覆盖了它。它们不需要吗？");
  EXPECT_EQ(chinese("Is that meant?"), "这是有意的吗？");
  EXPECT_EQ(chinese("adds " + code("or a") + " to the value of " + code("f")), "给 `f` 的值加上 `or a`");
  EXPECT_EQ(chinese("no longer imports " + code("a") + " from " + code("m")), "不再从 `m` 导入 `a`");
}

TEST(Language, ScriptsThatAreNotCounted) {
  EXPECT_EQ(chinese("Other scripts can lead there, too."), "其他脚本也可能到达。");
  EXPECT_EQ(chinese("At least one other script can lead there, too."), "至少另有一个脚本也可能到达。");
}

TEST(Language, WaysOfFunctionsOfOneNameAndOfScriptsThatCannotStart) {
  EXPECT_EQ(chinese("Runs can reach " + code("f") + " of " + code("a.py") + ": " + code("b.py") + "."),
            "运行时可能到达 `a.py` 的 `f`：`b.py`。");
  EXPECT_EQ(
      chinese("By the call graph only tests lead to " + code("f") + " of " + code("a.py") + ": " + code("t") + "."),
      "按调用图只有测试会到达 `a.py` 的 `f`：`t`。");
  EXPECT_EQ(chinese("By the call graph only a script leads to " + code("f") + " that cannot start, as it imports " +
                    code("a.b") + ", which is not there: " + code("t") + "."),
            "按调用图只有一个无法启动的脚本会到达 `f`（它导入的 `a.b` 不存在）：`t`。");
}

TEST(Language, WhatTurnsCodeOn) {
  EXPECT_EQ(chinese("Outside tests, objects of " + code("A") + " are made only where " + code("fused") + " is true (" +
                    code("a.py:1") + "); 1 more place stands under the same condition; " + code("fused") +
                    " is given from the setting " + code("fuse") + " (" + code("c.py:2") + "), which is " +
                    code("False") + " by default."),
            "在测试之外，只有在以下条件下才会创建 `A` 的对象：`fused` 为真（`a.py:1`）；另有 1 处受同一条件控制；"
            "`fused` 取自设置 `fuse`（`c.py:2`），其默认值为 `False`。");
  EXPECT_EQ(chinese("Outside tests, objects of " + code("A") + " are made only where " + code("b") + " is set (" +
                    code("a.py:1") + "), or where " + code("c") + " is set (" + code("a.py:2") + "); " + code("b") +
                    " (" + code("c.py:2") + ") is " + code("False") + " by default."),
            "在测试之外，只有在以下条件之一下才会创建 `A` 的对象：`b` 已设置（`a.py:1`），或 `c` 已设置（`a.py:2`）；"
            "`b`（`c.py:2`） 的默认值为 `False`。");
}

TEST(Language, AClauseEndsWithItsQuestion) {
  EXPECT_EQ(chinese("Does it communicate, wait or allocate where it did not?"),
            "它是否在原本没有之处通信、等待或分配？");
}

TEST(Language, HeadingsKeepTheirNumbers) {
  EXPECT_EQ(chinese("4.1 Entry Point"), "4.1 入口");
  EXPECT_EQ(chinese("1. TL;DR"), "1. 摘要");
}

TEST(Language, ByIsOfAuthorsInTheirLineOnly) {
  EXPECT_EQ(chinese("By Ada Example: 1 file (+2 \u22121) in " + code("a/") + "."),
            "作者 Ada Example：1 个文件（+2 \u22121），位于 `a/`。");
  EXPECT_EQ(chinese("By Ada Example: 7 files (+2 \u22121) in " + code("a/") + ", the root folder and " + code("b/") +
                    " and 2 more."),
            "作者 Ada Example：7 个文件（+2 \u22121），位于 `a/`、根目录和 `b/` 等，另有 2 处。");
  EXPECT_EQ(chinese("3 files (+2 \u22121) in the root folder and " + code("b/")),
            "3 个文件（+2 \u22121），位于 根目录和 `b/`");
  EXPECT_EQ(chinese("Something else, by the call graph."), "Something else，按调用图。");
  EXPECT_EQ(chinese("By chance nothing of it is known."), "By chance nothing of it is known。");
  EXPECT_EQ(chinese("By the call graph only examples and tools lead to " + code("f") + ": " + place("a.py") + "."),
            "按调用图只有示例与工具会到达 `f`：a.py。");
  EXPECT_EQ(chinese("Which test runs " + code("f") + " and " + code("g") + "?"), "哪个测试运行 `f` 和 `g`？");
  EXPECT_EQ(chinese("NOT TESTED: no test function was found that reaches it by the call graph, and none that names it"),
            "未测试：按调用图，仓库中没有测试到达它，也没有测试提及它");
  EXPECT_EQ(
      chinese("NOT TESTED: no test function was found that reaches them by the call graph, and none that names them"),
      "未测试：按调用图，仓库中没有测试到达它们，也没有测试提及它们");
}

TEST(Language, GroupsOfRanks) {
  const std::string sum = code("all_reduce");
  EXPECT_EQ(chinese(sum + " over all ranks"), "在所有 rank 的组上的 `all_reduce`");
  EXPECT_EQ(chinese(sum + " over the group passed as " + code("g")), "在由 `g` 传入的组上的 `all_reduce`");
  EXPECT_EQ(chinese(sum + " over the group passed as " + code("g") + ", by default all ranks"),
            "在由 `g` 传入的组（默认为所有 rank 的组）上的 `all_reduce`");
  EXPECT_EQ(chinese(sum + " over group over dp and cp"), "在 dp 和 cp 组上的 `all_reduce`");
  EXPECT_EQ(chinese(sum + " over group over dp, cp and ep, asynchronously"), "在 dp、cp 和 ep 组上异步的 `all_reduce`");
  EXPECT_EQ(chinese(sum + " over group over pods"), "在 pods 组上的 `all_reduce`");
  EXPECT_EQ(chinese(sum + " over group over pods, asynchronously"), "在 pods 组上异步的 `all_reduce`");
  EXPECT_EQ(chinese(sum + " over group over pods and " + code("barrier") + " over all ranks"),
            "在 pods 组上的 `all_reduce`，以及在所有 rank 的组上的 `barrier`");
  EXPECT_EQ(chinese(sum + " over group over dp, cp and ep, " + code("send") + " over " + code("g") + " and 2 more"),
            "在 dp、cp 和 ep 组上的 `all_reduce`，在`g`上的 `send`，另有 2 个");
  EXPECT_EQ(chinese("issues " + sum + " over tensor-parallel group (tp) on " + code("x")),
            "在张量并行组（tp）上对 `x` 发起 `all_reduce`");
  EXPECT_EQ(
      chinese("issues " + sum + " over group over dp and cp, asynchronously and keeps the result in " + code("x")),
      "在 dp 和 cp 组上异步发起 `all_reduce`，结果存入 `x`");
  EXPECT_EQ(chinese("issues " + sum + " on " + code("x")), "对 `x` 发起 `all_reduce`");
  // The names that mesh/dimensions.cpp has.
  constexpr std::pair<std::string_view, std::string_view> kGroups[] = {
      {"tensor-parallel group (tp)", "张量并行组（tp）"},
      {"pipeline-parallel group (pp)", "流水线并行组（pp）"},
      {"data-parallel group (dp)", "数据并行组（dp）"},
      {"context-parallel group (cp)", "上下文并行组（cp）"},
      {"expert-parallel group (ep)", "专家并行组（ep）"},
      {"expert-tensor-parallel group (etp)", "专家张量并行组（etp）"},
      {"expert-data-parallel group (edp)", "专家数据并行组（edp）"},
      {"sequence-parallel group (sp)", "序列并行组（sp）"},
      {"weight-rematerialisation group (gtp)", "权重重物化组（gtp）"},
  };
  for (const auto& [english, text] : kGroups)
    EXPECT_EQ(chinese(sum + " over " + std::string(english)), "在" + std::string(text) + "上的 `all_reduce`");
}

TEST(Language, ChecksAndParameters) {
  const std::string f = code("f");
  EXPECT_EQ(chinese("when " + code("a") + " of " + code("b") + " is true or missing"), "当 `b` 的 `a` 为真或缺失 时");
  EXPECT_EQ(chinese(f + " takes the new " + code("n") + " before " + code("b") + ", which moves a position on."),
            "`f` 在 `b` 之前新增 `n`，`b` 因此后移一位。");
  EXPECT_EQ(
      chinese(f + " refuses what it is given: when " + code("a") + " is set, no longer when " + code("b") + " is set."),
      "`f` 在 `a` 已设置 时拒绝输入，不再在 `b` 已设置 时拒绝。");
  EXPECT_EQ(chinese(f + " refuses more: when " + code("a") + " is set, raises " + code("ValueError") + "."),
            "`f` 拒绝更多：当 `a` 已设置 时，抛出 `ValueError`。");
}

TEST(Language, WhatWasThereBefore) {
  EXPECT_EQ(chinese(code("f") + " issues " + code("barrier") + " over the group passed as " + code("g") +
                    " where the call graph sees no training step (" + place("a.py") + ")."),
            "`f` 在调用图看不到训练步之处、在由 `g` 传入的组上发起 `barrier`（a.py）。");
  EXPECT_EQ(chinese("Changed: it was " + code("all_reduce") + " over group over dp and cp."),
            "修改：原为在 dp 和 cp 组上的 `all_reduce`。");
  EXPECT_EQ(chinese("Changed: it was " + code("barrier") + " over all ranks, and still is where " + code("g") + " is " +
                    code("None") + ", its default."),
            "修改：原为在所有 rank 的组上的 `barrier`；`g` 取默认值 `None` 时仍是如此。");
  EXPECT_EQ(chinese("Changed: it was " + code("barrier")), "修改：原为`barrier`");
  EXPECT_EQ(chinese("Refused at " + place("a.py") + ": an assertion fails"), "在 a.py 处拒绝：断言失败");
  EXPECT_EQ(chinese("Open: the tests that were found lead there only through calls that may not be made or can enter "
                    "other functions as "
                    "well"),
            "待定：测试只经由不一定执行或也可能进入其他函数的调用到达那里");
  EXPECT_EQ(chinese("The call graph finds no way from a training step to " + code("f") +
                    " but through constructors and functions that, by their names, build or set something up."),
            "调用图只找到经由构造函数，以及从名称看用于构建或初始化的函数，从训练步到达 `f` 的路径。");
}

TEST(Language, WhatFollowsALabelOrAQuotedSentenceStandsForItself) {
  const std::string sets = "ets " + code("a") + " to " + code("b") + ".";
  EXPECT_EQ(chinese(strong("Out:") + " S" + sets), "输出： 把 `a` 设为 `b`。");
  EXPECT_EQ(chinese("\u201cDo it.\u201d S" + sets), "\u201cDo it.\u201d 把 `a` 设为 `b`。");
  EXPECT_EQ(chinese("\u201cDo it?\u201d 3 more steps."), "\u201cDo it?\u201d 另有 3 步。");
  // A quoted phrase is a part of the sentence that goes on after it.
  EXPECT_EQ(chinese("\u201cDo it\u201d s" + sets), "\u201cDo it\u201d sets `a` to `b`。");
  EXPECT_EQ(chinese("\u201cDo it.\u201d s" + sets), "\u201cDo it.\u201d sets `a` to `b`。");
}

TEST(Language, ConditionsThatGoOn) {
  EXPECT_EQ(chinese(code("a") + " is not in " + code("b") + " and " + code("c") + " is not set"),
            "`a` 不在 `b` 中，并且 `c` 未设置");
  EXPECT_EQ(
      chinese("Calls lead to it from several tests, among them " + code("test_a") + " and " + code("test_b") + "."),
      "有多个测试的调用通向它，其中有 `test_a` 和 `test_b`。");
}

TEST(Language, EveryEntryHasAText) {
  std::set<std::string> known;
  for (const Sentence& one : catalogue_zh()) {
    EXPECT_FALSE(one.text.empty()) << one.english;
    EXPECT_NE(one.english, one.text);
    // Of two the second is never found; a capital at the start makes no other.
    std::string key(one.english);
    key.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(key.front())));
    EXPECT_TRUE(known.insert(key).second) << "twice: " << one.english;
    for (std::size_t at = one.text.find('{'); at != std::string_view::npos; at = one.text.find('{', at + 1)) {
      const std::size_t hole = static_cast<std::size_t>(one.text[at + 1] - '0');
      std::size_t holes = 0;
      for (const char c : one.english) holes += c == '{' ? 1u : 0u;
      EXPECT_LE(hole, holes) << one.english;
    }
  }
}

TEST(Language, SentencesWhosePartsHaveTemplatesOfTheirOwn) {
  const auto not_when = [](const std::string& what) {
    return chinese(what + " when " + code("a") + " is set, formerly when " + code("b") + " is set.");
  };
  EXPECT_EQ(not_when("Returns " + code("x")), "当 `a` 已设置 时返回 `x`，此前是当 `b` 已设置 时。");
  EXPECT_EQ(not_when("Sets " + code("x") + " to " + code("y")),
            "当 `a` 已设置 时把 `x` 设为 `y`，此前是当 `b` 已设置 时。");
  EXPECT_EQ(not_when("Takes the branch that calls " + code("x")),
            "当 `a` 已设置 时走调用 `x`的分支，此前是当 `b` 已设置 时。");
  EXPECT_EQ(chinese("Of Python code the change only takes out 1 definition. No Python code of the repository, tests "
                    "included, has its name any more."),
            "Python 代码方面，改动只移除了 1 个定义。仓库中的 Python 代码（含测试）不再出现该名称。");
  EXPECT_EQ(chinese("Of Python code the change only takes out 3 definitions."),
            "Python 代码方面，改动只移除了 3 个定义。");
  const auto not_recognized = [](const std::string& which) {
    return chinese(
        "No new collective, wait for the GPU or allocation was recognized in the changed lines, nor in the " + which +
        " that their new calls surely enter.");
  };
  EXPECT_EQ(not_recognized("2 functions"),
            "在改动的行以及其新调用必定进入的 2 个函数中未识别到新的集合通信、等待或分配。");
  EXPECT_EQ(not_recognized("function"), "在改动的行以及其新调用必定进入的函数中未识别到新的集合通信、等待或分配。");
  EXPECT_EQ(chinese("Which test sets " + code("a") + ", " + code("b") + ", " + code("c") + " or 2 more settings?"),
            "哪个测试设置了 `a`、`b`、`c` 或另外 2 个设置？");
  EXPECT_EQ(chinese("Which test sets " + code("a") + " or " + code("b") + "?"), "哪个测试设置了 `a` 或 `b`？");
}

}  // namespace
}  // namespace lockstep::report
