// `args.x` of a field that no parser makes an option of.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kFactory = R"(import dataclasses
from argparse import ArgumentParser


class ArgumentGroup:
    def __init__(self, config, exclude=None):
        self.config = config
        self.exclude = set(exclude or [])

    def build(self, parser):
        for one in dataclasses.fields(self.config):
            if one.name in self.exclude:
                continue
            parser.add_argument("--" + one.name.replace("_", "-"), default=one.default)
)";

const std::string kArguments = R"(from argparse import ArgumentParser

from config import Config
from factory import ArgumentGroup


def get_args():
    parser = ArgumentParser()
    hidden = ["inner", "rate"]
    ArgumentGroup(Config, exclude=hidden).build(parser)
    return parser.parse_args()
)";

const std::string kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    depth: int = 1\n    inner: bool = False\n";

std::string train(const std::string& given) {
  return "from arguments import get_args\nfrom pool import Pool\n\n\ndef train():\n    args = get_args()\n    return "
         "Pool(" +
         given + ")\n";
}

std::string text_of(const std::string& given, const std::string& more = "") {
  const Files before = {
      {"factory.py", kFactory},
      {"arguments.py", kArguments + more},
      {"config.py", kConfig},
      {"pool.py", "class Pool:\n    def __init__(self, depth, single=False):\n        self.n = depth\n"},
      {"train.py", train("args.depth")}};
  return explain_of(before, with_edit(before, "train.py", "Pool(args.depth)", "Pool(" + given + ")"));
}

TEST(UndeclaredArguments, WhatNoOptionBringsInIsTold) {
  const std::string text = text_of("args.depth, single=args.inner");
  EXPECT_TRUE(says(text,
                   "`train` newly reads `args.inner`, but no option declares it: what makes options of the fields of "
                   "`Config` leaves it out (`arguments.py:10`), and nothing was found that sets it: reading it would "
                   "raise `AttributeError`. Where does it come from?"))
      << text;
}

TEST(UndeclaredArguments, WhatIsDeclaredSetOrAskedForIsNot) {
  EXPECT_FALSE(says(text_of("args.depth, single=args.depth > 2"), "no option declares"));
  EXPECT_FALSE(says(text_of("args.depth, single=hasattr(args, 'inner') and args.inner"), "no option declares"));
  EXPECT_FALSE(says(text_of("args.depth, single=args.inner", "\n\ndef fill(args):\n    args.inner = True\n"),
                    "no option declares"));
  EXPECT_FALSE(says(text_of("args.depth, single=args.inner",
                            "\n\ndef add(parser):\n    parser.add_argument('--inner', action='store_true')\n"),
                    "no option declares"));
  EXPECT_FALSE(says(text_of("args.depth, single=args.inner", "\n\ndef show(args):\n    print(args.inner)\n"),
                    "no option declares"));
}

}  // namespace
}  // namespace lockstep::render
