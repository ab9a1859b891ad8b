// What the rules keep so that no question costs a whole file again.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "rules/hits.h"
#include "rules/syntax/reach_memory.h"

namespace lockstep::rules {
namespace {

TEST(ReachMemory, LooksAtEachNodeOnceWhateverTheAnswersAre) {
  // 7 does it: it is reached from 1 to 3 and 6, through a cycle too; not from 4 and 5.
  const std::map<int, std::vector<int>> steps = {{1, {4, 2}}, {2, {5, 3}}, {3, {1, 7}}, {4, {5}}, {5, {4}}, {6, {2}}};
  std::map<int, int> times;
  ReachMemory<int> memory;
  const auto reaches = [&](int first) {
    return memory.reaches(first, [&](int node, std::vector<int>& next) {
      ++times[node];
      if (const auto known = steps.find(node); known != steps.end()) next = known->second;
      return node == 7;
    });
  };
  for (int round = 0; round < 2; ++round) {
    for (const int first : {1, 2, 3, 6, 7}) EXPECT_TRUE(reaches(first)) << first;
    for (const int first : {4, 5}) EXPECT_FALSE(reaches(first)) << first;
  }
  EXPECT_EQ(times.size(), 7u);
  for (const auto& [node, count] : times) EXPECT_EQ(count, 1) << node;
}

Hit hit_in(std::string symbol, std::string message) {
  Hit hit;
  hit.key = "same";
  hit.finding.symbol = std::move(symbol);
  hit.finding.message = std::move(message);
  return hit;
}

TEST(IntroducedHits, ExcuseFirstTheOneOfTheSameName) {
  const std::vector<Hit> before = {hit_in("a", ""), hit_in("b", "")};
  const auto left = [&](std::vector<Hit> after) {
    std::vector<std::string> messages;
    for (const Finding& finding : introduced(std::move(after), before)) messages.push_back(finding.message);
    return messages;
  };
  EXPECT_EQ(left({hit_in("c", "new"), hit_in("a", "1"), hit_in("b", "2")}), std::vector<std::string>{"new"});
  EXPECT_EQ(left({hit_in("c", "moved"), hit_in("a", "1")}), std::vector<std::string>{});
  EXPECT_EQ(left({hit_in("a", "1"), hit_in("a", "moved"), hit_in("a", "new")}), std::vector<std::string>{"new"});
}

}  // namespace
}  // namespace lockstep::rules
