// A function that a way calls out of a list: under which setting it was put there.
//   if config.compilation == "full": passes.append(partial(compile_all, boxed=True))
//   …
//   for f in passes: graph = f(graph)
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "`final_passes` puts `compile_all` into a list only when `compilation` is `"full"` (`passes.py:373`), which is not
/// so by default." Of the last function of the way that is called through a variable and that only one place outside
/// tests names as a value, in a list; empty where there is none, or where no setting decides there.
std::string kept_in_list_text(const program::Program& program, const EntryPath& path);

}  // namespace lockstep::report
