// Ways through methods that heirs override: the class that most runs use is told, an heir only where nothing else leads
// to the changed code.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string with(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

constexpr const char* kTrainers = R"(import sys


def finish(x):
    return x


def only_flux(x):
    return x


class Trainer:
    def train(self):
        self.step()

    def step(self):
        self.inner()

    def inner(self):
        finish(1)


class FluxTrainer(Trainer):
    def step(self):
        finish(2)
        only_flux(2)


def main():
    trainer = FluxTrainer() if "flux" in sys.argv else Trainer()
    trainer.train()


if __name__ == "__main__":
    main()
)";

TEST(Overrides, TheMethodOfTheBaseIsToldBeforeAnHeirs) {
  const std::string run = kTrainers;
  const std::string text =
      explain_of({{"train.py", run}},
                 {{"train.py", with(run, "def finish(x):\n    return x", "def finish(x):\n    return x + 1")}});
  EXPECT_TRUE(says(text, "`Trainer.step` (`train.py:16`) → `Trainer.inner`")) << text;
  EXPECT_FALSE(says(text, "\u2192 `FluxTrainer")) << text;
}

TEST(Overrides, AnHeirIsToldWhereNothingElseLeadsOn) {
  const std::string run = kTrainers;
  const std::string text =
      explain_of({{"train.py", run}},
                 {{"train.py", with(run, "def only_flux(x):\n    return x", "def only_flux(x):\n    return x + 1")}});
  EXPECT_TRUE(says(text, "`FluxTrainer.step` (`train.py:24`) → `only_flux`")) << text;
  // What is there to be overridden runs on nothing.
  const std::string empty = with(run, "    def step(self):\n        self.inner()", "    def step(self):\n        pass");
  const std::string heir =
      explain_of({{"train.py", empty}},
                 {{"train.py", with(empty, "def finish(x):\n    return x", "def finish(x):\n    return x + 1")}});
  EXPECT_TRUE(says(heir, "`FluxTrainer.step`")) << heir;
}

TEST(Overrides, WhatAnHeirKeepsItsOwnMethodCalls) {
  const std::string run = R"(def entropy(x):
    return x


def square(x):
    return x


class Loss:
    def __call__(self, x):
        return self.fn(x)


class Square(Loss):
    def __init__(self):
        self.fn = square


class Entropy(Loss):
    def __init__(self):
        self.fn = entropy

    def __call__(self, x):
        loss = self.fn(x)
        return loss + 1


def main():
    for loss in (Square(), Entropy()):
        loss(1)


if __name__ == "__main__":
    main()
)";
  const std::string text =
      explain_of({{"train.py", run}},
                 {{"train.py", with(run, "def entropy(x):\n    return x", "def entropy(x):\n    return x + 1")}});
  EXPECT_TRUE(says(text, "`Entropy.__call__` (`train.py:23`) → `entropy`")) << text;
  EXPECT_FALSE(says(text, "`Loss.__call__`")) << text;
  // Where the heir hands on, the base's method does call it.
  const std::string handed = with(run, "loss = self.fn(x)", "loss = super().__call__(x)");
  const std::string up =
      explain_of({{"train.py", handed}},
                 {{"train.py", with(handed, "def entropy(x):\n    return x", "def entropy(x):\n    return x + 1")}});
  EXPECT_TRUE(says(up, "`Loss.__call__`")) << up;
}

TEST(Overrides, WhatADecoratorPutsAroundAMethodIsNoCallOfItsOwn) {
  const std::string run = R"(import functools


class span:
    def __init__(self, name):
        self.name = name

    def __call__(self, func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            return func(*args, **kwargs)

        return wrapper


def finish(x):
    return x


@span("a")
def one(x):
    return finish(x)


@span("b")
def two(x):
    return x


@span("c")
def three(x):
    return x


@span("d")
def four(x):
    return x


if __name__ == "__main__":
    one(1)
    two(1)
    three(1)
    four(1)
)";
  const std::string text =
      explain_of({{"train.py", run}},
                 {{"train.py", with(run, "def finish(x):\n    return x", "def finish(x):\n    return x + 1")}});
  EXPECT_TRUE(says(text, "`train.py` → `one` (`train.py:21`) → `finish`")) << text;
  EXPECT_FALSE(says(text, "wrapper")) << text;
}

}  // namespace
}  // namespace lockstep::render
