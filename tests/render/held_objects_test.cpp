// Ways through what an attribute holds only under a condition.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A layer that dispatches with one of two dispatchers; `choice` is what it does first in forward.
Files layers(const std::string& choice) {
  return {
      {"dispatchers.py",
       "class Plain:\n    def dispatch(self, x):\n        return x\n\n\nclass Gathering:\n    def dispatch(self, x):\n"
       "        return x * 2\n"},
      {"mode.py", "class InferenceMode:\n    @staticmethod\n    def is_active():\n        return ACTIVE\n"},
      {"layer.py",
       "from dispatchers import Gathering, Plain\nfrom mode import InferenceMode\n\n\nclass Layer:\n"
       "    def __init__(self):\n        self.dispatcher = None\n        self._plain = Plain()\n"
       "        self._gathering = Gathering()\n\n    def forward(self, x):\n" +
           choice +
           "        return self.run(x)\n\n    def run(self, x):\n        return self.dispatcher.dispatch(x)\n"},
      {"train.py",
       "from layer import Layer\n\n\ndef main():\n    layer = Layer()\n    layer.forward(1)\n\n\n"
       "if __name__ == '__main__':\n    main()\n"},
      {"tools/run_inference.py",
       "from layer import Layer\n\n\ndef main():\n    layer = Layer()\n    layer.forward(1)\n\n\n"
       "if __name__ == '__main__':\n    main()\n"}};
}

std::string text_of(const Files& before) {
  return explain_of(before, with_edit(before, "dispatchers.py", "x * 2", "x * 3"));
}

const std::string kChoice =
    "        if InferenceMode.is_active():\n            self.dispatcher = self._gathering\n        else:\n"
    "            self.dispatcher = self._plain\n";

TEST(HeldObjects, TheConditionUnderWhichAnAttributeHoldsTheObjectIsTold) {
  const std::string text = text_of(layers(kChoice));
  EXPECT_TRUE(contains(text,
                       "`Layer.run` makes that call on an object of `Gathering` only once `Layer.forward` gave "
                       "`self.dispatcher` one, when `InferenceMode.is_active()` is true (`layer.py:12`)."))
      << text;
}

TEST(HeldObjects, WhatMayBeGivenOtherwiseIsNotTold) {
  const std::string told = "makes that call on an object of";
  EXPECT_FALSE(contains(text_of(layers("        self.dispatcher = self._gathering\n")), told));
  EXPECT_FALSE(contains(text_of(layers(kChoice + "        self.dispatcher = choose(self)\n")), told));
  Files outside = layers(kChoice);
  outside = with_edit(outside, "train.py", "    layer.forward(1)\n",
                      "    layer.dispatcher = layer._gathering\n    layer.forward(1)\n");
  EXPECT_FALSE(contains(text_of(outside), told));
}

}  // namespace
}  // namespace lockstep::render
