// Several changed functions on ways of their own, and calls on objects of one class or another that both lead on.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kArguments = R"(import argparse
from dataclasses import dataclass

from checkpointing import load, save


@dataclass
class TrainConfig:
    parallel_save: bool = True
    parallel_load: bool = False


def train(args):
    for step in range(9):
        keep(args, step)


def keep(args, step):
    save(args, step)


def setup(args):
    return load(args)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--no-parallel-save', action='store_false', dest='parallel_save')
    parser.add_argument('--parallel-load', action='store_true')
    args = parser.parse_args()
    setup(args)
    train(args)


if __name__ == '__main__':
    main()
)";

const std::string kCheckpointing = R"(def load(args):
    plan = read(args)
    if args.parallel_load:
        plan = spread(plan, 1)
        plan = check(plan, 1)
    return plan


def save(args, step):
    plan = read(args)
    if args.parallel_save:
        plan = spread(plan, 1)
    return plan


def read(args):
    return [args]


def spread(plan, group):
    return plan * group


def check(plan, group):
    return plan * group
)";

std::string both_edited(const std::string& arguments, const std::string& checkpointing) {
  const std::string edited = replace_all(checkpointing, "(plan, 1)", "(plan, 2)");
  return explain_of({{"train.py", arguments}, {"checkpointing.py", checkpointing}},
                    {{"train.py", arguments}, {"checkpointing.py", edited}});
}

TEST(OtherRoutes, TheWayThatRunsByDefaultIsToldFirst) {
  const std::string text = both_edited(kArguments, kCheckpointing);
  const std::size_t save = text.find("Runs reach `save`");
  const std::size_t load = text.find("`load`: the same way to `main`");
  ASSERT_NE(save, std::string::npos) << text;
  ASSERT_NE(load, std::string::npos) << text;
  EXPECT_LT(save, load) << text;
  EXPECT_TRUE(says(text, "What changes there runs only when `args.parallel_load` is set, which is not so by default."))
      << text;
}

TEST(OtherRoutes, WhatRunsUnderNoSettingOfItsOwnIsNotTold) {
  const std::string text =
      both_edited(kArguments, replace_all(kCheckpointing, "    if args.parallel_save:\n        plan", "    plan"));
  EXPECT_FALSE(says(text, "`save`: the same way")) << text;
  // One function that calls both is one way.
  const std::string together = replace_all(
      replace_all(kArguments, "    save(args, step)", "    load(args)\n    save(args, step)"), "    setup(args)\n", "");
  EXPECT_FALSE(says(both_edited(together, kCheckpointing), "What changes there runs only")) << together;
}

const std::string kEngines = R"(class Fast:
    def generate(self, prompt):
        return self.step(prompt)

    def step(self, prompt):
        return prompt * 2


class Plain:
    def __init__(self):
        self.inner = Fast()

    def generate(self, prompt):
        return self.inner.generate(prompt)
)";

const std::string kRun = R"(import argparse

from engines import Fast, Plain


def make_engine(args):
    if args.kind == 'plain':
        return Plain()
    elif args.kind == 'fast':
        return Fast()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--kind')
    args = parser.parse_args()
    engine = make_engine(args)
    engine.generate('a')


if __name__ == '__main__':
    main()
)";

TEST(OtherRoutes, AReceiverOfThreeClassesIsToldWithTheSettingThatChooses) {
  const std::string slow =
      "\n\nclass Slow:\n    def __init__(self):\n        self.inner = Fast()\n\n    def generate(self, prompt):\n"
      "        return self.inner.generate(prompt)\n";
  const Files old = {
      {"engines.py", kEngines + slow},
      {"run.py",
       replace_all(replace_all(kRun, "import Fast, Plain", "import Fast, Plain, Slow"), "    elif args.kind == 'fast'",
                   "    elif args.kind == 'slow':\n        return Slow()\n    elif args.kind == 'fast'")}};
  const std::string text = explain_of(old, with_edit(old, "engines.py", "prompt * 2", "prompt * 3"));
  EXPECT_TRUE(says(text, "`main` makes that call on `Fast` only when `args.kind` is `'fast'` (`run.py:")) << text;
  EXPECT_FALSE(says(text, "which leads there, too")) << text;
}

TEST(OtherRoutes, AReceiverOfTwoClassesIsToldWithTheSettingThatChooses) {
  const Files old = {{"engines.py", kEngines}, {"run.py", kRun}};
  const std::string text = explain_of(old, with_edit(old, "engines.py", "prompt * 2", "prompt * 3"));
  EXPECT_TRUE(says(text,
                   "`main` makes that call on `Fast` only when `args.kind` is `'fast'` (`run.py:9`); otherwise "
                   "`Plain.generate` is called, which leads there, too."))
      << text;
  // Where the other class leads elsewhere, the choice is a condition of the way.
  const Files apart = with_edit(old, "engines.py", "return self.inner.generate(prompt)", "return prompt");
  const std::string other = explain_of(apart, with_edit(apart, "engines.py", "prompt * 2", "prompt * 3"));
  EXPECT_FALSE(says(other, "makes that call on")) << other;
}

TEST(OtherRoutes, WhatTheDefaultsChooseIsToldBeforeOthers) {
  const Files old = {{"engines.py", kEngines},
                     {"run.py", replace_all(kRun, "'--kind')", "'--kind', default='plain')")}};
  const std::string text = explain_of(old, with_edit(old, "engines.py", "prompt * 2", "prompt * 3"));
  EXPECT_TRUE(says(text, "→ `Plain.generate`")) << text;
}

}  // namespace
}  // namespace lockstep::render
