// Attributes that are off until something turns them on, and without which what a change touches does not run: who
// does.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "`self.ledger_on` is `False` until `Trainer.launch` (`a.py:110`) sets it.": of what the changed lines of the
/// function ask for, and its new branches; empty where they ask for no such attribute.
std::string switches_text(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
