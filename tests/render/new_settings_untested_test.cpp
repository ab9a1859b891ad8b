// New settings that tests name and leave off.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kParser =
    "from argparse import ArgumentParser\n\nfrom train import train\n\n\ndef main():\n    parser = ArgumentParser()\n";
const std::string kRuns = "    train(parser.parse_args())\n\n\nif __name__ == '__main__':\n    main()\n";

std::string text_of(const std::string& test) {
  const Files before = {{"run.py", kParser + kRuns},
                        {"train.py", "def train(args):\n    return args.depth\n"},
                        {"tests/test_train.py", "from train import train\n\n\ndef test_train():\n    train(Args())\n"}};
  return explain_of(
      before,
      {{"run.py", kParser + "    parser.add_argument('--fused-kernel', action='store_true')\n" + kRuns},
       {"train.py",
        "def train(args):\n    return scaled(args.depth, args.fused_kernel)\n\n\n"
        "def scaled(depth, fused):\n    return depth + 1 if fused else depth\n"},
       {"tests/test_train.py", "from train import train\n\n\ndef test_train():\n    train(Args(" + test + "))\n"}});
}

TEST(NewSettingsUntested, OneThatTestsLeaveOffIsTold) {
  const std::string text = text_of("fused_kernel=False");
  EXPECT_TRUE(
      says(text,
           "Which test sets `fused_kernel`? NOT TESTED: its name stands in tests, and nothing was found that gives it "
           "another value than its default `False`"))
      << text;
}

TEST(NewSettingsUntested, OneThatATestSetsIsNot) {
  EXPECT_FALSE(says(text_of("fused_kernel=True"), "Which test sets"));
}

}  // namespace
}  // namespace lockstep::render
