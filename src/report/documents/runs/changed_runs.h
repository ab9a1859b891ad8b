// Command lines that the change adds to lists of runs in Python files of tests, or edits there:
//   OverrideDefinitions([["--module kimi", "--parallelism.backend types"]], "…", "kimi_types", ngpu=2)
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct ChangedRun {
  std::string name;                ///< That the list gives the run; empty where it gives none.
  std::string place;               ///< Marked text: the first line of it that the change writes.
  bool is_new = false;             ///< All of its options are; else the change edits it.
  std::vector<std::string> given;  ///< Options with their values, those of settings that matter to the change first.
};

/// Those that newly give a setting which the change adds, alters or stands under another value than its default, as far
/// as that shows. What else such a run comes to is not followed. `given` also has the option that names a folder in
/// which changed code stands.
std::vector<ChangedRun> changed_runs(const DocumentInputs& inputs, const Story& story);

/// "the command line `kimi_types` (new, tests/runs.py:12: with `--parallelism.backend types`)", with `most` of `given`.
std::string run_words(const ChangedRun& run, std::size_t most);

}  // namespace lockstep::report
