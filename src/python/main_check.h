// Whether a condition asks if the module is the script that runs: `__name__ == "__main__"`.
#pragma once

#include "python/tree.h"

namespace lockstep::python {

/// Also of `__name__ in ("__main__", "__mp_main__")`, as processes that multiprocessing starts are asked for.
bool is_main_check(const Expr& condition);
/// Whether a module's own code has a branch under such a condition: it is a script.
bool has_main_check(Seq<Stmt> body);

}  // namespace lockstep::python
