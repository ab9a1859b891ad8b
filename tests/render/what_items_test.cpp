// What the first list of a document says: long items as lists of their own, settings that wake up, and nothing that is
// the same in other words.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(WhatItems, ALongItemIsAListBelowWhatItsClausesShare) {
  const std::string before =
      "def log(args, tracker):\n    if args.experts is not None:\n        layers = args.layers\n"
      "        tracker.report(layers=layers, freq=args.freq)\n";
  const std::string after =
      "def log(args, tracker):\n    if args.experts is not None:\n"
      "        if args.pattern_of_the_hybrid_layers:\n"
      "            tracker.count_hybrid_layers(args.pattern_of_the_hybrid_layers, args.number_of_depths)\n"
      "        else:\n            tracker.count_all_layers(args.pattern_of_the_dense_layers, args.number_of_depths)\n"
      "        layers = args.layers + (args.additional_layers_of_prediction or 0)\n"
      "        tracker.report(layers=layers, freq=args.freq, number=args.number_of_layers_with_experts)\n";
  const std::string text = explain_of({{"a.py", before}}, {{"a.py", after}});
  EXPECT_TRUE(says(text, "- `log` (changed, `a.py:1`), where `args.experts` is not `None`:\n  - ")) << text;
  EXPECT_TRUE(says(text, "\n  - Also passes `number=args.number_of_layers_with_experts` to `tracker.report`.")) << text;
  EXPECT_FALSE(says(text, "under the same condition")) << text;
}

TEST(WhatItems, AShortItemIsASentence) {
  const std::string text =
      explain_of({{"a.py", "def f(x):\n    g(x)\n    h(x)\n"}}, {{"a.py", "def f(x):\n    g(x, 1)\n    h(x, 2)\n"}});
  EXPECT_TRUE(says(text, "- `f` (changed, `a.py:1`): ")) << text;
}

const std::string kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    scalar: str = \"adam\"\n    lr: float = "
    "1.0\n";

TEST(WhatItems, ASettingThatNothingReadBeforeIsTold) {
  const auto text_of = [](const std::string& elsewhere) {
    const Files before = {
        {"config.py", kConfig}, {"a.py", "def build(config):\n    return make(config.lr)\n"}, {"b.py", elsewhere}};
    return explain_of(before, with_edit(before, "a.py", "make(config.lr)", "make(config.lr, config.scalar)"));
  };
  const std::string_view told =
      "The setting `scalar` (`config.py:6`, default `\"adam\"`) is read now; before the change, no Python code outside "
      "tests read it.";
  EXPECT_TRUE(says(text_of(""), told)) << text_of("");
  for (const char* reader : {"def f(x):\n    return x.scalar\n", "def f(x):\n    return getattr(x, 'scalar')\n"})
    EXPECT_FALSE(says(text_of(reader), "is read now")) << text_of(reader);
}

TEST(WhatItems, AValueThatOnlyGetsANameIsNoChange) {
  const auto text_of = [](const std::string& now) {
    const Files before = {{"a.py", "def f(x, y):\n    g(x.rows, y)\n    h(y)\n    k(y)\n"}};
    return explain_of(before, with_edit(before, "a.py", "    g(x.rows, y)\n    h(y)\n", now));
  };
  const std::string named = text_of("    rows = x.rows\n    g(rows, y)\n    h(y + 1)\n");
  EXPECT_FALSE(says(named, "| `f` | `g(x.rows, y)`")) << named;
  const std::string other = text_of("    rows = x.all_rows\n    g(rows, y)\n    h(y + 1)\n");
  EXPECT_TRUE(says(other, "| `f` | `g(x.rows, y)` | `g(rows, y)` |")) << other;
}

TEST(WhatItems, OneEditIsShownByItsCode) {
  const Files before = {{"a.py", "def f(x, y):\n    g(x, y)\n    h(y)\n"}};
  const std::string one = explain_of(before, with_edit(before, "a.py", "h(y)", "h(y + 1)"));
  EXPECT_FALSE(says(one, "### Before and after")) << one;
  const std::string two =
      explain_of(before, with_edit(with_edit(before, "a.py", "h(y)", "h(y + 1)"), "a.py", "g(x, y)", "g(x, y - 1)"));
  EXPECT_TRUE(says(two, "### Before and after")) << two;
}

TEST(WhatItems, ACallOnAnotherObjectIsNoRecursion) {
  const auto dive_with = [](const std::string& callee) {
    const std::string was =
        "class Outer:\n    def __init__(self):\n        self.inner = Outer()\n\n"
        "    def load(self, state):\n        return state\n";
    return dive_of({{"a.py", was}}, {{"a.py", replace_all(was, "return state", "return " + callee + "(state)")}});
  };
  EXPECT_FALSE(says(dive_with("self.inner.load"), "calls itself"));
  EXPECT_TRUE(says(dive_with("self.load"), "calls itself"));
}

TEST(WhatItems, WhatMattersOfAFunctionIsWhatTheChangeTouches) {
  const std::string before =
      "import torch.distributed as dist\n\n\ndef sync(x):\n    dist.all_reduce(x)\n\n\n"
      "def step(x, n):\n    assert n > 0\n    sync(x)\n    return n\n";
  const std::string logs =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "    return n\n", "    print(n)\n    return n\n")}});
  EXPECT_FALSE(says(logs, "Communicates through what it calls") || says(logs, "Requires that")) << logs;
  const std::string calls =
      explain_of({{"a.py", before}}, {{"a.py", replace_all(before, "    sync(x)\n", "    sync(x + 1)\n")}});
  EXPECT_TRUE(says(calls, "Communicates through what it calls:")) << calls;
}

}  // namespace
}  // namespace lockstep::render
