// What a user can set about the rules (lockstep.toml or [tool.lockstep] of pyproject.toml; read by report/config).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/call_model.h"
#include "rules/finding.h"

namespace lockstep::rules {

struct Settings {
  std::vector<std::string> disabled_rules;
  std::map<std::string, Severity> severities;   ///< Rule id -> severity that replaces its own.
  std::vector<std::string> hot_entry_points;    ///< Globs on qualified names; empty: the built-in table.
  std::vector<std::string> excluded_paths;      ///< Globs of paths that are read but not reported on.
  std::vector<program::CallModel> call_models;  ///< The user's additions to the call graph's table of models.
  std::map<std::string, std::vector<std::string>> group_getters;  ///< Qualified name -> dimensions its group spans.
};

}  // namespace lockstep::rules
