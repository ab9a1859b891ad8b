// A setting with another default -> the conditions of unchanged code that come out otherwise for whoever does not set
// it. One line of a diff may switch whole branches far from it.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "`Trainer.__init__` (place): `config.mode == "fx"` holds now, on which it raises `ValueError`", of each condition
/// outside tests that one default decides otherwise than the other; those that refuse something first, at most `most`.
/// Only where both defaults are constants, and where what is read can be no other setting of that name. Empty for
/// settings whose default is as it was.
std::vector<std::string> flipped_conditions(const DocumentInputs& inputs, const Flag& flag, std::size_t most);

}  // namespace lockstep::report
