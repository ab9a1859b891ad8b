// Names that files of a change take from another module than before, and imports among them that failed: the module
// that the old one named has no such name.
//   from training.utils import unwrap     # the old version: nothing in training/utils binds it
//   from core.utils import unwrap         # the new one
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"

namespace lockstep::report {

/// The same replacement in one file or more, at the top of each, outside tests.
struct ReplacedImport {
  std::vector<std::string> names;
  std::string from, to;       ///< Modules, dotted; `to` is empty where nothing takes the old one's place.
  bool failed = false;        ///< `from` had none of the names: the import raised ImportError whenever it ran.
  bool lacks_still = false;   ///< The same after the change.
  bool is_defined = false;    ///< `to` defines each of the names itself.
  bool was_taken_on = false;  ///< `from` had each of them from elsewhere: they are the same functions or classes.
  std::vector<const change::FileSummary*> files;  ///< By path.
  std::vector<std::uint32_t> old_lines;           ///< Of files[i]: where the old version imported them, from 0.
};

/// Those that failed first; of others those that give the same function or class as before. What of both is not known
/// is left out.
std::vector<ReplacedImport> replaced_imports(const DocumentInputs& inputs);

/// One marked sentence: what is imported from where now, and what came of it before; `with_files`: in which files.
std::string replaced_import_words(const DocumentInputs& inputs, const ReplacedImport& replaced, bool with_files);
/// The same of one that failed, without what replaces it: "Before the change `x` was imported from `m`, which bound no
/// such name: each of these 8 scripts failed at its start with an `ImportError`: …."
std::string failed_import_words(const DocumentInputs& inputs, const ReplacedImport& replaced);

/// Which files of the change run changed imports whenever they start or are loaded, as one sentence or two; empty where
/// no module's imports differ. `with_files`: all are named, however many.
std::string entered_imports(const DocumentInputs& inputs, bool with_files);

}  // namespace lockstep::report
