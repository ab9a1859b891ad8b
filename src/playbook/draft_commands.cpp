// Commands that exist: tests, lint, build targets.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "playbook/draft.h"

namespace lockstep::playbook {

namespace {

/// What rewrites a file is met first, then what refuses it, then what looks at other things than code.
int rank_of_hook(std::string_view id) {
  for (const std::string_view tool : {"black", "ufmt", "isort", "usort", "format", "yapf", "autopep8", "prettier"}) {
    if (contains(id, tool)) return 0;
  }
  for (const std::string_view other : {"link", "license", "spell", "typos", "commit", "large"}) {
    if (contains(id, other)) return 2;
  }
  return 1;
}

void draft_lint(const DraftInputs& inputs, DraftSection& section) {
  const Tools& tools = inputs.ground.tools;
  if (tools.has_pre_commit && !tools.hooks.empty()) {
    DraftLine line{"Lint", {}, 90, {}};
    std::vector<std::string> hooks;
    for (const auto& [id, place] : tools.hooks) {
      // Housekeeping that says nothing of how to write code.
      if (id.starts_with("check-") || id.starts_with("no-") || id.starts_with("end-of") || id.starts_with("trailing"))
        continue;
      hooks.push_back(id);
      if (line.sources.empty()) line.sources.push_back(place);
    }
    std::stable_sort(hooks.begin(), hooks.end(),
                     [](const auto& a, const auto& b) { return rank_of_hook(a) < rank_of_hook(b); });
    line.text = fmt::format("`pre-commit run -a` ({}).", quoted_list(hooks, 6, true));
    if (!hooks.empty()) section.lines.push_back(std::move(line));
  }
  for (const std::string& path : inputs.ground.paths.files()) {
    const std::string_view name = name_of(path);
    const bool shallow = std::count(path.begin(), path.end(), '/') <= 1;
    if (!shallow || !name.ends_with(".sh") || path.starts_with('.')) continue;
    if (contains(name, "format") || contains(name, "lint"))
      section.lines.push_back(
          {contains(name, "format") ? "Format" : "Lint script", fmt::format("`bash {}`.", path), 80, {{path, 0}}});
  }
}

// A tool that is told to leave long lines alone says nothing of their length.
bool is_length_ignored(const Tools& tools, std::string_view tool) {
  return std::any_of(tools.lint_rules.begin(), tools.lint_rules.end(), [&](const LintRule& rule) {
    return rule.tool == tool && !rule.on && (rule.code == "E501" || rule.code == "line-too-long");
  });
}

// What the formatters are told; a line length is no guess.
void draft_style(const DraftInputs& inputs, DraftSection& section) {
  const Tools& tools = inputs.ground.tools;
  DraftLine line{"Line length", {}, 75, {}};
  std::vector<std::string> parts;
  std::set<std::string> told;
  for (const LineLength& length : tools.line_lengths) {
    if (is_length_ignored(tools, length.tool) || !told.insert(length.tool).second) continue;
    parts.push_back(fmt::format("{} {}", length.tool, length.value));
    line.sources.push_back(length.place);
  }
  if (parts.empty()) return;
  line.text = fmt::format("{}.", join(parts, ", "));
  section.lines.push_back(std::move(line));
}

void draft_make(const DraftInputs& inputs, DraftSection& section) {
  const auto targets = inputs.ground.tools.make_targets.find("");
  if (targets == inputs.ground.tools.make_targets.end()) return;
  DraftLine line{"Make targets", {}, 65, {}};
  std::vector<std::string> names;
  for (const auto& [name, place] : targets->second) {
    if (name.starts_with('.') || name.find_first_of("%$/=") != std::string::npos) continue;
    names.push_back("make " + name);
    line.sources.push_back(place);
  }
  if (names.empty()) return;
  line.text = fmt::format("{}.", quoted_list(names, 8, true));
  section.lines.push_back(std::move(line));
}

}  // namespace

DraftSection draft_commands(const DraftInputs& inputs) {
  DraftSection section{"Commands", {}};
  draft_tests(inputs, section);
  draft_lint(inputs, section);
  draft_style(inputs, section);
  draft_make(inputs, section);
  draft_ci(inputs, section);
  return section;
}

}  // namespace lockstep::playbook
