// What a user can set about the rules (lockstep.toml or [tool.lockstep] of pyproject.toml; read by report/config).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/call_model.h"
#include "rules/finding.h"

namespace lockstep::rules {

/// A rule that the repository has written down for itself ([[written]]).
struct WrittenRule {
  std::string name;                     ///< As findings call it.
  std::vector<std::string> paths;       ///< Globs of the files it is about; empty: all.
  std::vector<std::string> except;      ///< Globs of files among them that it is not about.
  std::vector<std::string> forbid;      ///< Globs of dotted names that may not be used.
  std::vector<std::string> raise_only;  ///< Errors that may be raised; empty: any.
  std::int64_t line_length = 0;         ///< Characters in a line at most; 0: any number.
  std::string say;                      ///< The fix that a finding gives; may be empty.
  Severity severity = Severity::kP2;
};

struct Settings {
  std::vector<std::string> disabled_rules;
  std::map<std::string, Severity> severities;   ///< Rule id -> severity that replaces its own.
  std::vector<std::string> hot_entry_points;    ///< Globs on qualified names; empty: the built-in table.
  std::vector<std::string> excluded_paths;      ///< Globs of paths that are read but not reported on.
  std::vector<program::CallModel> call_models;  ///< The user's additions to the call graph's table of models.
  std::map<std::string, std::vector<std::string>> group_getters;  ///< Qualified name -> dimensions its group spans.
  std::vector<WrittenRule> written;
};

}  // namespace lockstep::rules
