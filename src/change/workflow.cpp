#include "change/workflow.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "change/settings_diff.h"
#include "change/summary.h"

namespace lockstep::change {

namespace {

using Names = std::vector<std::string>;

Names quoted(const Names& names) {
  Names out;
  for (const std::string& name : names) out.push_back(quoted_name(name));
  return out;
}

/// Those of `names` that `others` lacks.
Names lacking(const Names& others, const Names& names) {
  Names out;
  for (const std::string& name : names) {
    if (std::find(others.begin(), others.end(), name) == others.end()) out.push_back(name);
  }
  return out;
}

/// The same, in back-quotes.
Names missing_in(const Names& others, const Names& names) { return quoted(lacking(others, names)); }

std::string step_name(const YamlNode& step, std::size_t number) {
  for (const std::string_view key : {"name", "uses", "id", "run"}) {
    std::string_view text = step.text_of(key);
    if (key == "uses") text = text.substr(0, text.find('@'));
    text = text.substr(0, text.find('\n'));
    if (!text.empty()) return std::string(text.substr(0, 60));
  }
  return fmt::format("step {}", number);
}

/// " (only for changes in `docs/**`)" of an event that only some files start.
std::string paths_words(const YamlNode& event) {
  constexpr std::size_t kMost = 3;
  for (const std::string_view key : {"paths", "paths-ignore"}) {
    const YamlNode* paths = event.find(key);
    if (paths == nullptr || paths->items().empty()) continue;
    Names shown = quoted(paths->items());
    const std::size_t all = shown.size();
    if (all > kMost) shown.resize(kMost - 1);
    if (all > kMost) shown.push_back(fmt::format("{} more", all - shown.size()));
    return fmt::format(" (only for changes {} {})", key == "paths" ? "in" : "outside", list_names(shown));
  }
  return {};
}

std::string trigger_words(const YamlNode& event) {
  std::string out = quoted_name(event.is_item ? event.value : event.key);
  if (const YamlNode* branches = event.find("branches"); branches != nullptr && !branches->items().empty())
    out += " to " + list_names(quoted(branches->items()));
  if (const YamlNode* types = event.find("types"); types != nullptr && !types->items().empty())
    out += " of " + list_names(quoted(types->items()));
  out += paths_words(event);
  if (event.key != "schedule") return out;
  Names times;
  for (const YamlNode& entry : event.children) {
    const std::string_view cron = entry.text_of("cron");
    if (!cron.empty()) times.push_back(quoted_name(cron));
  }
  return times.empty() ? out : fmt::format("{} at {}", out, list_names(times));
}

Names triggers_of(const YamlNode& root) {
  Names out;
  const YamlNode* on = root.find("on");
  if (on == nullptr) return out;
  for (const std::string& event : on->items()) out.push_back(quoted_name(event));
  for (const YamlNode& event : on->children) {
    if (!event.is_item) out.push_back(trigger_words(event));
  }
  return out;
}

const YamlNode& jobs_node(const YamlNode& root) {
  static const YamlNode kNone;
  const YamlNode* jobs = root.find("jobs");
  return jobs == nullptr ? kNone : *jobs;
}

/// The node without the named keys: what is told of them is told apart.
YamlNode without_keys(const YamlNode& node, std::initializer_list<std::string_view> keys) {
  YamlNode out = node;
  std::erase_if(out.children,
                [&](const YamlNode& child) { return std::find(keys.begin(), keys.end(), child.key) != keys.end(); });
  return out;
}

bool same(const YamlNode& a, const YamlNode& b) {
  return a.key == b.key && a.value == b.value &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(), same);
}

Names items_of(const YamlNode* node) { return node == nullptr ? Names{} : node->items(); }

const YamlNode* step_called(const YamlNode* steps, const std::string& name) {
  if (steps == nullptr) return nullptr;
  std::size_t number = 0;
  for (const YamlNode& step : steps->children) {
    if (step_name(step, ++number) == name) return &step;
  }
  return nullptr;
}

/// "also runs `x`" where one command comes or goes, else "runs other commands".
std::string command_words(std::string_view before, std::string_view after) {
  const auto commands = [](std::string_view text) {
    Names out;
    for (const std::string_view line : split_lines(text)) {
      if (!trim(line).empty() && !trim(line).starts_with('#')) out.emplace_back(trim(line));
    }
    return out;
  };
  const Names old_ones = commands(before), now = commands(after);
  const Names come = missing_in(old_ones, now), gone = missing_in(now, old_ones);
  if (come.size() == 1 && gone.empty()) return "also runs " + come.front();
  if (gone.size() == 1 && come.empty()) return "no longer runs " + gone.front();
  return come.empty() && gone.empty() ? std::string() : "runs other commands";
}

/// "takes `a/b` at `v2` instead of `v1`".
std::string action_words(std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::size_t at = after.find('@');
  if (at == std::string_view::npos || before.substr(0, before.find('@')) != after.substr(0, at))
    return fmt::format("uses {} instead of {}", quoted_name(after), quoted_name(before));
  const auto version = [](std::string_view text) { return quoted_name(text.substr(text.find('@') + 1).substr(0, 12)); };
  return fmt::format("takes {} at {} instead of {}", quoted_name(after.substr(0, at)), version(after), version(before));
}

/// "step `x` sets `with.y` to `2` (was `1`)"; of several edits "changes step `x` (commands, `env.A`, `env.B`)".
std::string step_clause(const std::string& name, const YamlNode& before, const YamlNode& after) {
  std::vector<std::string> said;
  for (std::string words : {command_words(before.text_of("run"), after.text_of("run")),
                            action_words(before.text_of("uses"), after.text_of("uses"))}) {
    if (!words.empty()) said.push_back(std::move(words));
  }
  const auto settings = [](const YamlNode& step) {
    return settings_of_yaml(without_keys(step, {"run", "name", "uses"}));
  };
  const auto rest = setting_clauses(settings(before), settings(after), 4);
  said.insert(said.end(), rest.begin(), rest.end());
  if (said.empty()) return {};
  if (said.size() == 1) return fmt::format("step {} {}", quoted_name(name), said.front());
  return fmt::format("changes step {} ({})", quoted_name(name), join(said, ", "));
}

void add_steps(const YamlNode& before, const YamlNode& after, std::vector<std::string>& said) {
  const YamlNode* old_steps = before.find("steps");
  const YamlNode* steps = after.find("steps");
  Names old_names, names;
  const auto collect = [](const YamlNode* node, Names& out) {
    if (node == nullptr) return;
    for (const YamlNode& step : node->children) out.push_back(step_name(step, out.size() + 1));
  };
  collect(old_steps, old_names);
  collect(steps, names);
  const Names come = missing_in(old_names, names), gone = missing_in(names, old_names);
  if (!come.empty()) said.push_back(fmt::format("adds {} {}", come.size() == 1 ? "step" : "steps", list_names(come)));
  if (!gone.empty()) {
    said.push_back(gone.size() == old_names.size() && gone.size() > 1
                       ? fmt::format("drops its {} steps", gone.size())
                       : fmt::format("drops {} {}", gone.size() == 1 ? "step" : "steps", list_names(gone)));
  }
  for (const std::string& name : names) {
    const YamlNode* old_step = step_called(old_steps, name);
    const YamlNode* step = step_called(steps, name);
    if (old_step == nullptr || same(*old_step, *step)) continue;
    std::string clause = step_clause(name, *old_step, *step);
    if (!clause.empty()) said.push_back(std::move(clause));
  }
}

/// What a changed job does otherwise.
std::string job_clause(const std::string& name, const YamlNode& before, const YamlNode& after) {
  std::vector<std::string> said;
  const std::string_view old_uses = before.text_of("uses"), uses = after.text_of("uses");
  if (uses != old_uses && !uses.empty()) said.push_back(fmt::format("now calls {}", quoted_name(uses)));
  if (uses.empty() && !old_uses.empty()) said.push_back(fmt::format("no longer calls {}", quoted_name(old_uses)));
  const Names old_needs = items_of(before.find("needs")), needs = items_of(after.find("needs"));
  const Names come = missing_in(old_needs, needs), gone = missing_in(needs, old_needs);
  if (!come.empty()) said.push_back("now waits for " + list_names(come));
  if (!gone.empty()) said.push_back("no longer waits for " + list_names(gone));
  if (before.text_of("if") != after.text_of("if")) {
    said.emplace_back(after.text_of("if").empty()    ? "runs without a condition"
                      : before.text_of("if").empty() ? "runs under a condition"
                                                     : "runs under another condition");
  }
  add_steps(before, after, said);
  const auto rest_of = [](const YamlNode& job) {
    return settings_of_yaml(without_keys(job, {"uses", "needs", "if", "steps"}));
  };
  const auto rest = setting_clauses(rest_of(before), rest_of(after), 3);
  said.insert(said.end(), rest.begin(), rest.end());
  return said.empty() ? std::string() : fmt::format("job {}: {}", quoted_name(name), join(said, ", "));
}

void add_triggers(const YamlNode& before, const YamlNode& after, std::vector<std::string>& out) {
  const Names old_ones = triggers_of(before), now = triggers_of(after);
  const Names come = lacking(old_ones, now), gone = lacking(now, old_ones);
  if (old_ones.empty() && !now.empty()) {
    out.push_back("runs on " + list_names(now, 4));
  } else if (!come.empty() && !gone.empty()) {
    out.push_back(fmt::format("runs on {} instead of {}", list_names(come), list_names(gone)));
  } else if (!come.empty()) {
    out.push_back("also runs on " + list_names(come));
  } else if (!gone.empty()) {
    out.push_back("no longer runs on " + list_names(gone));
  } else if (const YamlNode* old_on = before.find("on"), *on = after.find("on"); old_on != nullptr && on != nullptr) {
    for (const std::string& clause : setting_clauses(settings_of_yaml(*old_on), settings_of_yaml(*on), 3))
      out.push_back("its trigger " + clause);
  }
}

void add_jobs(const YamlNode& before, const YamlNode& after, std::vector<std::string>& out) {
  const auto names = [](const YamlNode& root) {
    Names all;
    for (const YamlNode& job : jobs_node(root).children) all.push_back(job.key);
    return all;
  };
  const auto told = [](std::string_view verb, const Names& jobs) {
    return fmt::format("{} {} {}", verb, jobs.size() == 1 ? "job" : "jobs", list_names(jobs, 4));
  };
  const Names come = missing_in(names(before), names(after)), gone = missing_in(names(after), names(before));
  if (!come.empty()) out.push_back(told("adds", come));
  for (const YamlNode& job : jobs_node(after).children) {
    const YamlNode* old_job = jobs_node(before).find(job.key);
    if (old_job == nullptr || same(*old_job, job)) continue;
    std::string clause = job_clause(job.key, *old_job, job);
    if (!clause.empty()) out.push_back(std::move(clause));
  }
  if (!gone.empty()) out.push_back(told("removes", gone));
}

}  // namespace

