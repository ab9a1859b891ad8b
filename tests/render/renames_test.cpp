// Reorganisations: definitions that go to other files, or are called otherwise, and code that only follows them.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kSend =
    "class Sender:\n    def send(self, tokens, limit):\n        kept = [t for t in tokens if t.size < limit]\n"
    "        if not kept:\n            raise ValueError('Sender has nothing to send')\n        return kept\n";
const std::string kCount =
    "def count_tokens(tokens, limit):\n    total = 0\n    for token in tokens:\n        if token.size > limit:\n"
    "            total += token.size - limit\n    return total\n";
const std::string kMean =
    "def mean_size(tokens):\n    sizes = [token.size for token in tokens]\n    if not sizes:\n        return 0\n"
    "    return sum(sizes) / len(sizes) + max(sizes)\n";

TEST(Renames, DefinitionsThatGoToOtherFilesAreToldTogether) {
  const std::string all = kSend + "\n\n" + kCount + "\n\n" + kMean;
  const std::string edited = replace_all(kMean, "max(sizes)", "min(sizes)");
  const std::string text = explain_of({{"m.py", all}}, {{"m.py", "from n import Sender, count_tokens, mean_size\n"},
                                                        {"n.py", kSend + "\n\n" + kCount + "\n\n" + edited}});
  EXPECT_TRUE(says(text,
                   "From `m.py` 3 definitions move to `n.py`, 2 of them as they were: `Sender`, `count_tokens` and "
                   "`mean_size`. All can still be imported from there."))
      << text;
  // What is called otherwise there is not to be had by its old name.
  std::string more;
  for (const std::string name : {"small", "middle", "large", "whole"})
    more += "    " + name + " = [token for token in tokens if token.kind == \"" + name + "\"]\n    total += len(" +
            name + ")\n";
  const std::string long_count = replace_all(kCount, "    return total\n", more + "    return total\n");
  const std::string renamed = explain_of(
      {{"m.py", replace_all(all, kCount, long_count)}},
      {{"m.py", "from n import Sender, count_all_tokens, mean_size\n"},
       {"n.py", kSend + "\n\n" + replace_all(long_count, "count_tokens", "count_all_tokens") + "\n\n" + edited}});
  EXPECT_TRUE(says(renamed,
                   "3 definitions move to `n.py`, one of them as it was: `Sender`, `count_all_tokens` and "
                   "`mean_size`. By these names all can be imported from there, too."))
      << renamed;
  // Two are told one by one.
  const std::string two = kSend + "\n\n" + kCount;
  EXPECT_FALSE(
      says(explain_of({{"m.py", two + "\n\n" + kMean}}, {{"m.py", kMean}, {"n.py", two}}), "definitions move"));
}

TEST(Renames, WhatOnlyFollowsANewNameIsNoOtherBehaviour) {
  const std::string use = "from m import Sender\n\n\ndef make(size) -> Sender:\n    return Sender(size)\n";
  const std::string other = replace_all(kSend, "class Sender", "class TokenSender");
  const auto now = [](const std::string& text) { return replace_all(text, "Sender", "TokenSender"); };
  const std::string text = explain_of(
      {{"m.py", kSend + "\n\n" + kCount}, {"u.py", use}},
      {{"m.py", now(kSend) + "\n\n" + replace_all(kCount, "count_tokens", "count_all")}, {"u.py", now(use)}});
  EXPECT_TRUE(says(text, "Renames `Sender` to `TokenSender`, `count_tokens` to `count_all`.")) << text;
  EXPECT_TRUE(says(text, "`make` (changed, `u.py:4`): follows the new name `TokenSender` of `Sender`.")) << text;
  EXPECT_FALSE(says(text, "return type")) << text;
  EXPECT_FALSE(says(text, "in place of")) << text;
  // A key in place of another is another key.
  const std::string keyed = "def find(table):\n    return table['Sender']\n";
  const std::string keys = explain_of({{"m.py", kSend}, {"k.py", keyed}}, {{"m.py", now(kSend)}, {"k.py", now(keyed)}});
  EXPECT_TRUE(says(keys, "returns `table['TokenSender']` in place of")) << keys;
  // Where the old name means something again, it is not known what was meant.
  const std::string again = explain_of({{"m.py", kSend}, {"u.py", use}},
                                       {{"m.py", other + "\n\nclass Sender:\n    size = 1\n"}, {"u.py", now(use)}});
  EXPECT_FALSE(says(again, "follows the new name")) << again;
}

TEST(Renames, AnOldNameThatStaysBesideTheNewOneIsNotRemoved) {
  const std::string package = "from m.sender import TokenSender\n\nSender = TokenSender\n";
  const std::string text = explain_of(
      {{"m.py", kSend}}, {{"m/__init__.py", package}, {"m/sender.py", replace_all(kSend, "Sender", "TokenSender")}});
  EXPECT_FALSE(says(text, "Removed from the importable names")) << text;
  const std::string gone =
      explain_of({{"m.py", kSend}}, {{"m/__init__.py", "from m.sender import TokenSender\n"},
                                     {"m/sender.py", replace_all(kSend, "Sender", "TokenSender")}});
  EXPECT_TRUE(says(gone, "Removed from the importable names")) << gone;
}

