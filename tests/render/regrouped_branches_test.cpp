// `if a and b: x()` that becomes `if a:` with `if b: x()` inside it: moved, not new.
#include <gtest/gtest.h>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

// More than the branch holds, so that it is the branch that moved past it.
const std::string kBetween =
    "    args.seen = True\n    require(args.lr)\n    args.steps = count(args)\n    log(args.steps)\n";

const std::string kJoined =
    std::string("def check(args):\n    if args.fsdp:\n        require(args.meta)\n        args.sharded = True\n") +
    kBetween +
    "    if args.user_buffers and args.fsdp:\n        args.registered = True\n"
    "        warn('on with user_buffers')\n    return args\n";

std::string nested(const std::string& condition) {
  return "def check(args):\n    if args.fsdp:\n        require(args.meta)\n        args.sharded = True\n        if " +
         condition + ":\n            args.registered = True\n            warn('on with user_buffers')\n" + kBetween +
         "    return args\n";
}

TEST(RegroupedBranches, APartOfTheConditionThatIsAskedAroundIsNotNew) {
  const std::string text = explain_of({{"a.py", kJoined}}, {{"a.py", nested("args.user_buffers")}});
  EXPECT_TRUE(says(text,
                   "moves `if args.user_buffers:` up, into `if args.fsdp:`; it runs in the same cases as "
                   "`if args.user_buffers and args.fsdp:` did"))
      << text;
  EXPECT_FALSE(says(text, "sets `args.registered`")) << text;
}

TEST(RegroupedBranches, NorIsOneThatAsksItItselfNow) {
  const std::string text = explain_of({{"a.py", nested("args.user_buffers")}}, {{"a.py", kJoined}});
  EXPECT_TRUE(
      says(text,
           "moves `if args.user_buffers and args.fsdp:` down, out of `if args.fsdp:`; it runs in the same cases "
           "as `if args.user_buffers:` did"))
      << text;
  EXPECT_FALSE(says(text, "sets `args.registered`")) << text;
}

TEST(RegroupedBranches, OtherConditionsMakeAnotherBranch) {
  for (const char* other : {"args.other_buffers", "not args.user_buffers", "args.user_buffers or args.fsdp"}) {
    const std::string text = explain_of({{"a.py", kJoined}}, {{"a.py", nested(other)}});
    EXPECT_FALSE(says(text, "runs in the same cases")) << other << '\n' << text;
  }
}

TEST(RegroupedBranches, SoDoesAnotherArm) {
  const std::string with_else =
      std::string(
          "def check(args):\n    if args.fsdp:\n        require(args.meta)\n        args.sharded = True\n"
          "        if args.user_buffers:\n            args.registered = True\n            warn('on with "
          "user_buffers')\n"
          "        else:\n            args.registered = None\n") +
      kBetween + "    return args\n";
  const std::string text = explain_of({{"a.py", kJoined}}, {{"a.py", with_else}});
  EXPECT_FALSE(says(text, "runs in the same cases")) << text;
}

}  // namespace
}  // namespace lockstep::render