bool is_workflow(std::string_view path) {
  const std::string lower = to_lower(path);
  return contains(lower, ".github/workflows/") && (lower.ends_with(".yml") || lower.ends_with(".yaml"));
}

Workflow workflow_of(const YamlNode& root) {
  Workflow out;
  out.name = std::string(root.text_of("name"));
  out.triggers = triggers_of(root);
  for (const YamlNode& node : jobs_node(root).children) {
    WorkflowJob job;
    job.name = node.key;
    job.line = node.line;
    job.needs = items_of(node.find("needs"));
    job.uses = std::string(node.text_of("uses"));
    const Names runners = items_of(node.find("runs-on"));
    job.runs_on = runners.empty() ? std::string() : runners.front();
    if (const YamlNode* steps = node.find("steps"); steps != nullptr) {
      for (const YamlNode& step : steps->children) job.steps.push_back(step_name(step, job.steps.size() + 1));
    }
    out.jobs.push_back(std::move(job));
  }
  return out;
}

std::set<std::string> changed_jobs(const YamlNode& before, const YamlNode& after) {
  std::set<std::string> out;
  for (const YamlNode& job : jobs_node(after).children) {
    const YamlNode* old_job = jobs_node(before).find(job.key);
    if (old_job == nullptr || !same(*old_job, job)) out.insert(job.key);
  }
  for (const YamlNode& job : jobs_node(before).children) {
    if (jobs_node(after).find(job.key) == nullptr) out.insert(job.key);
  }
  return out;
}

std::vector<std::string> workflow_clauses(const YamlNode& before, const YamlNode& after, std::size_t most) {
  std::vector<std::string> out;
  if (after.children.empty()) return out;
  add_triggers(before, after, out);
  add_jobs(before, after, out);
  if (!before.children.empty()) {
    const auto rest_of = [](const YamlNode& root) { return settings_of_yaml(without_keys(root, {"on", "jobs"})); };
    const auto rest = setting_clauses(rest_of(before), rest_of(after), 3);
    out.insert(out.end(), rest.begin(), rest.end());
  }
  if (out.size() > most) {
    const std::size_t left = out.size() - most;
    out.resize(most);
    out.push_back(count_of(left, "more change"));
  }
  return out;
}

}  // namespace lockstep::change
