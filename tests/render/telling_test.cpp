// How single edits and definitions are told: shortest where nothing is lost.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

TEST(Telling, OfACallInAValueOnlyItsArgumentsAreTold) {
  const std::string body = "def log(old, a, b):\n    metrics = old | prepare(first=a)\n    return metrics\n";
  const std::string text = explain_of({{"a.py", body}}, {{"a.py", replace_all(body, "first=a", "first=a, second=b")}});
  EXPECT_TRUE(says(text, "also passes `second=b` to `prepare`")) << text;
  EXPECT_FALSE(says(text, "sets `metrics`")) << text;
  // What stands around the call is a part of the edit.
  const std::string other = explain_of(
      {{"a.py", body}}, {{"a.py", replace_all(body, "old | prepare(first=a)", "prepare(first=a, second=b) | old")}});
  EXPECT_TRUE(says(other, "sets `metrics` to")) << other;
}

TEST(Telling, ASentenceOfADocstringGoesOnBehindAPreposition) {
  const std::string added =
      "class Dense:\n    \"\"\"Dense layers with one group in order to trigger\n    "
      "FusedForward of the library.\n\n    More.\n    \"\"\"\n\n    def run(self, x):\n        return x\n";
  const std::string text = explain_of({{"a.py", "X = 1\n"}}, {{"a.py", "X = 1\n\n\n" + added}});
  EXPECT_TRUE(says(text, "“Dense layers with one group in order to trigger FusedForward of the library.”")) << text;
}

/// Of two ways to a changed function the one that the change edits is the one that it is for.
TEST(Telling, AWayThroughTheChangeComesFirst) {
  const Files before = {{"train.py", R"(from lib import choose


def main(args):
    build(args)


def build(args):
    layers(args)


def layers(args):
    choose(args.size)


if __name__ == "__main__":
    main(parse())
)"},
                        {"other.py", "from lib import choose\n\nif __name__ == \"__main__\":\n    choose(1)\n"},
                        {"lib.py", "def choose(size, grouped=False):\n    return size\n"}};
  Files after = with_edit(before, "lib.py", "    return size\n", "    return size if grouped else -size\n");
  EXPECT_TRUE(says(explain_of(before, after), "`other.py` →"));
  after = with_edit(after, "train.py", "choose(args.size)", "choose(args.size, grouped=args.grouped)");
  const std::string text = explain_of(before, after);
  EXPECT_TRUE(says(text, "`train.py` → `main` (`train.py:4`)")) << text;
}

/// Where nothing else gives a reason, a new check's message may.
TEST(Telling, WhatANewCheckSaysIsQuoted) {
  const std::string was = "def run(args):\n    return args.x\n";
  const std::string now =
      "def run(args):\n    assert not args.reset, (\n        \"--reset is not supported here: \"\n"
      "        \"the forward pass never reads a dense mask.\"\n    )\n    return args.x\n";
  const std::string text = explain_of({{"a.py", was}}, {{"a.py", now}});
  EXPECT_TRUE(says(text,
                   "the check at `a.py:2`: “--reset is not supported here: the forward pass never reads a dense "
                   "mask.”"))
      << text;
  EXPECT_FALSE(says(explain_of({{"a.py", now}}, {{"a.py", now + "\n\nX = 1\n"}}), "the check at"));
}

/// A script that refuses a setting breaks the runs that set it.
TEST(Telling, AScriptThatRefusesASettingIsToldAsIncompatible) {
  const std::string was = "if __name__ == \"__main__\":\n    args = parse()\n    run(args)\n";
  const std::string now =
      "if __name__ == \"__main__\":\n    args = parse()\n    assert not args.reset_mask\n    run(args)\n";
  const std::string text = explain_of({{"train.py", was}}, {{"train.py", now}});
  EXPECT_TRUE(says(text,
                   "`train.py` insists now that `args.reset_mask` is not set (`train.py:3`). Runs of which that "
                   "does not hold stop there."))
      << text;
}

/// A step that a new branch holds was there: it is not new that it is done.
TEST(Telling, AStepUnderANewConditionIsDoneOnlyThen) {
  const std::string was = "def collect(rows, out):\n    for row in rows:\n        out.extend(one for one in row)\n";
  const std::string now =
      "def collect(rows, out):\n    for row in rows:\n        if row.good:\n            out.extend(one for one in "
      "row)\n";
  EXPECT_TRUE(says(explain_of({{"a.py", was}}, {{"a.py", now}}), "now only when `row.good` is set, calls `out.extend"));
  const std::string other = replace_all(now, "one in row)", "one in row.kept)");
  EXPECT_FALSE(says(explain_of({{"a.py", was}}, {{"a.py", other}}), "now only when"));
}

}  // namespace
}  // namespace lockstep::render
