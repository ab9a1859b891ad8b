// Names that settings share with functions: what is new, what a test replaces, and what a call surely enters.
#include <gtest/gtest.h>

#include <string>

#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

/// A function that comes to a module, beside one that gives it something to do.
std::string dive_of_new(const std::string& function, const std::string& other_module) {
  return dive_of({{"a.py", "x = 1\n"}, {"config.py", other_module}},
                 {{"a.py", "x = 1\n\n\ndef " + function + "(path):\n    return open(path).read() + str(x)\n"},
                  {"config.py", other_module}});
}

/// "Nothing of this name" is said only where nothing had it, of whatever kind.
TEST(NamesOfSettings, AFunctionIsNewWithoutMoreWhereSomethingElseHadItsName) {
  const std::string nothing = "nothing of this name existed before";
  EXPECT_TRUE(says(dive_of_new("save_assets", "y = 2\n"), "`save_assets` is new; " + nothing));
  for (const char* other :
       {"class Config:\n    save_assets: bool = True\n", "def f(save_assets):\n    return 1\n",
        "def f(args):\n    return args.save_assets\n", "def f(parser):\n    parser.add_argument(\"--save-assets\")\n",
        "def f(g):\n    return g(save_assets=1)\n"}) {
    const std::string text = dive_of_new("save_assets", other);
    EXPECT_TRUE(says(text, "`save_assets` is new.")) << text;
    EXPECT_FALSE(says(text, nothing)) << text;
  }
  // A comment gives nothing a name.
  EXPECT_TRUE(says(dive_of_new("save_assets", "# save_assets is to come\ny = 2\n"), nothing));
}

/// What a test sets to a constant is a setting, and no stand-in of a function of that name.
TEST(NamesOfSettings, AConstantOnAnObjectReplacesNoFunction) {
  const auto told = [](const std::string& set) {
    const std::string lib = "def save_assets(path):\n    return path + \"a\"\n";
    const std::string test = "import lib\n\n\ndef test_args(args, fake):\n    " + set + "\n    assert args.size == 3\n";
    return explain_of({{"lib.py", lib}, {"tests/test_lib.py", "import lib\n"}},
                      {{"lib.py", lib.substr(0, lib.size() - 4) + "\"b\"\n"}, {"tests/test_lib.py", test}});
  };
  for (const char* set : {"args.save_assets = False", "args.save_assets = None", "args.save_assets = -1",
                          "setattr(args, \"size\", 3)\n    args.save_assets = \"x\""}) {
    const std::string text = told(set);
    EXPECT_FALSE(says(text, "stand-in")) << text;
    EXPECT_FALSE(says(text, "named in")) << text;
  }
  for (const char* set : {"lib.save_assets = fake", "lib.save_assets = None", "args.save_assets = fake"})
    EXPECT_TRUE(says(told(set), "NOT TESTED: 1 test replaces it, or what leads to it, by a stand-in")) << told(set);
}

/// What a test reads off an object is the field of that name, where a class declares one; what it calls may be the
/// function all the same.
TEST(NamesOfSettings, AFieldThatATestReadsNamesNoFunction) {
  const auto told = [](const std::string& use, const std::string& field) {
    const std::string lib = "def save_assets(path):\n    return path + \"a\"\n";
    const std::string config = "class Config:\n    " + field + ": bool = True\n";
    const std::string test = "def test_args(args):\n    assert " + use + "\n";
    return explain_of(
        {{"lib.py", lib}, {"config.py", config}, {"tests/test_lib.py", "x = 1\n"}},
        {{"lib.py", lib.substr(0, lib.size() - 4) + "\"b\"\n"}, {"config.py", config}, {"tests/test_lib.py", test}});
  };
  EXPECT_FALSE(says(told("args.save_assets", "save_assets"), "it is named in"));
  EXPECT_TRUE(says(told("args.save_assets", "other"), "it is named in")) << told("args.save_assets", "other");
  EXPECT_TRUE(says(told("args.save_assets(1)", "save_assets"), "it is named in"));
}

/// Of `str(x)` the value may be of any class: where to look further lists what is sure.
TEST(NamesOfSettings, OperationsOnOpenValuesLeadNowhere) {
  const auto told = [](const std::string& value, const std::string& parameter) {
    const std::string shards =
        "class Shard:\n    def __init__(self, key):\n        self.key = key\n\n"
        "    def __str__(self):\n        return \"s\" + self.key\n";
    const auto lib = [&](const std::string& end) {
      return "from shards import Shard\n\n\ndef write(" + parameter + "):\n    return str(" + value + ") + \"" + end +
             "\"\n\n\ndef run():\n    write(Shard(\"k\"))\n";
    };
    return dive_of({{"lib.py", lib("a")}, {"shards.py", shards}}, {{"lib.py", lib("b")}, {"shards.py", shards}});
  };
  const std::string pointer = "`Shard.__str__` - called by `write`";
  EXPECT_FALSE(says(told("iteration", "iteration"), pointer)) << told("iteration", "iteration");
  EXPECT_TRUE(says(told("iteration", "iteration: Shard"), pointer)) << told("iteration", "iteration: Shard");
  EXPECT_TRUE(says(told("Shard(iteration)", "iteration"), pointer)) << told("Shard(iteration)", "iteration");
}

}  // namespace
}  // namespace lockstep::render
