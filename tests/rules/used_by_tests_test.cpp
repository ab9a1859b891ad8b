// New files that only tests load.
#include "rules/tests/used_by_tests.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "program/link.h"
#include "python/facts.h"

namespace lockstep::rules {
namespace {

using Files = std::map<std::string, std::string>;

program::Program linked(const Files& files) {
  std::vector<program::SourceFile> sources;
  for (const auto& [path, bytes] : files) sources.push_back({path, python::extract_facts(bytes)});
  return program::link(std::move(sources), {});
}

/// Whether only tests use lib/encoder.py, where these files stand beside it; before, only train.py was there.
bool is_used_by_tests_alone(Files files, const std::string& encoder = "class Encoder:\n    pass\n") {
  const program::Program before = linked({{"train.py", "def run():\n    pass\n"}});
  files.emplace("lib/encoder.py", encoder);
  files.emplace("train.py", "def run():\n    pass\n");
  const program::Program after = linked(files);
  return rules::is_used_by_tests_alone(after, before, after.find_path("lib/encoder.py"));
}

TEST(UsedByTests, AloneWhereNothingElseNamesTheFile) {
  const std::string test = "from lib.encoder import Encoder\n";
  EXPECT_TRUE(is_used_by_tests_alone({{"tests/test_encoder.py", test}}));
  EXPECT_TRUE(is_used_by_tests_alone({{"tests/test_encoder.py", "from lib import encoder\n"}}));
  EXPECT_FALSE(is_used_by_tests_alone({}));
  EXPECT_FALSE(is_used_by_tests_alone({{"tests/test_encoder.py", test}, {"run.py", test}}));
  EXPECT_FALSE(is_used_by_tests_alone({{"tests/test_encoder.py", test}, {"run.py", "load('lib.encoder:Encoder')\n"}}));
  EXPECT_FALSE(is_used_by_tests_alone({{"tests/test_encoder.py", test}},
                                      "def run():\n    pass\n\n\nif __name__ == '__main__':\n    run()\n"));
}

TEST(UsedByTests, NotWhereTheFileWasThere) {
  const Files files = {{"lib/encoder.py", ""}, {"tests/test_encoder.py", "import lib.encoder\n"}};
  const program::Program program = linked(files);
  EXPECT_FALSE(rules::is_used_by_tests_alone(program, program, program.find_path("lib/encoder.py")));
}

}  // namespace
}  // namespace lockstep::rules
