// Constants that a change adds to a class: members of an enumeration, symbols, codes. Who writes a configuration or a
// caller meets a change through them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "`Symbols.MLA` is new: `"+"`; read in `HybridStack.__init__` and `check`." of each number or text that a class
/// which stood there gains by its declaration and that code outside its body reads off the class, tests left out; those
/// that most functions read first, at most `most`.
std::vector<std::string> new_constant_items(const DocumentInputs& inputs, const Story& story, std::size_t most);

}  // namespace lockstep::report
