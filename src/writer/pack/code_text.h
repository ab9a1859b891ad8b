// How a function of a pack is shown: whole, around the lines that matter, or what the diff does not show of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/pack/candidates.h"

namespace lockstep::writer {

/// Which lines a function has, with its decorators; from 0.
struct FunctionLines {
  std::uint32_t first = 0, last = 0;
};
FunctionLines lines_of(const program::Program& program, program::FunctionId id);

/// How much of a function is shown where not all of it matters.
enum class Width : std::uint8_t { kTight, kWide };

/// Its numbered lines. A long docstring is cut, and of a long function with lines that matter stands what is around
/// these, below its head. `beside`: lines of a changed function that the diff does not show.
std::vector<std::string> function_text(const program::Program& program, program::FunctionId id,
                                       const Candidate& candidate, const std::vector<std::uint32_t>& beside,
                                       Width width);

/// Where the lines that matter stand among the numbered ones.
std::vector<std::size_t> needed_of(const std::vector<std::string>& numbered, const Candidate& candidate);

}  // namespace lockstep::writer
