// What objects hold, and for how long: counters that nothing resets any more, what a method sets itself now, attributes
// that are gone, entries of dictionaries.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string told(const std::string& before, const std::string& after) {
  return explain_of({{"engine.py", before}}, {{"engine.py", after}});
}

/// An engine that counts and logs; `log` is the end of the function that logs, `more` stands behind it.
std::string engine(const std::string& log, const std::string& more = "", const std::string& count = "+= 1") {
  return "class Engine:\n    def __init__(self):\n        self.reset()\n\n    def reset(self):\n        self._hits = "
         "0\n"
         "        self._steps = 0\n\n    def step(self, found):\n        self._hits += found\n        self._steps " +
         count +
         "\n\n    def log(self, every):\n        if self._steps % every == 0:\n"
         "            print(self._hits, self._steps)\n" +
         log + more;
}

TEST(KeptState, ACounterThatIsNoLongerResetCountsOn) {
  const std::string resets = "            self._hits = 0\n            self._steps = 0\n";
  const std::string text = told(engine(resets), engine(""));
  EXPECT_TRUE(
      says(text, "o longer resets `self._hits` and `self._steps`; only `Engine.reset` (`engine.py:6`) does now"))
      << text;
  EXPECT_FALSE(says(text.substr(0, text.find("## 2")), "o longer sets")) << text;
  // Blocks of nothing else go with them.
  const std::string block = "            if self._hits:\n                self._hits = 0\n";
  const std::string inside = told(engine(block), engine(""));
  EXPECT_TRUE(says(inside, "o longer resets `self._hits`;")) << inside;
  EXPECT_FALSE(says(inside, "rops the branch")) << inside;
}

TEST(KeptState, WhatDoesNotCountOrIsResetInAnotherWayIsNotSaidToCountOn) {
  const std::string resets = "            self._hits = 0\n            self._steps = 0\n";
  // What nothing counts up.
  const std::string fixed = told(engine("            self._steps = 0\n", "", "= found"), engine("", "", "= found"));
  EXPECT_FALSE(says(fixed, "o longer resets")) << fixed;
  // What a function that is called resets in its place.
  const std::string called = told(engine(resets), engine("            self.reset()\n"));
  EXPECT_FALSE(says(called, "o longer resets")) << called;
  // What is set back in another way.
  const std::string other = told(engine(resets), engine("            self._hits, self._steps = 0, 0\n"));
  EXPECT_FALSE(says(other, "o longer resets")) << other;
  // Something of unknown class may be the engine.
  const std::string anyone = "\n\ndef clear(engine):\n    engine._hits = 0\n";
  const std::string unseen = told(engine("            self._hits = 0\n", anyone), engine("", anyone));
  EXPECT_TRUE(says(unseen, "o longer resets `self._hits`")) << unseen;
  EXPECT_FALSE(says(unseen, "only `Engine.reset`")) << unseen;
}

/// A context of which `reset` calls `clear`, which `suspend` calls, too.
std::string context(const std::string& clear, const std::string& reset, const std::string& suspend = "self.clear()") {
  return "class Context:\n    def clear(self):\n        self.ids = []\n" + clear +
         "\n    def reset(self):\n        self.free()\n        self.clear()\n" + reset +
         "\n    def suspend(self):\n        self.free()\n        " + suspend +
         "\n\n    def free(self):\n        self.blocks = None\n";
}

TEST(KeptState, WhatACalleeSetIsNoNewsInItsCaller) {
  const std::string set = "        self.clock = 0\n        self.turn = 0\n";
  const std::string text = told(context(set, ""), context("", set));
  EXPECT_TRUE(
      says(text,
           "ets `self.clock` and `self.turn` to `0` itself now; `clear` no longer does, which `Context.suspend` "
           "(`engine.py:13`) calls, too"))
      << text;
  const std::string alone = told(context(set, "", "pass"), context("", set, "pass"));
  EXPECT_TRUE(says(alone, "ets `self.clock` and `self.turn` to `0` itself now; `clear` no longer does.")) << alone;
}

TEST(KeptState, WhatTheCalleeDidNotSetInAnyCaseIsNew) {
  const std::string set = "        self.clock = 0\n";
  const std::string told_as_new = "itself now";
  // Not set there before, or to something else, or still set there, or under a condition.
  for (const auto& [before, after] : {std::pair<std::string, std::string>{"", ""},
                                      {"        self.clock = 1\n", ""},
                                      {set, set},
                                      {"        if self.ids:\n            self.clock = 0\n", ""}}) {
    const std::string text = told(context(before, ""), context(after, set));
    EXPECT_FALSE(says(text, told_as_new)) << text;
  }
  // Only in a case now.
  const std::string text = told(context(set, ""), context("", "        if self.blocks:\n            self.clock = 0\n"));
  EXPECT_FALSE(says(text, told_as_new)) << text;
}

