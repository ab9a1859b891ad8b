// Defaults, places and counts that sentences tie to a name: held against that name, and true ones left alone.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "writer/author_fixture.h"
#include "writer/verify.h"

namespace lockstep::writer {
namespace {

using testing::AuthorFixture;

/// A tree and whether a document about it has anything false.
class Tree {
 public:
  explicit Tree(const render::Files& files) : author_(make(files)) {}

  [[nodiscard]] bool is_false(std::string_view document) const {
    return !verify_document(std::string(document) + "\n", *author_.sides).problems.empty();
  }
  [[nodiscard]] Verification verified(std::string_view document) const {
    return verify_document(std::string(document) + "\n", *author_.sides);
  }

 private:
  static AuthorFixture make(const render::Files& files) {
    auto before = files, after = files;
    before["changed.py"] = "x = 1\n";
    after["changed.py"] = "x = 2\n";
    return AuthorFixture(render::make_fixture(before, after, "Set x"));
  }

  AuthorFixture author_;
};

constexpr const char* kDefaults =
    "KEEP = 7\n\n\n"
    "class Router:\n"
    "    topk: int = 2\n"
    "    capacity: int = None\n"
    "    names: list = []\n"
    "    kept: int = KEEP\n"
    "    made: int = make()\n\n"
    "    def __init__(self, config, rate=None):\n"
    "        self.config = config\n"
    "        self.rate = rate\n\n\n"
    "class Deep:\n"
    "    topk: int = 8\n"
    "    names: int = 3\n"
    "    made: int = 4\n\n\n"
    "def patient(patience=None, window=None, depth=None, width=None, told=None, size=None):\n"
    "    \"\"\"Args:\n"
    "        told (int, optional): Defaults to 6.\n"
    "    \"\"\"\n"
    "    patience = patience or 5\n"
    "    if depth is None:\n"
    "        depth = 4\n"
    "    width = 9 if width is None else width\n"
    "    if size is None:\n"
    "        size = work_out(config)\n"
    "    if window is not None:\n"
    "        print(window)\n"
    "    return patience, depth, width, told, size\n\n\n"
    "def options(parser):\n"
    "    parser.add_argument('--steps', default=None, type=int,\n"
    "                        help='How many. Defaults to 11.')\n"
    "    parser.add_argument('--warmup', default=None)\n"
    "    parser.add_argument('--cooldown', default=12, help='Defaults to 12.')\n";

// Of several definitions any counts; where None is declared, what code puts in its place.
TEST(VerifiedDefaults, AreThoseOfTheName) {
  const Tree tree(render::Files{{"router.py", kDefaults}});
  for (const std::string_view sentence : {"`capacity` defaults to 5.",
                                          "`capacity` defaults to `0`.",
                                          "`rate` is 5 by default.",
                                          "`topk` defaults to 5.",
                                          "`Router.topk` defaults to 8.",
                                          "`names` defaults to 4.",
                                          "`kept` defaults to 8.",
                                          "`patience` defaults to 6.",
                                          "`window` defaults to 5.",
                                          "`depth` defaults to 5.",
                                          "`width` defaults to 5.",
                                          "`told` defaults to 5.",
                                          "`window` has a default value of 5.",
                                          "The default of `window` is 5.",
                                          "`topk` of `Router` defaults to 8.",
                                          "`patient` takes `window`, which defaults to 5.",
                                          "`--steps` defaults to 12.",
                                          "`--warmup` defaults to 12.",
                                          "`capacity` is on by default.",
                                          "`topk` is off by default."}) {
    EXPECT_TRUE(tree.is_false(sentence)) << sentence;
  }
  for (const std::string_view sentence :
       {"`capacity` defaults to `None`.", "`capacity` is off by default.",   "`topk` defaults to 2.",
        "`topk` defaults to 8.",          "`topk` of `Deep` defaults to 8.", "`names` defaults to 3.",
        "`kept` defaults to 7.",          "`made` defaults to 9.",           "`patience` defaults to 5.",
        "`patience` defaults to `None`.", "`depth` defaults to 4.",          "`width` defaults to 9.",
        "`told` defaults to 6.",          "`size` defaults to 12.",          "The default of `topk` is 2.",
        "`window` defaults to `None`.",   "`topk` is on by default.",        "`capacity` defaults to `topk`.",
        "`--steps` defaults to 11.",      "`--steps` defaults to `None`."}) {
    EXPECT_FALSE(tree.is_false(sentence)) << sentence;
  }
}

// A function that is called like its file is held as others are; a module is named by its path alone.
TEST(VerifiedPlaces, OfAFunctionThatIsCalledLikeItsFile) {
  const char* const kFile =
      "def router(x):\n    y = x\n    return y\n\n\ndef other(x):\n    z = router(x)\n    y = 1\n    return y + z\n";
  const Tree tree(render::Files{{"moe/router.py", kFile}, {"moe/plain.py", kFile}});
  for (const std::string_view sentence :
       {"`router` (`moe/router.py:8`) asks for it.", "`router()` (`moe/router.py:6`) asks.",
        "`router` is defined at `moe/router.py:9`."}) {
    EXPECT_TRUE(tree.is_false(sentence)) << sentence;
  }
  for (const std::string_view sentence :
       {"`router` (`moe/router.py:1`) asks for it.", "`router` (`moe/router.py:7`) is called.",
        "`router` in `moe/router.py:2-3` asks.", "`moe.router` (`moe/router.py:8`) has it.",
        "`plain` (`moe/plain.py:8`) has it.", "`moe` (`moe/router.py:8`) has it."}) {
    EXPECT_FALSE(tree.is_false(sentence)) << sentence;
  }
}

// Calls are counted with those in tests or without, as the sentence says.
TEST(VerifiedCounts, OfCallsSayWhetherTestsAreAmongThem) {
  const Tree tree(render::Files{
      {"lib.py",
       "def helper(x):\n    return x\n\n\nclass Made:\n    def __init__(self):\n        self.x = 1\n\n\n"
       "def run(x):\n    return helper(x) + helper(2)\n"},
      {"tests/test_lib.py",
       "from lib import Made, helper\n\n\ndef test_a():\n    helper(1)\n    helper(2)\n    helper(3)\n\n\n"
       "def test_b():\n    helper(4)\n    Made()\n"}});
  for (const std::string_view sentence :
       {"`helper` is called from 2 places.", "`helper` is called at six places.", "`helper` has 6 call sites.",
        "`helper` is called from 2 places outside tests.", "`helper` is called from 6 places, tests included.",
        "`helper` is called in 4 places in tests.", "`helper` is called from 3 functions.",
        "`helper` is called from only one function.", "`helper` is called in 5 places of `tests/test_lib.py`.",
        "`Made` is called from 1 place."}) {
    EXPECT_FALSE(tree.is_false(sentence)) << sentence;
  }
  for (const std::string_view sentence :
       {"`helper` is called from 4 places.", "`helper` is called at three places.", "`helper` has 5 call sites.",
        "`helper` is called from 6 places outside tests.", "`helper` is called from 4 places, tests aside.",
        "`helper` is called from 2 places, tests included.", "`helper` is called in 2 places in tests.",
        "`helper` is called from 2 functions.", "`Made` is called from 2 places."}) {
    EXPECT_TRUE(tree.is_false(sentence)) << sentence;
  }
  const Verification found = tree.verified("`helper` is called from 4 places.");
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_EQ(found.problems[0].nearest, "2 outside tests, 6 with tests");
}

/// A line without a file is of the one file that was named before it in the sentence.
TEST(VerifiedPlaces, BareLinesAreOfTheFileNamedBefore) {
  const Tree tree({{"pkg/a.py", "def f():\n    return 1\n\n\ndef g():\n    return f()\n"}, {"pkg/b.py", "x = 1\n"}});
  EXPECT_FALSE(tree.is_false("`f` (`pkg/a.py:1`) is called on line 6."));
  EXPECT_TRUE(tree.is_false("`f` (`pkg/a.py:1`) is called on line 600."));
  EXPECT_TRUE(tree.is_false("In `pkg/a.py`, see line 700."));
  // Of which of two files, or of a log, nobody knows.
  EXPECT_FALSE(tree.is_false("Between `pkg/a.py:1` and `pkg/b.py:1`, see line 600."));
  EXPECT_FALSE(tree.is_false("`f` (`pkg/a.py:1`) wrote line 600 of the log."));
}

}  // namespace
}  // namespace lockstep::writer
