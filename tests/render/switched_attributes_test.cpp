// Attributes that are off until something turns them on: who does, and whose runs that are.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kEngine = R"(class Engine:
    def __init__(self):
        self.reset()

    def reset(self):
        self.coordinated = False
        self.ledger_on: bool = False
        self.ledger = {}

    def generate(self, x):
        return self.step(x)

    def serve(self, x):
        self.coordinated = True
        return self.step(x)

    def step(self, x):
        return self.book(x)

    def book(self, x):
        y = x
        if self.coordinated:
            y = send(x)
        return y


def send(x):
    return x
)";

const std::string kRollout = R"(from lib.engine import Engine


def launch(x):
    engine = Engine()
    engine.ledger_on = True
    return engine.serve(x)
)";

Files files_with(const std::string& engine, const std::string& rollout = kRollout) {
  return {{"lib/engine.py", engine},
          {"lib/rollout.py", rollout},
          {"generate.py",
           "from lib.engine import Engine\n\n\ndef main():\n    Engine().generate(1)\n\n\n"
           "if __name__ == \"__main__\":\n    main()\n"},
          {"learn.py",
           "from lib.rollout import launch\n\n\ndef main():\n    for x in range(3):\n        launch(x)\n\n\n"
           "if __name__ == \"__main__\":\n    main()\n"}};
}

std::string explain_book(const Files& before) {
  return explain_of(before, with_edit(before, "lib/engine.py", "            y = send(x)\n",
                                      "            z = x + 1\n            if self.ledger_on:\n"
                                      "                self.ledger[x] = z\n            y = send(z)\n"));
}

TEST(SwitchedAttributes, TheWayOfARunThatTurnsThemOnIsTold) {
  const std::string text = explain_book(files_with(kEngine));
  EXPECT_TRUE(says(text, "`self.coordinated` is `False` until `Engine.serve` (`lib/engine.py:14`) sets it.")) << text;
  EXPECT_TRUE(says(text,
                   "`self.ledger_on`, which a new branch in `book` asks for, is `False` until `launch` "
                   "(`lib/rollout.py:6`) sets it."))
      << text;
  EXPECT_TRUE(says(text, "`learn.py` \u2192 ")) << text;
  EXPECT_FALSE(says(text, "generate.py")) << text;
}

/// Among the ways of such a run, the one that turns it on goes on to the function.
TEST(SwitchedAttributes, TheWayGoesThroughWhatTurnsItOn) {
  const std::string rollout = replace_all(kRollout, "    return engine.serve(x)\n",
                                          "    engine.generate(x)\n    return serve_later(engine, x)\n\n\n"
                                          "def serve_later(engine, x):\n    return engine.serve(x)\n");
  const std::string text = explain_book(files_with(kEngine, rollout));
  EXPECT_TRUE(says(text, "`Engine.serve` (`lib/engine.py:13`) \u2192 `Engine.step`")) << text;
}

TEST(SwitchedAttributes, WhatSomebodyGivesIsNotTold) {
  const std::string setter = "\n    def coordinate(self, on):\n        self.coordinated = on\n";
  const std::string engine =
      replace_all(kEngine, "        return y\n\n\ndef send", "        return y\n" + setter + "\n\ndef send");
  EXPECT_FALSE(says(explain_book(files_with(engine)), "`self.coordinated` is `False` until"));
  const std::string computed =
      "\n    def load(self, state):\n        for name, value in state.items():\n"
      "            setattr(self, name, value)\n";
  const std::string loading =
      replace_all(kEngine, "        return y\n\n\ndef send", "        return y\n" + computed + "\n\ndef send");
  EXPECT_FALSE(says(explain_book(files_with(loading)), " until "));
  // One that the constructor may turn on is not off until later.
  const std::string made =
      replace_all(kEngine, "        self.reset()\n", "        self.reset()\n        self.serve(0)\n");
  EXPECT_FALSE(says(explain_book(files_with(made)), "`self.coordinated` is `False` until"));
}

/// Another class has an attribute of that name, and the object may be one of it.
TEST(SwitchedAttributes, AnObjectThatMayBeOfAnotherClassSaysNothing) {
  const std::string other =
      "\n\nclass Other:\n    def __init__(self):\n        self.ledger_on = False\n\n\n"
      "def turn_on(thing):\n    thing.ledger_on = True\n";
  const std::string text = explain_book(files_with(kEngine, kRollout + other));
  EXPECT_FALSE(says(text, "`self.ledger_on`, which")) << text;
  EXPECT_TRUE(says(text, "`self.coordinated` is `False` until")) << text;
}

TEST(SwitchedAttributes, ATestThatTurnsNothingOnIsNotNamed) {
  Files before = files_with(kEngine);
  before["tests/test_engine.py"] =
      "from lib.engine import Engine\n\n\ndef test_generates():\n    Engine().generate(1)\n\n\n"
      "def test_serves():\n    Engine().serve(1)\n\n\n"
      "def test_sets():\n    engine = Engine()\n    engine.coordinated = True\n    engine.generate(1)\n";
  const std::string text = explain_book(before);
  EXPECT_TRUE(says(text, "test_serves")) << text;
  EXPECT_TRUE(says(text, "test_sets")) << text;
  EXPECT_FALSE(says(text, "test_generates")) << text;
}

}  // namespace
}  // namespace lockstep::render