/// A controller with a public attribute, and a function that reads it.
std::string controller(const std::string& set, const std::string& reader = "return c.depth",
                       const std::string& base = "") {
  return "class Controller" + base + ":\n    def __init__(self, config):\n        self.config = config\n" + set +
         "\n\ndef run(c: Controller):\n    " + reader + "\n";
}

TEST(KeptState, APublicAttributeThatNothingSetsAnyMoreIsGoneForOthers) {
  const std::string set = "        self.heads = len(config.heads)\n";
  const std::string text = told(controller(set), controller("        self.depth = 1\n"));
  EXPECT_TRUE(says(text,
                   "Nothing sets the public attribute `Controller.heads` any more. Code outside the repository that "
                   "reads it off such an object breaks"))
      << text;
  EXPECT_FALSE(says(text, "No public signature")) << text;
  EXPECT_FALSE(says(text, "Code inside")) << text;
  const std::string read = told(controller(set, "return c.heads"), controller("", "return c.heads"));
  EXPECT_TRUE(says(read, ". Code inside still reads `heads` at `engine.py:")) << read;
}

TEST(KeptState, AnAttributeThatIsThereInAnotherWayIsNotGone) {
  const std::string set = "        self.heads = len(config.heads)\n";
  const std::string gone = "Nothing sets the public";
  // As a property, under another statement, by its name, by a base class, by a class of a library.
  const std::string property = "\n    @property\n    def heads(self):\n        return len(self.config.heads)\n";
  const std::string loop = "        for self.heads in (1,):\n            pass\n";
  const std::string by_name = "        for name in ('heads',):\n            setattr(self, name, 1)\n";
  for (const std::string& other : {property, loop, by_name}) {
    const std::string text = told(controller(set), controller(other));
    EXPECT_FALSE(says(text, gone)) << text;
  }
  const std::string base = "class Base:\n    heads = 1\n\n\n";
  const std::string inherited =
      told(base + controller(set, "return c.depth", "(Base)"), base + controller("", "return c.depth", "(Base)"));
  EXPECT_FALSE(says(inherited, gone)) << inherited;
  const std::string import = "from lib import Base\n\n\n";
  const std::string unknown =
      told(import + controller(set, "return c.depth", "(Base)"), import + controller("", "return c.depth", "(Base)"));
  EXPECT_FALSE(says(unknown, gone)) << unknown;
  // Nobody outside reads what is private.
  const std::string hidden = told(controller("        self._heads = 1\n"), controller(""));
  EXPECT_FALSE(says(hidden, gone)) << hidden;
}

TEST(KeptState, OfADictionaryTheEntryThatDiffersIsTold) {
  const auto step = [](const std::string& tokens, const std::string& logits = "self.logits[:count]") {
    return "class Engine:\n    def step(self, count, depth):\n        out = {\n            \"tokens\": " + tokens +
           ",\n            \"log_probs\": self.log_probs.clone(),\n            \"logits\": " + logits +
           ",\n            \"finished\": self.finished_request_ids,\n        }\n        return out\n";
  };
  const std::string text = told(step("self.tokens.clone()"), step("self.tokens[:count]"));
  EXPECT_TRUE(says(text, "ets `out[\"tokens\"]` to `self.tokens[:count]` instead of `self.tokens.clone()`")) << text;
  const std::string condition = told(step("self.tokens.clone() if depth > 0 else None"),
                                     step("self.tokens.clone() if depth > 0 and count > 0 else None"));
  EXPECT_TRUE(says(condition,
                   "ets `out[\"tokens\"]` to `self.tokens.clone()` when `depth` is more than `0` and `count` is more "
                   "than `0`, formerly when `depth` is more than `0`, else to `None`"))
      << condition;
  // Of a dictionary that is another one, the whole.
  const std::string other = told("def f(a):\n    out = {\"x\": a, \"y\": a}\n    return out\n",
                                 "def f(a):\n    out = {\"x\": a + 1, \"y\": a + 2}\n    return out\n");
  EXPECT_FALSE(says(other, "out[\"x\"]")) << other;
}

}  // namespace
}  // namespace lockstep::render
