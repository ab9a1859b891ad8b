// Imports that may fail and let their module go on: `try: import yaml` … `except ImportError: HAVE_YAML = False`.
#pragma once

#include <set>
#include <string_view>
#include <unordered_map>

#include "program/program.h"
#include "python/facts.h"

namespace lockstep::report {

/// "a" of "a.b.c".
std::string_view first_part_of(std::string_view dotted);

/// Whether the import is one of the package, or of something in it.
bool is_import_of(const python::ImportedName& import, std::string_view package);

/// Whether the package, by the first part of its name, is one of the repository: a module, or a folder of modules that
/// has no `__init__.py`.
bool is_package_of(const program::Program& program, std::string_view package);

/// By import: the innermost `try` in whose body it stands and which has a handler for a missing package; none where
/// there is none, or where that handler does not let the module go on. Of a whole module at once.
class OptionalTries {
 public:
  OptionalTries(const program::Program& program, program::ModuleId module);

  [[nodiscard]] const python::Try* of(const python::Node& import) const;

 private:
  void visit(python::Seq<python::Stmt> block, const python::Try* around);

  const program::Program& program_;
  program::ModuleId module_;
  std::unordered_map<const python::Node*, const python::Try*> tries_;
};

/// Names at module level that say whether what one of these `try` imports is there: `HAVE_YAML = True` beside the
/// import, and `False` (or `None`) in the handler or before.
std::set<std::string_view> flags_of(const python::FileFacts& facts, const std::set<const python::Try*>& attempts);

/// The same of all that imports the package.
std::set<std::string_view> flags_of(const python::FileFacts& facts, const OptionalTries& tries,
                                    std::string_view package);

}  // namespace lockstep::report
