// Variables of modules that only hold the module's logger: `logger = logging.getLogger(__name__)`.
#pragma once

#include "change/change.h"

namespace lockstep::report {

/// Whether the definition, on the later of its sides, is such a variable: no behaviour, and nothing that others import.
bool is_logger(const change::EntityChange& entity);

}  // namespace lockstep::report
