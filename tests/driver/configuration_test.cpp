// lockstep.toml -> settings: every key read, every mistake named.
#include "driver/configuration.h"

#include <gtest/gtest.h>

namespace lockstep::driver {
namespace {

TEST(Configuration, ReadsEverything) {
  const auto settings = parse_settings(R"(
[rules]
disable = ["missing-test"]
[rules.severity]
host-sync-in-step = "P2"
[paths]
exclude = ["third_party/**"]
[mesh.groups]
"mylib.mesh.get_row_group" = ["tp"]
[step]
entry-points = ["mylib.engine.Engine.step"]
[[models]]
name = "mylib.later.submit"
effect = "keeps"
[[written]]
name = "no print"
paths = ["lib/**"]
except = ["lib/cli.py"]
forbid = ["print"]
say = "Log it."
severity = "P1"
[[written]]
name = "errors"
raise-only = ["ValueError"]
line-length = 100
)",
                                       "lockstep.toml");
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  EXPECT_EQ(settings->disabled_rules, std::vector<std::string>{"missing-test"});
  EXPECT_EQ(settings->severities.at("host-sync-in-step"), rules::Severity::kP2);
  EXPECT_EQ(settings->excluded_paths, std::vector<std::string>{"third_party/**"});
  EXPECT_EQ(settings->group_getters.at("mylib.mesh.get_row_group"), std::vector<std::string>{"tp"});
  EXPECT_EQ(settings->hot_entry_points, std::vector<std::string>{"mylib.engine.Engine.step"});
  ASSERT_EQ(settings->call_models.size(), 1u);
  EXPECT_EQ(settings->call_models[0].name, "mylib.later.submit");
  ASSERT_EQ(settings->written.size(), 2u);
  EXPECT_EQ(settings->written[0].name, "no print");
  EXPECT_EQ(settings->written[0].forbid, std::vector<std::string>{"print"});
  EXPECT_EQ(settings->written[0].paths, std::vector<std::string>{"lib/**"});
  EXPECT_EQ(settings->written[0].except, std::vector<std::string>{"lib/cli.py"});
  EXPECT_EQ(settings->written[0].say, "Log it.");
  EXPECT_EQ(settings->written[0].severity, rules::Severity::kP1);
  EXPECT_EQ(settings->written[1].raise_only, std::vector<std::string>{"ValueError"});
  EXPECT_EQ(settings->written[1].line_length, 100);
  EXPECT_EQ(settings->written[1].severity, rules::Severity::kP2);
}

TEST(Configuration, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) {
    const auto settings = parse_settings(text, "lockstep.toml");
    return settings.has_value() ? std::string("fine") : settings.error().message;
  };
  EXPECT_EQ(message("[[written]]\nforbid = [\"print\"]\n"), "lockstep.toml: 'written.name' must be a text");
  EXPECT_EQ(message("[[written]]\nname = \"x\"\n"), "lockstep.toml: the written rule 'x' holds nothing");
  EXPECT_EQ(message("[[written]]\nname = \"x\"\nforbit = [\"print\"]\n"),
            "lockstep.toml: unknown setting 'written.forbit'");
  EXPECT_EQ(message("[[written]]\nname = \"x\"\nline-length = 0\n"),
            "lockstep.toml: 'written.line-length' must be a number from 1 to 10000");
  EXPECT_EQ(message("[rules]\ndisable = [\"mising-test\"]\n"), "lockstep.toml: there is no rule 'mising-test'");
  EXPECT_EQ(message("written = 3\n"), "lockstep.toml: 'written' must be a list of tables");
}

}  // namespace
}  // namespace lockstep::driver
