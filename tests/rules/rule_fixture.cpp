#include "rules/rule_fixture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/strings.h"
#include "change/change.h"
#include "mesh/mesh.h"
#include "program/link.h"
#include "program/queries.h"
#include "repo/diff.h"
#include "repo/snapshot.h"
#include "rules/rule.h"

namespace lockstep::rules {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Files of a tree, by path below `root`; of a single file, that file.
std::map<std::string, std::string> read_tree(const fs::path& root) {
  std::map<std::string, std::string> files;
  if (fs::is_regular_file(root)) {
    files[root.filename().string()] = read_file(root);
    return files;
  }
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), root).string()] = read_file(entry.path());
  }
  return files;
}

program::Program link_tree(const std::map<std::string, std::string>& files, const program::LinkOptions& options = {}) {
  std::vector<program::SourceFile> sources;
  for (const auto& [path, bytes] : files) {
    if (path.ends_with(".py")) sources.push_back({path, python::extract_facts(bytes)});
  }
  return program::link(std::move(sources), options);
}

/// Places that comments name. `# expect: a, b` names two rules, `# expect: a P1` the severity too.
void collect_expected(const std::map<std::string, std::string>& files, const std::string& rule, std::string_view side,
                      FixtureResult& result) {
  for (const auto& [path, bytes] : files) {
    std::size_t line = 0;
    for (const std::string_view text : split_lines(bytes)) {
      ++line;
      for (const std::string_view marker : {"# expect: ", "# false-alarm: "}) {
        const std::size_t at = text.find(marker);
        if (at == std::string_view::npos) continue;
        std::string_view list = text.substr(at + marker.size());
        list = list.substr(0, list.find("  "));
        for (const std::string_view name : split(list, ',')) {
          const std::vector<std::string_view> words = split(trim(name), ' ');
          if (words.front() != rule) continue;
          result.expected.push_back(fmt::format("{}{}:{}", side, path, line));
          if (words.size() > 1) result.severities.push_back(fmt::format("{} {} ", result.expected.back(), words[1]));
        }
      }
    }
  }
}

void run_rule(const std::string& rule, const RuleContext& context, FixtureResult& result) {
  const Rule* found = find_rule(rule);
  ASSERT_NE(found, nullptr) << rule;
  std::vector<Finding> findings;
  found->run(context, findings);
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.rule, rule);
    EXPECT_FALSE(finding.message.empty());
    EXPECT_FALSE(finding.message.ends_with('.')) << finding.message;
    EXPECT_FALSE(finding.why.empty()) << finding.message;
    EXPECT_FALSE(finding.fix.empty()) << finding.message;
    EXPECT_LE(finding.severity, Severity::kP3);
    EXPECT_GE(finding.severity, found->highest);
    const std::string_view side = finding.side == Side::kBefore ? "before " : "";
    result.found.push_back(fmt::format("{}{}:{}", side, finding.path, finding.start_line + 1));
    result.messages.push_back(
        fmt::format("{} P{} {}", result.found.back(), static_cast<int>(finding.severity), finding.message));
  }
}

}  // namespace

/// The rules that fixtures of written-rule are held to.
Settings settings_for(const std::string& rule) {
  Settings settings;
  if (rule != "written-rule") return settings;
  settings.written.push_back({.name = "no print",
                              .paths = {"lib/**"},
                              .except = {"lib/cli.py"},
                              .forbid = {"print", "lib.state.get_*"},
                              .raise_only = {},
                              .line_length = 0,
                              .say = "Log it.",
                              .severity = Severity::kP1});
  settings.written.push_back({.name = "errors and lines",
                              .paths = {"lib/**"},
                              .except = {},
                              .forbid = {},
                              .raise_only = {"ValueError"},
                              .line_length = 100,
                              .say = {},
                              .severity = Severity::kP2});
  return settings;
}

FixtureResult run_fixture(const std::string& rule, const std::string& path) {
  FixtureResult result;
  const Settings settings = settings_for(rule);
  const bool is_change = fs::is_directory(fs::path(path) / "after");
  const auto after_files = read_tree(is_change ? fs::path(path) / "after" : fs::path(path));
  const program::Program after = link_tree(after_files);
  const mesh::MeshAnalysis mesh = mesh::analyse_mesh(after, {});
  const auto step_path = program::step_path(after, {});
  collect_expected(after_files, rule, "", result);
  if (is_change) {
    const auto before_files = read_tree(fs::path(path) / "before");
    // As a review links it.
    const program::Program before = link_tree(before_files, {.with_calls_of_tests = false});
    const auto before_snapshot = repo::memory_snapshot(before_files);
    const auto after_snapshot = repo::memory_snapshot(after_files);
    const repo::SnapshotDiff diff = repo::diff_snapshots(before_snapshot, after_snapshot);
    const change::Change change = change::compare(before, after, diff);
    collect_expected(before_files, rule, "before ", result);
    run_rule(rule, {after, &before, &change, mesh, step_path, settings, {}, nullptr, &after_snapshot, &before_snapshot},
             result);
  } else {
    // Without the files of other kinds: only rules that speak of changes read them.
    run_rule(rule, {after, nullptr, nullptr, mesh, step_path, settings, {}}, result);
  }
  for (const std::string& wanted : result.severities) {
    EXPECT_TRUE(std::any_of(result.messages.begin(), result.messages.end(), [&](const std::string& message) {
      return message.starts_with(wanted);
    })) << wanted;
  }
  std::sort(result.expected.begin(), result.expected.end());
  std::sort(result.found.begin(), result.found.end());
  return result;
}

std::vector<std::string> fixtures_of(const std::string& rule) {
  std::vector<std::string> paths;
  const fs::path folder = fs::path(LOCKSTEP_SOURCE_DIR) / "tests/rules/fixtures" / rule;
  if (!fs::is_directory(folder)) return paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace lockstep::rules
