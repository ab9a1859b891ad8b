// Inner functions that read at each call what was read once before; inner functions and refusals that move; and ways
// through the class that a title means.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kOnce =
    "class Fused:\n"
    "    def register(self, fused, parts):\n"
    "        hooks = []\n"
    "        backward = []\n"
    "        for part in parts:\n"
    "            for hook in part._pre_hooks:\n"
    "                hooks.append((part, hook))\n"
    "            for hook in part._backward_hooks:\n"
    "                backward.append(hook)\n"
    "        if hooks:\n"
    "\n"
    "            def forward(module):\n"
    "                for part, hook in hooks:\n"
    "                    hook(part)\n"
    "\n"
    "            fused.register_hook(forward)\n"
    "        if backward:\n"
    "            raise RuntimeError(\"parts with backward hooks are not supported\")\n";

const std::string kEachTime =
    "class Fused:\n"
    "    def register(self, fused, parts):\n"
    "        for part in parts:\n"
    "            if part._backward_hooks:\n"
    "                raise RuntimeError(\"parts with backward hooks are not supported\")\n"
    "\n"
    "        def forward(module):\n"
    "            for part in parts:\n"
    "                for hook in list(part._pre_hooks):\n"
    "                    hook(part)\n"
    "\n"
    "        fused.register_hook(forward)\n";

TEST(LateReads, AFunctionInsideThatReadsAtEachCallIsWhatTheChangeIsFor) {
  const std::string text = explain_of({{"fused.py", kOnce}}, {{"fused.py", kEachTime}});
  EXPECT_TRUE(
      says(text,
           "eads `_pre_hooks` each time it is called; before, `Fused.register` read that once, into `hooks`, and "
           "this function went by it; for each"))
      << text;
  // It is defined still, and what was refused still is.
  EXPECT_FALSE(says(text, "no longer defines")) << text;
  EXPECT_FALSE(says(text, "No longer defines")) << text;
  EXPECT_LT(text.find("eads `_pre_hooks` each time"), text.find("oves `fused.register_hook(forward)` down, out of"))
      << text;
  EXPECT_TRUE(says(text, "Moves the inner function `forward` down, out of `if hooks:`")) << text;
}

TEST(LateReads, WhatIsStillReadOnceOrStillTakenIsNone) {
  // Both still read it.
  const std::string both = replace_all(kEachTime, "        for part in parts:\n            if part._b",
                                       "        count = [part._pre_hooks for part in parts]\n        print(count)\n"
                                       "        for part in parts:\n            if part._b");
  EXPECT_FALSE(says(explain_of({{"fused.py", kOnce}}, {{"fused.py", both}}), "each time it is called"));
  // What it took stays what it takes.
  const std::string kept = replace_all(kOnce, "hook(part)\n\n", "hook(part)\n                    part.count += 1\n\n");
  EXPECT_FALSE(says(explain_of({{"fused.py", kOnce}}, {{"fused.py", kept}}), "each time it is called"));
}

/// What is read of another attribute into another local is no edit.
TEST(OtherReads, AnotherLocalOfAnotherAttributeIsAnotherStep) {
  const auto lib = [](const std::string& step, const std::string& use) {
    return "def f(part, keep):\n    start(part)\n    " + step + "\n    keep.append(" + use + ")\n";
  };
  const std::string was = lib("part_with_kwargs = part._forward_pre_hooks_with_kwargs", "part_with_kwargs");
  const std::string other = explain_of(
      {{"a.py", was}}, {{"a.py", lib("hooks_with_kwargs = part._forward_hooks_with_kwargs", "hooks_with_kwargs")}});
  EXPECT_FALSE(says(other, "in place of `part_with_kwargs = part._forward_pre_hooks_with_kwargs`")) << other;
  EXPECT_FALSE(says(other, "`part._forward_hooks_with_kwargs` instead of")) << other;
  const std::string same = explain_of(
      {{"a.py", was}}, {{"a.py", lib("part_with_kwargs = part._forward_hooks_with_kwargs", "part_with_kwargs")}});
  EXPECT_TRUE(says(same, "sets `part_with_kwargs` to `part._forward_hooks_with_kwargs` instead of")) << same;
}

TEST(FormerRefusals, ALoopThatOnlyRaisesWhatWasRaisedElsewhereSaysWhenItWas) {
  const std::string was =
      "def check(parts):\n"
      "    hooks = []\n"
      "    for part in parts:\n"
      "        hooks += part.backward\n"
      "    use(parts)\n"
      "    if hooks:\n"
      "        raise RuntimeError(\"parts with backward hooks are not supported\")\n";
  const auto now = [](const std::string& message) {
    return "def check(parts):\n"
           "    for one in inner(parts):\n"
           "        if one.backward:\n"
           "            raise RuntimeError(\"" +
           message + "\")\n    use(parts)\n";
  };
  const std::string same =
      explain_of({{"lib.py", was}}, {{"lib.py", now("parts with backward hooks are not supported")}});
  EXPECT_TRUE(says(same, "; formerly it did so when `hooks` is set")) << same;
  const std::string other = explain_of({{"lib.py", was}}, {{"lib.py", now("no such parts")}});
  EXPECT_FALSE(says(other, "formerly it did so")) << other;
}

/// Two classes inherit what changes; a script calls both.
std::string text_with_title(const std::string& title) {
  const auto lib = [](const std::string& body) {
    return "class Mixin:\n    def prepare(self, x):\n        " + body +
           "\n\n\n"
           "class FusedNorm(Mixin):\n    def forward(self, x):\n        return self.prepare(x)\n\n\n"
           "class FusedMLP(Mixin):\n    def forward(self, x):\n        return self.inner(x)\n\n"
           "    def inner(self, x):\n        return self.prepare(x)\n";
  };
  const std::string script =
      "from lib import FusedMLP, FusedNorm\n\n\ndef train():\n    norm = FusedNorm()\n    mlp = FusedMLP()\n"
      "    return mlp.forward(norm.forward(1))\n\n\nif __name__ == \"__main__\":\n    train()\n";
  return explain_of({{"lib.py", lib("return x")}, {"train.py", script}},
                    {{"lib.py", lib("y = x + 1\n        return y")}, {"train.py", script}}, title);
}

TEST(NamedHeirs, TheWayGoesThroughTheClassThatTheTitleMeans) {
  const std::string mlp = text_with_title("Fix hooks of the fused MLP");
  EXPECT_TRUE(says(mlp, "`FusedMLP.inner`")) << mlp;
  EXPECT_FALSE(says(mlp, "\u2192 `FusedNorm.forward` (")) << mlp;
  const std::string other = text_with_title("Fix hooks");
  EXPECT_TRUE(says(other, "\u2192 `FusedNorm.forward` (")) << other;
}

}  // namespace
}  // namespace lockstep::render
