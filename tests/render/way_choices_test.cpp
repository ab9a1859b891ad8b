// Of several ways the one that is told: what nobody has to set comes before what somebody has, and what asks for less
// before what asks for more; a call on a value of unknown class is none of a class that its file does not know.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kArguments = R"(import argparse


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config-file", default=None)
    parser.add_argument("--perform-rl-step", action="store_true")
    parser.add_argument("--eval-interval", type=int, default=None)
    args = parser.parse_args()
    if args.config_file is not None:
        args = load(args.config_file)
    return args


def load(path):
    config = read(path)
    config.config_file = path
    return config
)";

std::string explained(const Files& files) { return explain_of(files, with_edit(files, "core.py", "x + 1", "x + 2")); }

const std::string kConfigs = R"(class Config:
    def __init__(self, x):
        self.x = x + 1


class WideConfig(Config):
    pass
)";

const std::string kTrain = R"(from arguments import parse
from core import Config, WideConfig


def from_file(args):
    return Config(args.x)


def from_args(args):
    cls = Config
    if args.wide:
        cls = WideConfig
    return cls(args.x)


def make(args):
    if args.config_file is not None:
        return from_file(args)
    else:
        return from_args(args)


if __name__ == "__main__":
    make(parse())
)";

TEST(WayChoices, WhatIsStoredOnlyWhereASettingIsSetLeavesItsDefault) {
  const auto way = [](const std::string& arguments) {
    return explained({{"arguments.py", arguments}, {"core.py", kConfigs}, {"train.py", kTrain}});
  };
  const std::string text = way(kArguments);
  EXPECT_TRUE(says(text, "→ `from_args` (`train.py:9`) → `Config.__init__`")) << text;
  EXPECT_FALSE(says(text, "This way is taken when")) << text;
  // In its own function, too.
  const std::string kept = replace_all(kArguments, "        args = load(args.config_file)\n",
                                       "        args.config_file = str(args.config_file)\n");
  EXPECT_TRUE(says(way(kept), "`from_args`")) << way(kept);
  // What may be stored for anybody says nothing of the default.
  const std::string any = replace_all(kArguments, "    if args.config_file is not None:\n        args =", "    args =");
  EXPECT_TRUE(says(way(any), "`from_file`")) << way(any);
}

const std::string kLoop = R"(from arguments import parse
from core import swap
from rollouts import roll_out


def run(args, x):
    for step in range(3):
        if args.perform_rl_step:
            x = roll_out(args, x)
        if args.eval_interval and step % args.eval_interval == 0:
            if args.perform_rl_step:
                x = swap(x)


if __name__ == "__main__":
    run(parse(), 1)
)";

TEST(WayChoices, AWayThatAsksForLessIsToldBeforeOneThatAsksForMore) {
  std::string rollouts = "from core import swap\n\n\ndef roll_out(args, x):\n    return step_1(x)\n";
  constexpr int kLong = 6;
  for (int i = 1; i <= kLong; ++i) {
    const std::string next = i == kLong ? "swap" : "step_" + std::to_string(i + 1);
    rollouts += "\n\ndef step_" + std::to_string(i) + "(x):\n    return " + next + "(x)\n";
  }
  const auto way = [&](const std::string& loop) {
    return explained({{"arguments.py", kArguments},
                      {"core.py", "def swap(x):\n    return x + 1\n"},
                      {"rollouts.py", rollouts},
                      {"train.py", loop}});
  };
  const std::string text = way(kLoop);
  EXPECT_TRUE(says(text, "→ `step_6` (`rollouts.py:28`) → `swap`")) << text;
  EXPECT_FALSE(says(text, "eval_interval")) << text;
  // Where each asks for something of its own the shorter one is told.
  const std::string other = replace_all(kLoop, "            if args.perform_rl_step:\n                x = swap(x)",
                                        "            x = swap(x)");
  EXPECT_TRUE(says(way(other), "→ `run` (`train.py:6`) → `swap`")) << way(other);
}

const std::string kZeroing = R"(class Module:
    pass


class Wrapper:
    def zero_buffers(self):
        return 0
)";

const std::string kLibrary = R"(from wrapper import Wrapper


def zero(wrappers):
    for wrapper in wrappers:
        wrapper.zero_buffers()
)";

TEST(WayChoices, ACallOfANameIsOfTheClassThatItsFileKnows) {
  const std::string script =
      "import core\nfrom library import zero\n\n\ndef main(wrappers):\n    zero(wrappers)\n\n\n"
      "if __name__ == '__main__':\n    main(load())\n";
  const auto way = [&](const std::string& library) {
    return explained({{"core.py", "class Model:\n    def zero_buffers(self, x=0):\n        return x + 1\n"},
                      {"wrapper.py", kZeroing},
                      {"library.py", library},
                      {"train.py", script}});
  };
  const std::string by_name = "on values of unknown class to enter it";
  EXPECT_FALSE(says(way(kLibrary), by_name)) << way(kLibrary);
  // A file that knows none of them, or both, may call either.
  for (const std::string& imports :
       {std::string(), std::string("from core import Model\nfrom wrapper import Wrapper\n")}) {
    const std::string text = way(replace_all(kLibrary, "from wrapper import Wrapper\n", imports));
    EXPECT_TRUE(says(text, by_name)) << text;
  }
}

}  // namespace
}  // namespace lockstep::render
