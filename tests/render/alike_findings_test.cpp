// Findings of one rule on one line that say the same of several names are one; others stay apart.
#include "report/alike_findings.h"

#include <gtest/gtest.h>

namespace lockstep::render {
namespace {

rules::Finding finding(std::string message, std::string fix = "Use `x`.") {
  rules::Finding one;
  one.rule = "unused-argument";
  one.path = "a.py";
  one.start_line = one.end_line = 3;
  one.message = std::move(message);
  one.fix = std::move(fix);
  return one;
}

TEST(AlikeFindings, OnOneLineAreOne) {
  std::vector<rules::Finding> findings = {finding("`f` never reads its parameter `a`", "Use `a`, or leave it out."),
                                          finding("`f` never reads its parameter `b`", "Use `b`, or leave it out."),
                                          finding("`f` never reads its parameter `c`", "Use `c`, or leave it out.")};
  report::join_alike(findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "`f` never reads its parameter `a`; the same holds for `b` and `c`");
  EXPECT_EQ(findings[0].fix, "Use `a`, or leave it out.");
}

TEST(AlikeFindings, ThatSayMoreThanOtherNamesStayApart) {
  const rules::Finding first = finding("`f` never reads its parameter `a`");
  rules::Finding other_line = finding("`f` never reads its parameter `b`");
  other_line.start_line = other_line.end_line = 4;
  rules::Finding graver = finding("`f` never reads its parameter `b`");
  graver.severity = rules::Severity::kP1;
  rules::Finding suggests = finding("`f` never reads its parameter `b`");
  suggests.suggestion = "x = 1\n";
  for (const rules::Finding& other :
       {finding("`g` never reads its parameter `b`"), finding("`f` never sets its parameter `b`"),
        finding("`f` never reads its parameter `b`", "Drop it."), other_line, graver, suggests}) {
    std::vector<rules::Finding> findings = {first, other};
    report::join_alike(findings);
    EXPECT_EQ(findings.size(), 2u) << other.message;
  }
}

}  // namespace
}  // namespace lockstep::render