TEST(Renames, ADocstringThatOnlyPointsElsewhereIsNotQuoted) {
  const auto with = [](const std::string& words) {
    return "def step(model):\n    \"\"\"" + words + "\"\"\"\n    return model.loss()\n";
  };
  EXPECT_FALSE(says(explain_of({{"a.py", ""}}, {{"a.py", with("See `Base.step`.")}}), "See `Base.step`"));
  EXPECT_FALSE(says(explain_of({{"a.py", ""}}, {{"a.py", with("Forward pass.")}}), "Forward pass"));
  EXPECT_TRUE(says(explain_of({{"a.py", ""}}, {{"a.py", with("Sees to it that the loss is of all ranks.")}}),
                   "Sees to it that the loss is of all ranks."));
}

/// A value that an attribute keeps now is the value that was read before.
TEST(Renames, WhatAnAttributeKeepsNowIsTheSame) {
  const std::string before =
      "import torch\n\n\nclass Optimizer:\n    def __init__(self, groups):\n        self.groups = groups\n\n"
      "    def broadcast(self, params):\n        for p in params:\n"
      "            torch.distributed.broadcast(p, 0, self.groups.dp)\n        return self.groups.dp\n";
  const std::string after = replace_all(replace_all(before, "self.groups.dp", "self.dp"), "self.groups = groups\n",
                                        "self.groups = groups\n        self.dp = getattr(groups, 'dp', None) if groups "
                                        "is not None else None\n");
  const std::string text = explain_of({{"m.py", before}}, {{"m.py", after}});
  EXPECT_TRUE(says(text, "reads `self.dp` where it read `self.groups.dp`")) << text;
  EXPECT_FALSE(says(text, "instead of `self.groups.dp`")) << text;
  // Another group under that name is none.
  const std::string other = explain_of({{"m.py", before}}, {{"m.py", replace_all(after, "'dp'", "'tp'")}});
  EXPECT_FALSE(says(other, "where it read")) << other;
  EXPECT_TRUE(says(other, "instead of `self.groups.dp`")) << other;
}

/// Where the attribute need not keep the value, or something is written, it is another one.
TEST(Renames, WhatAnAttributeMayNotKeepIsNotTheSame) {
  const auto told = [](const std::string& kept, const std::string& more, const std::string& use) {
    const std::string start = "class Optimizer:\n    def __init__(self, groups):\n        self.groups = groups\n";
    const std::string before = start + more + "\n    def step(self, x):\n        " + use + "\n        return x\n";
    const std::string after = start + kept + more + "\n    def step(self, x):\n        " +
                              replace_all(use, "self.groups.dp", "self.dp") + "\n        return x\n";
    return says(explain_of({{"m.py", before}}, {{"m.py", after}}), "where it read");
  };
  const std::string kept = "        self.dp = groups.dp\n";
  const std::string use = "print(x, self.groups.dp)";
  EXPECT_TRUE(told(kept, "", use));
  EXPECT_FALSE(told(kept, "", "self.groups.dp = x"));
  EXPECT_FALSE(told(kept, "\n    def move(self, groups):\n        self.groups = groups\n", use));
  EXPECT_FALSE(told(kept, "\n    def drop(self):\n        self.dp = None\n", use));
  EXPECT_FALSE(told("        self.dp = getattr(groups, 'dp', 4)\n", "", use));
  EXPECT_FALSE(told("        self.dp = groups.dp if groups.ready else None\n", "", use));
}

/// An attribute that another one replaces with the same value, set elsewhere in the constructor, has a new name.
TEST(Renames, AnAttributeThatIsSetToTheSameElsewhereIsRenamed) {
  const std::string before =
      "class Group:\n    def __init__(self, places, sizes):\n        places = tuple(places)\n        self.sizes = "
      "sizes\n"
      "        self.buffer = list(sizes)\n        if sizes:\n            self._kept = places\n\n"
      "    def reduce(self, grad):\n        if grad.places != self._kept:\n            grad = grad.to(self._kept)\n"
      "        return grad\n";
  const auto renamed = [&](const std::string& value) {
    return replace_all(replace_all(replace_all(before, "        if sizes:\n            self._kept = places\n", ""),
                                   "self._kept", "self._grad_places"),
                       "        self.sizes = sizes\n",
                       "        self._grad_places = " + value + "\n        self.sizes = sizes\n");
  };
  const std::string text = explain_of({{"m.py", before}}, {{"m.py", renamed("places")}});
  EXPECT_TRUE(says(text, "ollows the new name `_grad_places` of `_kept`")) << text;
  EXPECT_FALSE(says(text, "formerly when") || says(text, "instead of `self._kept`")) << text;
  // Another value under the other name is another thing.
  const std::string other = explain_of({{"m.py", before}}, {{"m.py", renamed("tuple(sizes)")}});
  EXPECT_FALSE(says(other, "ollows the new name")) << other;
}

}  // namespace
}  // namespace lockstep::render
