// What CI runs on a change: workflows that a pull request or a push starts, with the test and lint commands in them.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "playbook/draft.h"

namespace lockstep::playbook {

namespace {

struct Run {
  std::string path, name, command;  // command: may be empty
  std::vector<std::string> jobs;
  std::uint32_t line = 0;  // of the command, else 0
  bool on_pull_request = false;
  int weight = 0;  // of the command
};

// "on: push", "on: [push, pull_request]", "on: {pull_request: …}"
bool starts_on(const Value& on, std::string_view event) {
  const std::vector<std::string> texts = on.texts();
  if (std::find(texts.begin(), texts.end(), event) != texts.end()) return true;
  return on[event].exists() ||
         std::any_of(on.members.begin(), on.members.end(), [&](const auto& member) { return member.key == event; });
}

/// How much a command says of what a change must pass; 0: nothing. A script of this repository must be there.
int weight_of(std::string_view command, const Paths& paths) {
  if (command.size() > 100 || command.find_first_of("$\\|`{<>;") != std::string_view::npos) return 0;
  const bool side = contains(command, "experiment") || contains(command, "example");
  const bool tests = command == "pytest" || contains(command, "pytest ");
  if (tests && !contains(command, "pip ")) return side ? 4 : 9;
  if (contains(command, "link-check") || contains(command, "lychee")) return 0;
  if (command.starts_with("pre-commit run") || command.starts_with("tox")) return 7;
  if (command.starts_with("make ")) return 5;
  if (command.starts_with("bash ")) {
    const std::string_view script = command.substr(5, command.find(' ', 5) - 5);
    const bool tells = contains(script, "test") || contains(script, "lint") || contains(script, "format");
    return tells && paths.has_file(script) ? (side ? 3 : 6) : 0;
  }
  return 0;
}

// The command of a workflow that says most; shell variables of CI mean nothing elsewhere.
void find_command(std::string_view text, const Paths& paths, Run& run) {
  std::uint32_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    std::string_view command = trim(line);
    for (const std::string_view lead : {"- run: ", "run: "}) {
      if (command.starts_with(lead)) command = trim(command.substr(lead.size()));
    }
    if (const int weight = weight_of(command, paths); weight > run.weight) {
      run.command = command;
      run.line = number;
      run.weight = weight;
    }
    ++number;
  }
}

/// Tests before lint before what only prepares or reports them; 9: neither.
int rank_of_job(std::string_view id) {
  for (const std::string_view side : {"notify", "parse", "summary", "wait", "gate", "downstream"}) {
    if (contains(id, side)) return 4;
  }
  if (contains(id, "unit")) return 0;
  if (contains(id, "integration") || contains(id, "functional")) return 1;
  if (contains(id, "lint")) return 2;
  return contains(id, "test") ? 3 : 9;
}

}  // namespace

void draft_ci(const DraftInputs& inputs, DraftSection& section) {
  std::vector<Run> runs;
  for (const Workflow& workflow : inputs.ground.tools.workflows) {
    const Result<std::string> text = inputs.ground.snapshot.read(workflow.path);
    if (!text || text->size() > kMaxConfigBytes) continue;
    const Value root = parse_yaml(*text);
    // YAML 1.1 readers take the key `on` for a truth value.
    const Value& on = root["on"].exists() ? root["on"] : root["true"];
    Run run{workflow.path, workflow.name, {}, {}, 0, starts_on(on, "pull_request"), 0};
    if (!run.on_pull_request && !starts_on(on, "push") && !starts_on(on, "merge_group")) continue;
    find_command(*text, inputs.ground.paths, run);
    for (const auto& [id, job] : root["jobs"].members) {
      if (rank_of_job(id) < 4) run.jobs.push_back(id);
    }
    std::stable_sort(run.jobs.begin(), run.jobs.end(),
                     [](const auto& a, const auto& b) { return rank_of_job(a) < rank_of_job(b); });
    const std::string name = to_lower(run.name);
    const bool housekeeping = contains(name, "cache") || contains(name, "release") || contains(name, "publish");
    const bool tells = !run.command.empty() || !run.jobs.empty();
    if (tells && !housekeeping && !run.name.empty() && run.name.find('`') == std::string::npos)
      runs.push_back(std::move(run));
  }
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    const auto rank = [](const Run& run) {
      const bool tests = run.weight >= 9 || (!run.jobs.empty() && rank_of_job(run.jobs.front()) <= 1);
      const bool lints = !run.jobs.empty() && rank_of_job(run.jobs.front()) == 2;
      return std::tuple(!tests, -std::max(run.weight, lints ? 5 : 0), !run.on_pull_request);
    };
    return rank(a) < rank(b);
  });
  if (runs.size() > 3) runs.resize(3);
  int worth = 68;
  for (const Run& run : runs) {
    std::string text = run.command.empty() ? std::string() : fmt::format("`{}`", run.command);
    // A command that tests says it all.
    if (run.weight < 9 && !run.jobs.empty())
      text += fmt::format("{}jobs {}", text.empty() ? "" : "; ", quoted_list(run.jobs, 4, true));
    section.lines.push_back(
        {fmt::format("CI, `{}`", run.name), fmt::format("{} (`{}`).", text, run.path), worth, {{run.path, run.line}}});
    worth -= 6;
  }
}

}  // namespace lockstep::playbook
