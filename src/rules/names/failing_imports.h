// Imports of names that a module of the program does not have: running one raises ImportError.
#pragma once

#include <optional>
#include <string_view>

#include "program/program.h"
#include "python/facts.h"
#include "rules/names/module_names.h"

namespace lockstep::rules {

/// Whether a name is none that compiled and generated modules have: `_C`, `helpers_cpp`, `messages_pb2`, `_version`, ….
bool looks_like_symbol(std::string_view name);

/// What an import asks for in vain.
struct LackedName {
  program::ModuleId module;    ///< That has no such name.
  ModuleNames::Answer answer;  ///< kNo or kOnlyTypeChecking.
};

/// What `import` of the module `id` asks a module of the program for that it does not have; nullopt where it may have
/// it, where it is asked for under `TYPE_CHECKING`, and where a failure is caught. A package may hold compiled or
/// generated modules that are no Python source: what may be the name of one is not said to be missing.
std::optional<LackedName> lacked_name(const program::Program& program, const ModuleNames& names, program::ModuleId id,
                                      const python::ImportedName& import);

/// Whether the import stands among the module's own statements, under no condition: it runs whenever the module is
/// loaded.
bool always_runs(const program::Program& program, program::ModuleId id, const python::ImportedName& import);

}  // namespace lockstep::rules
