// lockstep.toml, or [tool.lockstep] in pyproject.toml, -> Settings. Unknown keys and values of the wrong type are
// errors that name the key and the nearest one known: a misspelt setting that silently does nothing would switch off a
// review.
//
//   [rules]
//   disable = ["missing-test"]
//   [rules.severity]
//   host-sync-in-step = "P2"
//   [paths]
//   exclude = ["third_party/**"]
//   [mesh.groups]
//   "mylib.mesh.get_row_group" = ["tp"]
//   [[written]]                                    # a rule of the repository's own
//   name = "no print"
//   forbid = ["print"]
//   [step]
//   entry-points = ["mylib.engine.Engine.step"]
//   [[models]]
//   name = "mylib.later.submit"
//   effect = "keeps"
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "repo/snapshot.h"
#include "rules/settings.h"

namespace lockstep::driver {

/// Settings in TOML text of a repository; a [model] in it is an error. `name` is what errors call it. With `table`
/// ("tool.lockstep") only that table is read.
Result<rules::Settings> parse_settings(std::string_view text, std::string_view name, std::string_view table = {});

/// The settings of a snapshot: its lockstep.toml, else the table of its pyproject.toml, else the defaults.
Result<rules::Settings> settings_of(const repo::Snapshot& snapshot);

/// Settings from a file that the user names. A [model] may stand in it; it is not read here (writer/model/settings.h).
Result<rules::Settings> settings_from_file(const std::string& path);

}  // namespace lockstep::driver
