// Where objects come from that a method runs on to which no script is found to lead, and what a way takes out of a
// table, in sentences.
#pragma once

#include <string>

#include "report/story/story.h"

namespace lockstep::report {

/// "Objects of `A` are made on this way: `train.py` → …", with its conditions, and where the repository calls what they
/// inherit; empty where nothing is known.
std::string origin_text(const DocumentInputs& inputs, const Story& story, std::size_t index);

/// "`KINDS` holds `A` under `"a"` (…); `make` takes what stands under `name` (…), which is set from `config.kind`
/// (…)."; empty where the end of the way takes nothing out of a table.
std::string look_up_text(const program::Program& program, const EntryPath& path);

}  // namespace lockstep::report
