// Lines of the version after a change -> the commits that wrote them before it, for a model that asks since when
// something is so. Lines that the change moved here are followed where they stood.
#pragma once

#include <cstdint>
#include <string>

#include "repo/line_history.h"
#include "report/inputs.h"

namespace lockstep::writer {

/// Of lines `first` to `last` (from 1) of a file, newest first: each commit with its date, its title, and what it
/// replaced and wrote there; and the same of removed lines that had these numbers. `edits` are of the side before the
/// change. Where there is none, why.
std::string history_text(const report::DocumentInputs& inputs, const repo::LineEdits& edits, const std::string& path,
                         std::int64_t first, std::int64_t last);
/// Of one request, and of one answer.
inline constexpr std::int64_t kMostHistoryLines = 300;

}  // namespace lockstep::writer
