// A review rule: one problem it knows, run over a whole program (check) or over what a change introduces (review).
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "change/change.h"
#include "mesh/mesh.h"
#include "program/program.h"
#include "program/queries.h"
#include "rules/finding.h"
#include "rules/settings.h"

namespace lockstep::rules {

/// What a rule may look at.
struct RuleContext {
  const program::Program& program;                 ///< The after side (review) or the tree (check).
  const program::Program* before = nullptr;        ///< The before side; null in check.
  const change::Change* change = nullptr;          ///< Null in check.
  const mesh::MeshAnalysis& mesh;                  ///< Of `program`; only for rules that need it.
  const std::vector<program::Reached>& step_path;  ///< Of `program`: what runs every training step.
  const Settings& settings;
  /// check: report only in these paths (all when empty). Rules may skip other files, the report drops them anyway.
  std::span<const std::string> paths;
  const mesh::MeshOnDemand* mesh_before = nullptr;  ///< Of `before`; null in check.
  const repo::Snapshot* files = nullptr;            ///< Of `program`, all kinds; null where they are not at hand.
  const repo::Snapshot* files_before = nullptr;     ///< Of `before`, likewise; null in check.
};

/// One rule. Rules are listed in rule_list.cpp and nowhere else; each has docs/rules/ID.md, a firing and a silent
/// fixture.
struct Rule {
  std::string_view id;       ///< Kebab-case, names the problem.
  std::string_view summary;  ///< One line.
  Category category;
  Severity highest;   ///< The highest severity it ever gives.
  bool needs_change;  ///< Speaks only of changes: silent in check.
  /// Appends findings. In review a rule may report anywhere (callers outside the diff too) if the change introduced it.
  /// Null for a rule about files that are no Python: its own room finds, and the driver asks it.
  void (*run)(const RuleContext& context, std::vector<Finding>& findings);
  bool needs_mesh = false;  ///< Reads the mesh analysis: others may run before there is one.
};

/// All rules, in the order of the documentation.
std::span<const Rule> all_rules();
/// Null where no rule has this id.
const Rule* find_rule(std::string_view id);
/// The id that is most likely meant by one that is no rule's (nearest_rules.h has more); empty where none is near.
std::string_view nearest_rule(std::string_view id);

}  // namespace lockstep::rules
