// Functions of which one and the same statement is all that changes: told once, with their names.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct SameStatement {
  std::string text;  ///< Marked text; empty where there is none.
  std::vector<const Actor*> actors;
};

/// "`f` (changed, `a.py:3`): sets `x.y` to `g()` where `x` is `None`. The same statement in `h` (`a.py:9`); under other
/// conditions in `k` (`a.py:21`).": of the actors the most in which one step alone is new, or changes, and reads the
/// same on each side; nothing where fewer than three do.
SameStatement same_statement(const DocumentInputs& inputs, const std::vector<const Actor*>& actors);

}  // namespace lockstep::report
