// Every fixture of every rule, exact both ways; and code about the code: each rule has a page and both kinds of
// fixture.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/strings.h"
#include "rules/pages.h"
#include "rules/rule.h"
#include "rules/rule_fixture.h"

namespace lockstep::rules {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string rule;
  std::string path;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Rule& rule : all_rules()) {
    for (const std::string& path : fixtures_of(std::string(rule.id))) cases.push_back({std::string(rule.id), path});
  }
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.rule + "_" + fs::path(info.param.path).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class Fixture : public testing::TestWithParam<Case> {};

TEST_P(Fixture, FindsExactlyWhatItsCommentsExpect) {
  const FixtureResult result = run_fixture(GetParam().rule, GetParam().path);
  EXPECT_EQ(result.found, result.expected) << join(result.messages, "\n");
  const std::string name = fs::path(GetParam().path).filename().string();
  if (name.starts_with("firing")) {
    EXPECT_FALSE(result.expected.empty()) << "a firing fixture expects something";
  } else {
    EXPECT_TRUE(name.starts_with("silent")) << name;
    EXPECT_TRUE(result.expected.empty()) << "a silent fixture expects nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, Fixture, testing::ValuesIn(all_cases()), case_name);

TEST(RuleList, IdsAreKebabCaseAndUnique) {
  std::set<std::string_view> ids;
  for (const Rule& rule : all_rules()) {
    EXPECT_THAT(std::string(rule.id), testing::MatchesRegex("[a-z]+(-[a-z]+)*"));
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_EQ(find_rule(rule.id), &rule);
    EXPECT_FALSE(rule.summary.empty());
    EXPECT_FALSE(rule.summary.ends_with('.'));
  }
  EXPECT_EQ(find_rule("no-such-rule"), nullptr);
}

TEST(RuleList, EachRuleHasAPage) {
  for (const Rule& rule : all_rules()) {
    const fs::path page = fs::path(LOCKSTEP_SOURCE_DIR) / "docs/rules" / (std::string(rule.id) + ".md");
    std::ifstream stream(page);
    std::string first;
    std::getline(stream, first);
    EXPECT_EQ(first, fmt::format("# {}", rule.id)) << page;
  }
}

TEST(RuleList, AMistypedIdLeadsToItsRule) {
  EXPECT_EQ(nearest_rule("mising-test"), "missing-test");
  EXPECT_EQ(nearest_rule("missing-test"), "missing-test");
  EXPECT_EQ(nearest_rule("x"), "");
}

TEST(RuleList, EachRuleHasAFiringAndASilentFixture) {
  for (const Rule& rule : all_rules()) {
    if (rule.run == nullptr) continue;  // found and tested in a room of its own
    int firing = 0, silent = 0;
    for (const std::string& path : fixtures_of(std::string(rule.id))) {
      const std::string name = fs::path(path).filename().string();
      firing += name.starts_with("firing") ? 1 : 0;
      silent += name.starts_with("silent") ? 1 : 0;
    }
    EXPECT_GE(firing, 1) << rule.id;
    EXPECT_GE(silent, 1) << rule.id;
  }
}

TEST(RuleList, EachPageAndFixtureFolderBelongsToARule) {
  for (const std::string_view folder : {"docs/rules", "tests/rules/fixtures"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(LOCKSTEP_SOURCE_DIR) / folder)) {
      EXPECT_NE(find_rule(entry.path().stem().string()), nullptr) << entry.path();
    }
  }
}

}  // namespace
}  // namespace lockstep::rules
