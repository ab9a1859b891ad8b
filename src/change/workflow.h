// Text of a GitHub workflow -> what starts it, its jobs in order with what they wait for, call and do; and two versions
// of one -> what differs in it, as clauses for summaries and documents.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "change/yaml_text.h"

namespace lockstep::change {

struct WorkflowJob {
  std::string name;  ///< Its key.
  std::uint32_t line = 0;
  std::vector<std::string> needs;  ///< Jobs that it waits for.
  std::string uses;                ///< The workflow that it calls; may be empty.
  std::string runs_on;             ///< May be empty.
  std::vector<std::string> steps;  ///< Their names; of a step without one, what it uses or runs.
};

struct Workflow {
  std::string name;  ///< May be empty.
  /// In back-quotes, with branches and times: "`push` to `main`", "`schedule` `0 9 * * *`".
  std::vector<std::string> triggers;
  std::vector<WorkflowJob> jobs;
};

/// By its path alone.
bool is_workflow(std::string_view path);
Workflow workflow_of(const YamlNode& root);
/// Jobs that only one side has, or that differ.
std::set<std::string> changed_jobs(const YamlNode& before, const YamlNode& after);

/// Of a new file: what starts it and its jobs. Of a changed one: triggers, jobs that come and go, and of each changed
/// job what it waits for, calls, runs on and does otherwise; at most `most`, and then how many more. Empty where
/// nothing that can be told differs. `before` has no children for a new file, `after` none for a deleted one.
std::vector<std::string> workflow_clauses(const YamlNode& before, const YamlNode& after, std::size_t most);

}  // namespace lockstep::change
