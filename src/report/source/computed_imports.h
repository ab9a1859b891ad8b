// Modules that load others by names which are worked out while they run: who loads what no text says.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// By module: whether it calls `import_module` with anything but a plain text.
std::vector<bool> modules_with_computed_imports(const program::Program& program);

/// Whether code outside tests looks classes up by names that no Python code need hold: `getattr(import_module(path),
/// name)`, `hydra.utils.instantiate(config)`.
bool looks_up_by_name(const program::Program& program);

}  // namespace lockstep::report
