// What findings say where the change explains them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "rules/rule_fixture.h"

namespace lockstep::rules {
namespace {

using ::testing::HasSubstr;

TEST(Messages, OfDocstringsSayWhatTheChangeDidToTheParameter) {
  const FixtureResult result = run_fixture("docstring-disagrees", fixtures_of("docstring-disagrees").front());
  const std::string all = join(result.messages, "\n");
  EXPECT_THAT(all,
              HasSubstr("The docstring of `scale` documents `group`, which this change renames to `pg_collection`"));
  EXPECT_THAT(all, HasSubstr("The docstring of `fields` documents `y`, which this change renames to `z`"));
  EXPECT_THAT(all, HasSubstr("The docstring of `fresh` documents `missing`, which is no parameter of it"));
  EXPECT_THAT(all,
              HasSubstr("The docstring of class `Pair` documents `named`, which this change renames to `named_parts`"));
}

}  // namespace
}  // namespace lockstep::rules
