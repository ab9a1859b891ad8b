// Ways on which nothing runs of what changes but a condition that is asked.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

Files layers(const std::string& more) {
  return {
      {"layers.py",
       "def mark(layer):\n    layer.marked = True\n\n\nclass Linear:\n    def __init__(self, size, is_expert=False):\n"
       "        self.size = size\n" +
           more},
      {"model.py",
       "from layers import Linear\n\n\nclass Dense:\n    def __init__(self):\n        self.fc = Linear(4)\n\n\n"
       "class Experts:\n    def __init__(self):\n        self.fc = Linear(4, is_expert=True)\n\n\n"
       "def make_experts():\n    return Experts()\n"},
      {"pretrain.py",
       "from model import Dense, make_experts\n\n\ndef main():\n    dense = Dense()\n"
       "    experts = make_experts()\n\n\nif __name__ == '__main__':\n    main()\n"}};
}

const std::string kMark = "        if is_expert:\n            mark(self)\n";

TEST(WayNewConditions, AWayGoesThroughWhoeverPassesWhatTheNewBranchAsksFor) {
  const std::string text = explain_of(layers(""), layers(kMark));
  EXPECT_TRUE(contains(text, "→ `Experts.__init__`")) << text;
  EXPECT_FALSE(contains(text, "→ `Dense.__init__`")) << text;
  // A local that only the branch reads runs nothing either.
  const std::string named = explain_of(layers(""), layers("        kind = is_expert and size > 1\n" + kMark));
  EXPECT_TRUE(contains(named, "→ `Experts.__init__`")) << named;
}

TEST(WayNewConditions, WhatElseRunsIsReachedByTheNearestWay) {
  const std::string text = explain_of(layers(""), layers("        mark(size)\n" + kMark));
  EXPECT_TRUE(contains(text, "→ `Dense.__init__`")) << text;
}

}  // namespace
}  // namespace lockstep::render
