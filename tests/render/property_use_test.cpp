// Attributes that a property stands before now, assignments that become calls which get the attribute's name, and
// steps that enter or leave blocks.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"
#include "report/document.h"
#include "report/documents/excerpts/cited_once.h"

namespace lockstep::render {
namespace {

const std::string kPlain =
    "class Module:\n"
    "    def __init__(self):\n"
    "        self._phase = \"rest\"\n"
    "\n"
    "    def pre(self, recomputes):\n"
    "        assert self._phase != \"forward\"\n"
    "        again = self._phase == \"backward\" or recomputes()\n"
    "        if not again:\n"
    "            self._phase = \"forward\"\n"
    "        start(self)\n"
    "\n"
    "    def post(self):\n"
    "        self._phase = \"rest\"\n";

std::string with_property(const std::string& getter) {
  return "class Module:\n"
         "    def __init__(self):\n"
         "        self._phase = \"rest\"\n"
         "\n"
         "    @property\n"
         "    def phase(self):\n"
         "        return " +
         getter +
         "\n"
         "\n"
         "    @phase.setter\n"
         "    def phase(self, phase):\n"
         "        if (self._phase, phase) not in ALLOWED:\n"
         "            raise RuntimeError(\"no such transition\")\n"
         "        self._phase = phase\n"
         "\n"
         "    def pre(self, recomputes):\n"
         "        again = self.phase == \"backward\" or recomputes()\n"
         "        if self.phase != \"backward\":\n"
         "            self.phase = \"forward\"\n"
         "        start(self)\n"
         "\n"
         "    def post(self):\n"
         "        self.phase = \"rest\"\n";
}

TEST(PropertyUse, WhatReadsThePropertyReadsWhatItRead) {
  const std::string text = explain_of({{"a.py", kPlain}}, {{"a.py", with_property("self._phase")}});
  EXPECT_TRUE(says(text, "eads `self.phase` where it read `self._phase`")) << text;
  EXPECT_FALSE(says(text, "ets `again` to")) << text;
  // A getter that gives something else is another value.
  const std::string other = explain_of({{"a.py", kPlain}}, {{"a.py", with_property("self._phase or \"rest\"")}});
  EXPECT_FALSE(says(other, "where it read `self._phase`")) << other;
  EXPECT_TRUE(says(other, "ets `again` to")) << other;
}

TEST(PropertyUse, ANewSetterIsToldWithThoseThatGoThroughIt) {
  const std::string text = explain_of({{"a.py", kPlain}}, {{"a.py", with_property("self._phase")}});
  EXPECT_TRUE(says(text,
                   "`self.phase` is set through it now by `pre` (`a.py:18`) and `post` (`a.py:22`), which set "
                   "`self._phase` itself before."))
      << text;
  EXPECT_TRUE(says(text, "sets `self.phase` to `\"forward\"` (formerly when `again` is not set)")) << text;
}

TEST(PropertyUse, AGoneCheckIsHeldAgainstTheSetterThatRefuses) {
  const std::string text = explain_of({{"a.py", kPlain}}, {{"a.py", with_property("self._phase")}});
  EXPECT_TRUE(says(text,
                   "The setter of `self.phase`, through which it goes now, raises `RuntimeError` when `(self._phase, "
                   "phase)` is not in `ALLOWED`"))
      << text;
  EXPECT_FALSE(says(text, "that is let through now")) << text;
}

std::string stores(const std::vector<std::string>& lines) {
  std::string out = "def prepare(model, args):\n    begin(model)\n";
  for (const std::string& one : lines) out += "    " + one + "\n";
  return out + "    finish(model)\n";
}

const std::string kHelper =
    "def set_everywhere(model, name, value):\n"
    "    for module in model.modules():\n"
    "        setattr(module.config, name, value)\n";

TEST(NamedStores, AssignmentsThatBecomeCallsWithTheirNamesAreOne) {
  const std::string text = explain_of(
      {{"a.py", stores({"model.config.graphs = []", "model.config.scope = args.scope"})}, {"b.py", kHelper}},
      {{"a.py", "from b import set_everywhere\n\n\n" +
                    stores({"set_everywhere(model, \"graphs\", [])", "set_everywhere(model, \"scope\", args.scope)"})},
       {"b.py", kHelper}});
  EXPECT_TRUE(says(text,
                   "sets `graphs` and `scope` by `set_everywhere(model, …)` at 2 places, where it set these attributes "
                   "of `model.config` itself"))
      << text;
  EXPECT_FALSE(says(text, "o longer sets `model.config")) << text;
}

TEST(NamedStores, AnotherValueIsAnotherAssignment) {
  const std::string text = explain_of(
      {{"a.py", stores({"model.config.graphs = []", "model.config.scope = args.scope"})}, {"b.py", kHelper}},
      {{"a.py", "from b import set_everywhere\n\n\n" + stores({"set_everywhere(model, \"graphs\", None)",
                                                               "set_everywhere(model, \"scope\", args.scope)"})},
       {"b.py", kHelper}});
  EXPECT_FALSE(says(text, "where it set these attributes")) << text;
}

TEST(CitedOnce, WhatACalleeSaysOfItselfIsSaidOnce) {
  const std::string cited = " (" + report::place("a.py", 2) + ": “Does it”)";
  const std::string other = " (" + report::place("b.py", 1) + ")";
  std::set<std::string> known;
  EXPECT_EQ(report::cited_once("Calls f" + cited + " here, and f" + cited + ".", known),
            "Calls f" + cited + " here, and f.");
  EXPECT_EQ(report::cited_once("Again f" + cited + ", and g" + other + ".", known), "Again f, and g" + other + ".");
}

TEST(DefaultSettings, AConstantThatABranchReplacesIsToldWithIt) {
  const auto code = [](const std::string& start, const std::string& value) {
    return "class Runner:\n    def __init__(self, module):\n        self.module = module\n" + start +
           "        if module is not None:\n            self.size = module.size\n" + value;
  };
  const auto text_of = [&](const std::string& start) {
    return explain_of(
        {{"a.py", code("", "")}},
        {{"a.py", code("        self.finds = " + start + "\n", "            self.finds = module.finds\n")}});
  };
  const std::string text = text_of("False");
  EXPECT_TRUE(says(text, "sets `self.finds` to `module.finds` where `module` is not `None`, else to `False`")) << text;
  EXPECT_FALSE(says(text, "ets `self.finds` to `False`")) << text;
  const std::string made = text_of("find(self)");
  EXPECT_FALSE(says(made, ", else to")) << made;
}

TEST(CrossedBlocks, AStepThatLeavesABranchSaysUnderWhatItStood) {
  const std::string was =
      "def replay(runner):\n    for param in runner.params:\n        param.event = runner.event\n    finish(runner)\n"
      "    if runner.remat:\n        for param in runner.shards:\n            param.grad = None\n            if "
      "hasattr(param, 'added'):\n                param.added = True\n            hook(param)\n";
  const std::string now =
      "def replay(runner):\n    for param in runner.params:\n        param.event = runner.event\n        if "
      "hasattr(param, 'added'):\n            param.added = True\n    finish(runner)\n    if runner.remat:\n        for "
      "param in runner.shards:\n            param.grad = None\n            hook(param)\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text, "(formerly only when `runner.remat` is set)")) << text;
  const std::string back = explain_of({{"a.py", now}}, {{"a.py", was}});
  EXPECT_FALSE(says(back, "formerly only when")) << back;
}

TEST(CrossedBlocks, WhatIsEditedInANewWithIsTold) {
  const auto text_of = [](const std::string& call) {
    return explain_of({{"a.py", "def step(f, x):\n    losses = f(x, only=False)\n    return losses\n"}},
                      {{"a.py", "def step(f, x):\n    context, only = make(x)\n    with context:\n        losses = " +
                                    call + "\n    return losses\n"}});
  };
  const std::string text = text_of("f(x, only=only)");
  EXPECT_TRUE(says(text, "asses `only=only` to `f` instead of `only=False`")) << text;
  const std::string same = text_of("f(x, only=False)");
  EXPECT_FALSE(says(same, "instead of `only=False`")) << same;
}

}  // namespace
}  // namespace lockstep::render
