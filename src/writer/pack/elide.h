// A function that is longer than its budget -> what of it fits: its head, the lines that matter with the blocks and
// lines around them, what else it calls, its end, and how many lines were left out between them. Better than nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::writer {

/// `lines` are numbered lines of source ("   12| text", numbered_source()); `needed` are indices of those that matter,
/// the weightiest first, each shown with the heads of the blocks around it and some lines before and after it. At most
/// about `tokens` tokens (render::estimate_tokens); gaps read "     | … 12 lines left out". Empty where not even the
/// head fits; all lines where they do.
std::vector<std::string> elided(const std::vector<std::string>& lines, const std::vector<std::size_t>& needed,
                                std::size_t tokens);

}  // namespace lockstep::writer
