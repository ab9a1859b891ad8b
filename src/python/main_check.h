// Whether a condition asks if the module is the script that runs: `__name__ == "__main__"`.
#pragma once

#include "python/tree.h"

namespace lockstep::python {

/// Also of `__name__ in ("__main__", "__mp_main__")`, as processes that multiprocessing starts are asked for.
bool is_main_check(const Expr& condition);

}  // namespace lockstep::python
