// Arguments that a call gives newly, from a setting whose default is what the callee took without them.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kPool = R"(from dataclasses import dataclass


@dataclass
class BufferConfig:
    keep_on_failure: bool = False
    size: int = 2


class Pool:
    def __init__(self, name, persist=False):
        self.name = name
        self.persist = persist


class Buffer:
    def __init__(self, config: BufferConfig):
        self.config = config
        self.pool = Pool(name="a")
)";

constexpr std::string_view kSame =
    "`Pool` gets `persist` from `keep_on_failure` now, which is `False` by default. That is what it took without it, "
    "so "
    "for runs that do not set it nothing changes there.";

std::string explained(const std::string& before, const std::string& given) {
  const Files old = {{"pool.py", before}};
  return explain_of(old, with_edit(old, "pool.py", "Pool(name=\"a\")", "Pool(name=\"a\", persist=" + given + ")"));
}

TEST(DefaultArguments, ASettingThatIsByDefaultWhatTheCalleeTookChangesNothingForMostRuns) {
  const std::string text = explained(kPool, "config.keep_on_failure");
  EXPECT_TRUE(says(text, kSame)) << text;
}

TEST(DefaultArguments, AnotherDefaultOrWhatCodeSetsSaysNothing) {
  const std::string other = replace_all(kPool, "keep_on_failure: bool = False", "keep_on_failure: bool = True");
  EXPECT_FALSE(says(explained(other, "config.keep_on_failure"), "nothing changes there"));
  const std::string set = kPool + "\n\ndef prepare(config):\n    config.keep_on_failure = True\n";
  EXPECT_FALSE(says(explained(set, "config.keep_on_failure"), "nothing changes there"));
  EXPECT_FALSE(says(explained(kPool, "True"), "nothing changes there"));
}

/// Nothing took the default of a parameter that was not there.
TEST(DefaultArguments, WhatANewParameterIsByDefaultNobodyTookBefore) {
  const std::string old =
      replace_all(replace_all(kPool, ", persist=False", ""), "        self.persist = persist\n", "");
  const std::string now = replace_all(kPool, "Pool(name=\"a\")", "Pool(name=\"a\", persist=config.keep_on_failure)");
  const std::string text = explain_of({{"pool.py", old}}, {{"pool.py", now}});
  EXPECT_FALSE(says(text, "took without it")) << text;
}

}  // namespace
}  // namespace lockstep::render
