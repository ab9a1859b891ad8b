// Where a way's objects get their configuration, and what people start: torchtitan's `Trainer` is built from a
// `Trainer.Config`, which functions of a registry give; `run_train.sh` launches `torchtitan/train.py`.
#pragma once

#include <cstddef>
#include <string>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Both: the shell scripts in the root folder that launch the script of the way to central[index], and which functions
/// give the nested `Config` of a class on the way, the nearest to its end for which few do. Empty where nothing is known.
std::string start_text(const DocumentInputs& inputs, const Story& story, std::size_t index);

}  // namespace lockstep::report
