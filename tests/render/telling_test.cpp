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

}  // namespace
}  // namespace lockstep::render
