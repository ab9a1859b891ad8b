// Modules that load others by names which are worked out while they run: who loads what no text says.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// By module: whether it calls `import_module` with anything but a plain text.
std::vector<bool> modules_with_computed_imports(const program::Program& program);

/// How code outside tests looks classes up by names that no Python code need hold: by code of its own
/// (`getattr(import_module(path), name)`), or by that of a library, which is there for names that configurations hold
/// (`hydra.utils.instantiate(config)`).
enum class LookUp : std::uint8_t { kNone, kOwn, kLibrary };
LookUp look_up_by_name(const program::Program& program);

}  // namespace lockstep::report
