// What is told of definitions that the items of "What" have no room for: a line each, of the heaviest.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A module of `count` functions that call one another, each of which returns its own number.
std::string functions(int count, int step) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const std::string name = "step_" + std::to_string(i);
    out += "def " + name + "(x):\n    y = x + " + std::to_string(i) + "\n    return y * " + std::to_string(i + step) +
           "\n\n\n";
  }
  out += "if __name__ == '__main__':\n";
  for (int i = 0; i < count; ++i) out += "    step_" + std::to_string(i) + "(1)\n";
  return out;
}

TEST(ToldInShort, TheHeaviestOfTheRestAreToldInOneLine) {
  const std::string text = explain_of({{"a.py", functions(14, 1)}}, {{"a.py", functions(14, 2)}});
  EXPECT_TRUE(says(text, "more definitions change:\n  - `step_")) << text;
  EXPECT_TRUE(says(text, "  - The other ")) << text;
  // Each of them once.
  const std::size_t what = text.find("### What");
  const std::string section = text.substr(what, text.find("## 2", what) - what);
  for (int i = 0; i < 14; ++i) {
    const std::string head = "`step_" + std::to_string(i) + "` (";
    const std::size_t first = section.find(head);
    if (first == std::string::npos) continue;
    EXPECT_EQ(section.find(head, first + 1), std::string::npos) << head << "\n" << section;
  }
}

TEST(ToldInShort, EditsThatAreNotToldAreCounted) {
  std::string before = "def f(x):\n";
  std::string after = before;
  for (int i = 0; i < 12; ++i) {
    before += "    a" + std::to_string(i) + "(x)\n    b" + std::to_string(i) + " = " + std::to_string(i) + "\n";
    after += "    a" + std::to_string(i) + "(x)\n    b" + std::to_string(i) + " = " + std::to_string(i + 50) + "\n";
  }
  const std::string text = explain_of({{"a.py", before + "    return x\n"}}, {{"a.py", after + "    return x\n"}});
  EXPECT_TRUE(says(text, "more edits.")) << text;
}

TEST(ToldInShort, ABranchThatRefusesNowIsAlwaysTold) {
  std::string before = "def f(x):\n";
  std::string after = before;
  for (int i = 0; i < 8; ++i) {
    before += "    g" + std::to_string(i) + "(x)\n    h(x, " + std::to_string(i) + ")\n";
    after += "    g" + std::to_string(i) + "(x)\n    h(x, " + std::to_string(i + 50) + ")\n";
  }
  const std::string text =
      explain_of({{"a.py", before + "    if x < 1:\n        warn(x)\n        return None\n    return x\n"}},
                 {{"a.py", after + "    if x < 1:\n        raise ValueError('too small')\n    return x\n"}});
  EXPECT_TRUE(says(text, "raises `ValueError` (`'too small'`)")) << text;
}

TEST(ToldInShort, CollectivesOfUnchangedLinesAreAsBefore) {
  const std::string before =
      "import torch.distributed as dist\n\n\ndef sync(x, group):\n    dist.barrier(group=group)\n    "
      "dist.all_reduce(x, "
      "group=group)\n    return x\n";
  const std::string text =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "dist.all_reduce(x, group=group)",
                                                           "dist.all_reduce(x, group=group, async_op=True)")}});
  EXPECT_TRUE(says(text, "**Communicates, in the changed lines:** `all_reduce`")) << text;
  EXPECT_TRUE(says(text, "**Communicates, as before:** `barrier`")) << text;
}

}  // namespace
}  // namespace lockstep::render
