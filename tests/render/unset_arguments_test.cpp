// Settings that changed code reads and that nothing brings in.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

std::string text_of(const std::string& read, const std::string& more = "", const std::string& test = "") {
  const Files before = {
      {"arguments.py",
       "from argparse import ArgumentParser\n\n\ndef get_args():\n    parser = ArgumentParser()\n"
       "    parser.add_argument('--depth', type=int)\n    return parser.parse_args()\n" +
           more},
      {"tests/test_train.py", "from train import train\n\n\ndef test_train():\n    train(Args(" + test + "))\n"},
      {"train.py", "def train(args):\n    return args.depth * 2\n"}};
  return explain_of(before, with_edit(before, "train.py", "args.depth * 2", read));
}

TEST(UnsetArguments, ADefaultThatNothingReplacesIsTold) {
  const std::string text = text_of("args.depth * getattr(args, 'scaled', 1)");
  EXPECT_TRUE(contains(text,
                       "`train` reads `args.scaled` by `getattr` with a default, and no option, field or assignment of "
                       "that name was found outside tests: as the repository stands, `args.scaled` is always `1`."))
      << text;
}

TEST(UnsetArguments, WhatATestAloneSetsIsTold) {
  const std::string text = text_of("args.depth * args.scaled", "", "scaled=2");
  EXPECT_TRUE(contains(text, "reading it raises `AttributeError`")) << text;
}

TEST(UnsetArguments, WhatAnythingBringsInIsNot) {
  const std::string told = "was found outside tests: as the repository";
  const std::string read = "args.depth * getattr(args, 'scaled_by', 1)";
  EXPECT_TRUE(contains(text_of(read), told));
  for (const std::string& more :
       {std::string("\n\ndef add(parser):\n    parser.add_argument('--scaled-by', type=int)\n"),
        std::string("\n\ndef fill(args):\n    args.scaled_by = 2\n"),
        std::string("\n\nclass Config:\n    scaled_by: int = 2\n"),
        std::string("\n\ndef fill():\n    return Namespace(scaled_by=2)\n"),
        std::string("\n\nDEFAULTS = {'scaled_by': 2}\n"),
        std::string("\n\ndef old(args):\n    return args.scaled_by\n")}) {
    EXPECT_FALSE(contains(text_of(read, more), told)) << more;
  }
  // Of what old code asked for, too, somebody knows.
  EXPECT_FALSE(contains(text_of(read, "\n\ndef old(args):\n    return getattr(args, 'scaled_by', 1)\n"), told));
  // What is asked for before it is read.
  EXPECT_FALSE(contains(text_of("args.depth * (args.scaled if hasattr(args, 'scaled') else 1)"), "AttributeError"));
}

}  // namespace
}  // namespace lockstep::render
