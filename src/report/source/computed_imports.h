// Modules that load others by names which are worked out while they run: who loads what no text says.
#pragma once

#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// By module: whether it calls `import_module` with anything but a plain text.
std::vector<bool> modules_with_computed_imports(const program::Program& program);

}  // namespace lockstep::report
