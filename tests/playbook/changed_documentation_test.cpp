// Changes that make lines of documentation false, or write false ones, and what is left alone there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/strings.h"
#include "playbook/changed.h"
#include "program/link.h"

namespace lockstep::playbook {
namespace {

using Files = std::map<std::string, std::string>;
using Messages = std::vector<std::string>;

const Files kBefore = {
    {"pkg/__init__.py", ""},
    {"pkg/router.py",
     "from dataclasses import dataclass\n\n\n@dataclass\nclass RouterConfig:\n    route_topk: int = 2\n\n\n"
     "class TopKRouter:\n    def route(self, scores):\n        return scores\n\n\n"
     "def load_balance(x):\n    return x\n"},
    {"docs/guide.md",
     "# Guide\n\n"
     "`TopKRouter` is in `pkg/router.py`; its loss is `load_balance`.\n\n"
     "`route_topk` (default: 2) is how many experts a token has.\n\n"
     "Sorting is in `pkg/sorter.py`.\n"},
    {"CHANGELOG.md", "- `load_balance` is in `pkg/router.py`.\n"},
    {"docs/router_202506.md", "- `load_balance` is in `pkg/router.py`.\n"},
};

program::Program linked(const Files& files) {
  std::vector<program::SourceFile> sources;
  for (const auto& [path, bytes] : files) {
    if (path.ends_with(".py")) sources.push_back({path, python::extract_facts(bytes)});
  }
  return program::link(std::move(sources), {});
}

Messages messages_of(const Files& after) {
  const repo::Snapshot old_files = repo::memory_snapshot(kBefore), new_files = repo::memory_snapshot(after);
  const program::Program old_program = linked(kBefore), new_program = linked(after);
  const repo::SnapshotDiff diff = repo::diff_snapshots(old_files, new_files);
  Messages messages;
  for (const rules::Finding& finding :
       documentation_made_false({old_files, new_files, old_program, new_program, diff, 1})) {
    EXPECT_EQ(finding.rule, "stale-documentation");
    EXPECT_GE(finding.severity, rules::Severity::kP2);
    EXPECT_FALSE(finding.fix.empty());
    messages.push_back(fmt::format("{}:{} {}", finding.path, finding.start_line + 1, finding.message));
  }
  return messages;
}

TEST(StaleDocumentation, TellsOfANameThatTheChangeTakesAway) {
  Files after = kBefore;
  after["pkg/router.py"] = replace_all(after["pkg/router.py"], "load_balance", "balance_loss");
  EXPECT_EQ(messages_of(after), Messages{"docs/guide.md:3 the change makes this line false: `load_balance` stands "
                                         "nowhere in the code, the configuration or the documents"});
}

TEST(StaleDocumentation, TellsOfAFileThatMoves) {
  Files after = kBefore;
  after["pkg/routing.py"] = after["pkg/router.py"];
  after.erase("pkg/router.py");
  EXPECT_EQ(messages_of(after), Messages{"docs/guide.md:3 the change makes this line false: there is no "
                                         "`pkg/router.py`"});
}

TEST(StaleDocumentation, TellsOfADefaultThatTheChangeSets) {
  Files after = kBefore;
  after["pkg/router.py"] = replace_all(after["pkg/router.py"], "route_topk: int = 2", "route_topk: int = 4");
  EXPECT_EQ(messages_of(after),
            Messages{"docs/guide.md:5 the change makes this line false: the default of `route_topk` is `4`, not `2`"});
}

TEST(StaleDocumentation, HoldsWhatNewLinesSayOfTheRepositorysOwnCode) {
  Files after = kBefore;
  after["docs/telemetry.md"] =
      "# Telemetry\n\n"
      "```python\n"
      "from pkg.router import TopKRouter, get_telemetry\n"
      "from other.router import span\n"
      "```\n\n"
      "Set in `pkg/router.py:_set_telemetry()`, called by `pkg/router.py:TopKRouter.route` and `pkg/none.py:f`.\n\n"
      "The function `register_rank_strategy` and the names `router_metrics.loss` are the library's.\n\n"
      "The rest lives on the `dev` branch under `pkg/lite/`.\n";
  EXPECT_EQ(messages_of(after),
            (Messages{"docs/telemetry.md:4 this line of the documentation does not hold after the change: "
                      "`pkg.router` has no `get_telemetry` to import",
                      "docs/telemetry.md:8 this line of the documentation does not hold after the change: "
                      "`pkg/router.py` has no `_set_telemetry`"}));
}

TEST(StaleDocumentation, IsSilentWhereNothingBecomesFalse) {
  EXPECT_EQ(messages_of(kBefore), Messages{});
  Files after = kBefore;
  after["pkg/router.py"] += "\n\ndef more(x):\n    return load_balance(x)\n";
  after["docs/guide.md"] += "\nMore of it is in `pkg/router.py:more`.\n";
  EXPECT_EQ(messages_of(after), Messages{});
}

TEST(StaleDocumentation, IsSilentWhereTheChangeCorrectsTheLine) {
  Files after = kBefore;
  after["pkg/router.py"] = replace_all(after["pkg/router.py"], "load_balance", "balance_loss");
  after["docs/guide.md"] = replace_all(after["docs/guide.md"], "load_balance", "balance_loss");
  EXPECT_EQ(messages_of(after), Messages{});
}

}  // namespace
}  // namespace lockstep::playbook
