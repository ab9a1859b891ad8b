// Settings that were there and that more code reads now.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "render/document_fixture.h"

namespace lockstep::render {
namespace {

const std::string kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    size: int = 1\n    limit: float = None\n";

const std::string kPaths = R"(def plain(config, x):
    return min(x, config.limit)


def fused(config, x):
    return x * 2


def packed(config, x):
    return x * 3
)";

std::string explained(const std::string& before, const std::string& after, const std::string& config = kConfig) {
  return explain_of({{"config.py", config}, {"paths.py", before}}, {{"config.py", kConfig}, {"paths.py", after}});
}

const std::string kFused = replace_all(kPaths, "x * 2", "min(x * 2, config.limit)");
const std::string kBoth = replace_all(kFused, "x * 3", "min(x * 3, config.limit)");

TEST(WiderSettings, WhoObeysASettingNowIsToldWithWhoDidBefore) {
  const std::string text = explained(kPaths, kBoth);
  EXPECT_TRUE(says(text,
                   "The setting `limit` (`config.py:7`), which was there, is newly read in `fused` and `packed`; "
                   "before, beside checks of settings, it was read in `plain`."))
      << text;
  EXPECT_FALSE(says(explained(kPaths, kFused), "is newly read in"));
}

TEST(WiderSettings, NewAndUnreadSettingsAndChecksAreNone) {
  const std::string unread = replace_all(kPaths, "min(x, config.limit)", "x");
  EXPECT_FALSE(says(explained(unread, replace_all(kBoth, "min(x, config.limit)", "x")), "is newly read in"));
  const std::string checks =
      kFused + "\n\ndef validate(config):\n    if config.limit and config.limit < 0:\n        raise ValueError\n";
  EXPECT_FALSE(says(explained(kPaths, checks), "is newly read in"));
  // In the place of others.
  const std::string plain = "def plain(config, x):\n    return min(x, config.limit)\n";
  const std::string other = "\n\ndef other(config, x):\n    return min(x, config.limit + 1)\n";
  EXPECT_FALSE(says(explained(kPaths + other, replace_all(kBoth, plain, "")), "is newly read in"));
  EXPECT_TRUE(says(explained(kPaths + other, kBoth + other), "is newly read in"));
  // Parts of a class that read it.
  const std::string head = "\n\nclass Path:\n    def run(self, config, x):\n        return min(x, config.limit)\n";
  const std::string parts =
      "\n\nclass Path:\n    def run(self, config, x):\n        return self.first(config, x) + self.last(config, x)\n\n"
      "    def first(self, config, x):\n        return min(x, config.limit)\n\n"
      "    def last(self, config, x):\n        return max(x, config.limit)\n";
  EXPECT_FALSE(says(explained(kPaths + head, kPaths + parts), "is newly read in"));
}

TEST(WiderSettings, SavingACheckpointIsNoCheck) {
  const std::string named = replace_all(kPaths, "def packed", "def save_checkpoint");
  const std::string text = explained(
      named, replace_all(replace_all(named, "x * 2", "min(x * 2, config.limit)"), "x * 3", "min(x * 3, config.limit)"));
  EXPECT_TRUE(says(text, "is newly read in `fused` and `save_checkpoint`")) << text;
  const std::string checks = replace_all(kPaths, "def packed", "def check_limit");
  const std::string none = explained(checks, replace_all(replace_all(checks, "x * 2", "min(x * 2, config.limit)"),
                                                         "x * 3", "min(x * 3, config.limit)"));
  EXPECT_FALSE(says(none, "is newly read in")) << none;
}

}  // namespace
}  // namespace lockstep::render
