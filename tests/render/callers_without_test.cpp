// Callers that a change passes by: a parameter that it brings, and gives where it looked.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A layer whose `forward` calls `work`; `others`: further methods, which stay as they are.
std::string layer(bool is_after, const std::string& given, const std::string& others) {
  const std::string taken = is_after ? ", packed=None" : "";
  const std::string gives = is_after ? ", " + given : "";
  const std::string step = is_after ? "        if packed is not None:\n            x = packed.split(x)\n" : "";
  return "class Layer:\n    def __init__(self, config):\n        self.config = config\n\n"
         "    def work(self, x" +
         taken + "):\n" + step +
         "        return x + 1\n\n    def forward(self, x, packed):\n        return self.work(x" + gives + ")\n\n" +
         others;
}

std::string told(const std::string& others, const std::string& given = "packed=packed", const std::string& more = "") {
  const std::string config =
      "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    split: bool = False\n    pack: str = "
      "\"all\"\n";
  return explain_of({{"layer.py", layer(false, given, others)}, {"config.py", config}, {"more.py", more}},
                    {{"layer.py", layer(true, given, others)}, {"config.py", config}, {"more.py", more}});
}

std::string caller(const std::string& name, const std::string& call = "self.work(x)") {
  return "    def " + name + "(self, x, rest=()):\n        return " + call + "\n\n";
}

const std::string kQuestion = "The new `packed` of `Layer.work` is given by `Layer.forward`; ";

TEST(CallersWithout, ThoseThatGetTheDefaultAreAskedAbout) {
  const std::string one = told(caller("replay"));
  EXPECT_TRUE(says(one, kQuestion + "`Layer.replay` (`layer.py:14`) calls `Layer.work` without it and gets `None`. Is "
                                    "the change meant for it, too?"))
      << one;
  const std::string two = told(caller("replay") + caller("capture"));
  EXPECT_TRUE(says(two, kQuestion + "`Layer.replay` (`layer.py:14`) and `Layer.capture` (`layer.py:17`) call "
                                    "`Layer.work` without it and get `None`. Is the change meant for them, too?"))
      << two;
  // What could be spread before the change went into what the function took then.
  EXPECT_TRUE(says(told(caller("replay", "self.work(*x)")), kQuestion)) << told(caller("replay", "self.work(*x)"));
  EXPECT_TRUE(says(told(caller("replay"), "packed=self.config.pack"), kQuestion));
}

TEST(CallersWithout, NothingIsAskedWhereTheOthersMeanIt) {
  // Nobody else, or who gives it.
  EXPECT_FALSE(says(told(""), kQuestion));
  EXPECT_FALSE(says(told(caller("replay", "self.work(x, packed=rest)")), kQuestion));
  // What may give it.
  EXPECT_FALSE(says(told(caller("replay", "self.work(x, **rest)")), kQuestion));
  // Many.
  EXPECT_FALSE(says(told(caller("a") + caller("b") + caller("c") + caller("d") + caller("e")), kQuestion));
  // A choice of the caller, by a constant or by a setting that is off.
  EXPECT_FALSE(says(told(caller("replay"), "packed=3"), kQuestion));
  EXPECT_FALSE(says(told(caller("replay"), "packed=self.config.split"), kQuestion));
  // The object that it is asked of is only made there.
  EXPECT_FALSE(says(told("", "packed=packed",
                         "from layer import Layer\n\n\nclass Wide(Layer):\n    def __init__(self, "
                         "config):\n        super().__init__(config)\n        self.work(1)\n"),
                    kQuestion));
  // Tests may leave it out.
  const std::string text = explain_of(
      {{"layer.py", layer(false, "packed=packed", "")},
       {"tests/test_layer.py", "from layer import Layer\n\n\ndef test_work():\n    assert Layer(1).work(2) == 3\n"}},
      {{"layer.py", layer(true, "packed=packed", "")},
       {"tests/test_layer.py", "from layer import Layer\n\n\ndef test_work():\n    assert Layer(1).work(2) == 3\n"}});
  EXPECT_FALSE(says(text, kQuestion)) << text;
}

/// An override is entered by the same calls.
TEST(CallersWithout, OverridesAreOfTheSameFunction) {
  const auto heir = [](bool is_after) {
    return std::string("from layer import Layer\n\n\nclass Wide(Layer):\n    def work(self, x") +
           (is_after ? ", packed=None" : "") + "):\n        return super().work(x" +
           (is_after ? ", packed=packed" : "") +
           ") * 2\n\n\ndef run(config, x):\n    return Wide(config).forward(x, x)\n"
           "\n\ndef again(config, x):\n    return Wide(config).replay(x)\n";
  };
  const std::string others = caller("replay");
  const std::string text = explain_of({{"layer.py", layer(false, "packed=packed", others)}, {"wide.py", heir(false)}},
                                      {{"layer.py", layer(true, "packed=packed", others)}, {"wide.py", heir(true)}});
  EXPECT_TRUE(says(text, "is given by `Layer.forward`; `Layer.replay` (`layer.py:14`) calls ")) << text;
}

}  // namespace
}  // namespace lockstep::render
