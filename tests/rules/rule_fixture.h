// Runs one rule on a fixture and holds its findings against the expectations written in the fixture itself.
//
// A fixture is a `.py` file or a folder below fixtures/RULE/. A folder with `before/` and `after/` is a change, any
// other is a tree that is checked. Expectations are comments on the line of the finding: `# expect: RULE` or, where the
// severity is the point, `# expect: RULE P1`; `# miss: RULE` (a known miss: it must not be found yet) and
// `# false-alarm: RULE` (a known false alarm: it must be found still). For a finding on the before side of a change,
// the comment stands in the before tree.
#pragma once

#include <string>
#include <vector>

namespace lockstep::rules {

/// "path:line" (line from 1) of what was found and of what the comments ask for; sorted, the sides of a change apart.
struct FixtureResult {
  std::vector<std::string> expected;
  std::vector<std::string> found;
  std::vector<std::string> severities;  ///< "path:line P1 " where a comment asks for the severity, held by run_fixture.
  std::vector<std::string> messages;    ///< What was found, with severity and message: for a failing test's output.
};

FixtureResult run_fixture(const std::string& rule, const std::string& path);

/// Paths of the fixtures of one rule, sorted; names start with `firing` or `silent`.
std::vector<std::string> fixtures_of(const std::string& rule);

}  // namespace lockstep::rules
