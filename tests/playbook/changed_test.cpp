// Changes that make lines of a playbook false, and changes that do not; settings that playbooks ask for.
#include "playbook/changed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/strings.h"
#include "playbook/propose.h"
#include "playbook/value.h"
#include "program/link.h"

namespace lockstep::playbook {
namespace {

using Files = std::map<std::string, std::string>;

const Files kBefore = {
    {"pkg/__init__.py", ""},
    {"pkg/router.py",
     "class TopKRouter:\n    def route(self, scores):\n        return scores\n\n\ndef load_balance(x):\n"
     "    return x\n"},
    {"tests/test_router.py", "from pkg.router import TopKRouter\n\n\ndef test_topk():\n    assert TopKRouter()\n"},
    {"pyproject.toml",
     "[project]\nname = \"small\"\nrequires-python = \">=3.10\"\ndependencies = [\"black==24.4.2\"]\n"},
    {"AGENTS.md",
     "# Notes\n\n"
     "- One test: `pytest tests/test_router.py -k topk`\n"
     "- The router is `pkg/router.py`, its loss `pkg.router.load_balance`.\n"
     "- Formatted by black 24.4.\n"
     "- Sorting is in `pkg/sorter.py`.\n"
     "- There is no Makefile.\n"},
};

program::Program linked(const Files& files) {
  std::vector<program::SourceFile> sources;
  for (const auto& [path, bytes] : files) {
    if (path.ends_with(".py")) sources.push_back({path, python::extract_facts(bytes)});
  }
  return program::link(std::move(sources), {});
}

std::vector<rules::Finding> made_false(const Files& after) {
  const repo::Snapshot old_files = repo::memory_snapshot(kBefore), new_files = repo::memory_snapshot(after);
  const program::Program old_program = linked(kBefore), new_program = linked(after);
  const repo::SnapshotDiff diff = repo::diff_snapshots(old_files, new_files);
  return lines_made_false({old_files, new_files, old_program, new_program, diff, 1});
}

std::vector<std::string> messages_of(const Files& after) {
  std::vector<std::string> messages;
  for (const rules::Finding& finding : made_false(after)) {
    EXPECT_EQ(finding.rule, "stale-playbook");
    EXPECT_EQ(finding.severity, rules::Severity::kP2);
    EXPECT_FALSE(finding.fix.empty());
    messages.push_back(fmt::format("{}:{} {}", finding.path, finding.start_line + 1, finding.message));
  }
  return messages;
}

using Messages = std::vector<std::string>;

TEST(StalePlaybook, TellsOfARenamedFileWithTheNewLine) {
  Files after = kBefore;
  after["pkg/routing.py"] = after["pkg/router.py"];
  after.erase("pkg/router.py");
  after["pkg/__init__.py"] = "from pkg.routing import load_balance\n";
  after["tests/test_router.py"] = "from pkg.routing import TopKRouter\n\n\ndef test_topk():\n    assert TopKRouter()\n";
  const std::vector<rules::Finding> findings = made_false(after);
  ASSERT_FALSE(findings.empty());
  const rules::Finding& path = findings.front();
  EXPECT_EQ(path.message, "the change makes this line false: there is no `pkg/router.py`");
  EXPECT_EQ(path.fix, "write `pkg/routing.py`");
  EXPECT_EQ(path.suggestion, "- The router is `pkg/routing.py`, its loss `pkg.router.load_balance`.\n");
  ASSERT_EQ(path.evidence.size(), 1u);
  EXPECT_EQ(path.evidence[0].path, "pkg/routing.py");
}

TEST(StalePlaybook, TellsOfATestThatGoes) {
  Files after = kBefore;
  after["tests/test_router.py"] = "from pkg import router\n\n\ndef test_best():\n    assert router.load_balance(1)\n";
  EXPECT_EQ(messages_of(after), Messages{"AGENTS.md:3 the change makes this line false: no test in "
                                         "`tests/test_router.py` matches `-k topk`"});
}

TEST(StalePlaybook, TellsOfAVersionThatMoves) {
  Files after = kBefore;
  after["pyproject.toml"] = replace_all(after["pyproject.toml"], "24.4.2", "26.3.0");
  EXPECT_EQ(messages_of(after), Messages{"AGENTS.md:5 the change makes this line false: black 24.4 is not what "
                                         "`pyproject.toml` says: `==26.3.0`"});
}

TEST(StalePlaybook, TellsOfAFileThatALineDenies) {
  Files after = kBefore;
  after["Makefile"] = "test:\n\tpytest\n";
  EXPECT_EQ(messages_of(after), Messages{"AGENTS.md:7 the change makes this line false: there is one: `Makefile`"});
}

TEST(StalePlaybook, TellsOfAFalseLineThatTheChangeWrites) {
  Files after = kBefore;
  after["AGENTS.md"] += "- Kernels are in `pkg/kernels.py`.\n";
  EXPECT_EQ(messages_of(after),
            Messages{"AGENTS.md:8 this line of the playbook is false: there is no `pkg/kernels.py`"});
}

TEST(StalePlaybook, IsSilentWhereNothingBecomesFalse) {
  EXPECT_EQ(messages_of(kBefore), Messages{});
  Files after = kBefore;  // What was false before stays another's affair.
  after["pkg/router.py"] += "\n\ndef more(x):\n    return x\n";
  after["pkg/other.py"] = "def f():\n    pass\n";
  EXPECT_EQ(messages_of(after), Messages{});
  after.erase("AGENTS.md");
  after.erase("pkg/router.py");
  EXPECT_EQ(messages_of(after), Messages{});
}

TEST(StalePlaybook, IsSilentWhereTheChangeCorrectsTheLine) {
  Files after = kBefore;
  after["tests/test_routing.py"] = after["tests/test_router.py"];
  after.erase("tests/test_router.py");
  after["AGENTS.md"] = replace_all(after["AGENTS.md"], "tests/test_router.py", "tests/test_routing.py");
  EXPECT_EQ(messages_of(after), Messages{});
}

TEST(PlaybookRules, ProposesWhatTheConfigurationCanSay) {
  const Files files = {
      {"AGENTS.md",
       "# Rules\n\n"
       "- A training step must never call `.item()`.\n"
       "- Every rank of the group must call the collective in the same order.\n"
       "- Do not edit `third_party/lib/`: it is vendored.\n"
       "- Do not edit `none/`.\n"
       "- Guard the import of `apex` with try/except ImportError, you should.\n"
       "- Never use `print`; do not call `torch.cuda.synchronize()` here.\n"
       "- Use `torch.load` with care, and never `forward` alone.\n"
       "- Tabs are \"evil\".\n"},
      {"third_party/lib/a.py", ""},
  };
  const repo::Snapshot snapshot = repo::memory_snapshot(files);
  const Paths paths(snapshot);
  const Playbooks playbooks = read_playbooks(snapshot, paths, {});
  const std::string toml = proposals_as_toml(propose_rules(playbooks, paths, {}));
  EXPECT_EQ(toml, R"(# Proposed from the playbooks. Nothing here is in force until it stands in lockstep.toml.

[paths]
exclude = [
  # AGENTS.md:5: - Do not edit third_party/lib/: it is vendored.
  "third_party/lib/**",
]

[rules.severity]
# AGENTS.md:3: - A training step must never call .item().
host-sync-in-step = "P1"
# AGENTS.md:4: - Every rank of the group must call the collective in the same order.
rank-divergent-collective = "P1"
# AGENTS.md:7: - Guard the import of apex with try/except ImportError, you should.
unguarded-import = "P2"

[[written]]
# AGENTS.md:8: - Never use print; do not call torch.cuda.synchronize() here.
name = "no print"
forbid = ["print"]

[[written]]
# AGENTS.md:8: - Never use print; do not call torch.cuda.synchronize() here.
name = "no torch.cuda.synchronize"
forbid = ["torch.cuda.synchronize"]
)");
}

TEST(PlaybookRules, LeavesOutWhatIsSaidAlready) {
  const Files files = {{"AGENTS.md", "A training step must never call `.item()`.\n"}};
  const repo::Snapshot snapshot = repo::memory_snapshot(files);
  const Paths paths(snapshot);
  const Playbooks playbooks = read_playbooks(snapshot, paths, {});
  EXPECT_EQ(propose_rules(playbooks, paths, {}).size(), 1u);
  rules::Settings settings;
  settings.severities["host-sync-in-step"] = rules::Severity::kP3;
  EXPECT_TRUE(propose_rules(playbooks, paths, settings).empty());
  rules::Settings off;
  off.disabled_rules = {"host-sync-in-step"};
  EXPECT_TRUE(propose_rules(playbooks, paths, off).empty());
  EXPECT_TRUE(parse_toml(proposals_as_toml({})).members.empty());
}

TEST(PlaybookRules, IsValidWhateverThePlaybookSays) {
  const Files files = {
      {"AGENTS.md", "A step must never call \"\"\" .item() \x01 ]] = [\n# [rules]\ndisable = [\"x\"]\n"}};
  const repo::Snapshot snapshot = repo::memory_snapshot(files);
  const Paths paths(snapshot);
  const std::string toml = proposals_as_toml(propose_rules(read_playbooks(snapshot, paths, {}), paths, {}));
  EXPECT_EQ(parse_toml(toml)["rules"]["severity"]["host-sync-in-step"].scalar, "P1") << toml;
}

}  // namespace
}  // namespace lockstep::playbook
