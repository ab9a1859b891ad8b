// The conditions that decide whether changed code runs: of the changed steps, around them, and on the last calls of the
// way there.
#pragma once

#include <cstddef>
#include <vector>

#include "report/story/story.h"
#include "report/ways/conditions/given_settings.h"
#include "report/ways/conditions/settings_behind.h"

namespace lockstep::report {

/// A condition that decides over changed code.
struct DecidingCondition {
  const python::Expr* expression;
  bool negated;
  const SourceText* source;
  GuardScope scope;
  std::size_t central;
  bool is_changed;               ///< The condition itself is new or changed.
  program::FunctionId function;  ///< That it stands in; may be none.
  bool guards_all = false;       ///< All changed steps of the function stand in one branch of it.
  bool is_check = false;  ///< The branch only refuses, warns, or gives settings other values: it turns nothing on.
  std::vector<ReadSetting> reads = {};       ///< What it asks for by name.
  std::vector<ReadSetting> stands_for = {};  ///< And through locals and parameters.
  std::vector<SettingBehind> behind = {};    ///< Without which what it asks for is not there.
  bool only_behind = false;                  ///< Far away on the way: of what it asks for itself nothing is told.
  bool is_held = false;                      ///< It is the value of a local that a condition asks for.
};

/// Conditions of changed steps, around them, and on the last calls of the way there; the lead's first.
std::vector<DecidingCondition> conditions_of(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
