// Settings that changed lines give a value (`config.x = …`, `args.x = …`, `setattr(config, "x", …)`) and that are told
// nowhere else: what their declaration says, and where they get it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "`x` (`config.py:3`), argument `--x`, default `False`: set to `True` in `f` (`a.py:7`). Its name is read at least in
/// `g`.", at most `most` of them. Marked text.
std::vector<std::string> written_settings(const DocumentInputs& inputs, const Story& story, std::size_t most);

/// Whether changed lines outside tests give a configuration's setting another value.
bool writes_settings(const Story& story);

}  // namespace lockstep::report
