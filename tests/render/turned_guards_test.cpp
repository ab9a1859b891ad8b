// A way out whose question was turned round, and definitions of which a change says nothing: loggers, names that only
// one of several got.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string reduce(const std::string& question, const std::string& body = "            continue\n") {
  return "import torch.distributed as dist\n\n\ndef reduce_all(groups, flag):\n    for group in groups:\n"
         "        buffer = group.buffer\n        if " +
         question + ":\n" + body + "        dist.all_reduce(buffer, group=group.ranks)\n    dist.barrier()\n";
}

TEST(TurnedGuards, WhatRanBehindTheOppositeIsTold) {
  const std::string other = "def first(x):\n    return x\n\n\ndef second(x):\n    return first(x)\n";
  const std::string more =
      "def first(x):\n    if x > 3:\n        x = x - 3\n    if x < 0:\n        x = -x\n    for i in range(x):\n"
      "        print(i)\n    return x\n\n\ndef second(x):\n    return first(x)\n";
  const std::string text = explain_of({{"a.py", reduce("buffer is not None")}, {"b.py", other}},
                                      {{"a.py", reduce("buffer is None")}, {"b.py", more}});
  EXPECT_TRUE(says(text,
                   "- `reduce_all` (changed, `a.py:4`): goes on with the next round when `buffer` is `None`, formerly "
                   "when `buffer` is not `None` (so that `all_reduce` behind it was issued only when `buffer` is "
                   "`None`)."))
      << text;
  // It leads what changes more lines.
  EXPECT_LT(text.find("`reduce_all` (changed"), text.find("`first` (changed")) << text;
  const std::string plain = explain_of({{"a.py", replace_all(reduce("not flag"), "dist.all_reduce", "print")}},
                                       {{"a.py", replace_all(reduce("flag"), "dist.all_reduce", "print")}});
  EXPECT_TRUE(says(plain, "goes on with the next round when `flag` is set, formerly when `flag` is not set")) << plain;
  EXPECT_FALSE(says(plain, "so that")) << plain;
}

TEST(TurnedGuards, AnotherQuestionOrBranchIsNoTurnedOne) {
  const std::string text =
      explain_of({{"a.py", reduce("buffer is not None")}}, {{"a.py", reduce("buffer is None or flag")}});
  EXPECT_FALSE(says(text, "so that")) << text;
  const std::string branch = explain_of({{"a.py", reduce("buffer is not None", "            print(buffer)\n")}},
                                        {{"a.py", reduce("buffer is None")}});
  EXPECT_FALSE(says(branch, "so that")) << branch;
}

TEST(TurnedGuards, ALoggerIsNoDefinitionToTell) {
  const std::string with = "import logging\n\nlogger = logging.getLogger(__name__)\n\n\ndef f(x):\n    return x\n";
  const std::string without = "def f(x):\n    return x + 1\n";
  const std::string text = explain_of({{"a.py", with}, {"b.py", "def g(x):\n    return x\n"}},
                                      {{"a.py", without}, {"b.py", replace_all(with, "def f", "def g")}});
  EXPECT_FALSE(says(text, "importable")) << text;
  EXPECT_FALSE(says(text, "- `logger`")) << text;
}

TEST(TurnedGuards, ANameThatOnlyOneOfSeveralGotIsNotFollowedByTheOthers) {
  const auto maker = [](const std::string& merge) {
    return "from lib import Factory\n\n\ndef make(data):\n    def split(part):\n        return part\n\n" + merge +
           "    return Factory(data, split, merge_fn)\n";
  };
  const std::string long_one =
      "    def merge_fn(parts):\n        try:\n            return sum(parts)\n        except RuntimeError as e:\n"
      "            print('slow', e)\n            return sum([each.cpu() for each in parts])\n\n";
  const std::string short_one = "    def merge_fn(parts):\n        return sum(parts)\n\n";
  const std::string shared =
      "def merge_slowly(parts):\n    try:\n        return sum(parts)\n    except RuntimeError as e:\n"
      "        print('slow', e)\n        return sum([each.cpu() for each in parts])\n";
  const auto now = [&] {
    return "from utils import merge_slowly\n" + replace_all(maker(""), "merge_fn", "merge_slowly");
  };
  const std::string lib = "class Factory:\n    def __init__(self, data, split, merge):\n        self.merge = merge\n";
  const std::string text =
      explain_of({{"a.py", maker(long_one)}, {"b.py", maker(short_one)}, {"lib.py", lib}, {"utils.py", "x = 1\n"}},
                 {{"a.py", now()}, {"b.py", now()}, {"lib.py", lib}, {"utils.py", "x = 1\n\n\n" + shared}});
  EXPECT_TRUE(says(text, "passes `merge_slowly` to `Factory` instead of `merge_fn`")) << text;
  EXPECT_FALSE(says(text, "follows the new name")) << text;
}

TEST(TurnedGuards, FieldsOfADataclassAreNotThoseThatItsPlainBaseAnnotates) {
  const auto files = [](const std::string& sum) {
    const std::string base =
        "from dataclasses import dataclass\n\n\nclass Base:\n    key: str\n    rank: int\n\n\n@dataclass\n"
        "class Factory(Base):\n    key: str\n    build: object\n    merge: object\n    rank: int = 0\n\n"
        "    def run_build(self):\n        return self.build(self.key)\n\n"
        "    def run_merge(self, parts):\n        return self.merge(parts)\n";
    const std::string use =
        "from base import Factory\n\n\ndef split(key):\n    return key\n\n\ndef join(parts):\n    return " + sum +
        "\n\n\ndef main():\n    one = Factory('a', split, join, 3)\n    one.run_build()\n    one.run_merge([1])\n\n\n"
        "if __name__ == '__main__':\n    main()\n";
    return Files{{"base.py", base}, {"use.py", use}};
  };
  const std::string text = explain_of(files("sum(parts)"), files("sum(parts) + 1"));
  EXPECT_TRUE(says(text, "`Factory.run_merge` (`base.py:19`) → `join` (`use.py:8`)")) << text;
  EXPECT_FALSE(says(text, "run_build` (")) << text;
}

}  // namespace
}  // namespace lockstep::render
