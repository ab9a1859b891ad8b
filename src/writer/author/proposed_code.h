// Code that a model proposes, instead of lines of a file or beside them, held against that file: it must apply there,
// the file must still parse, and no name may be used that nothing binds. It cannot be run, so it may do no more than
// the file does already: no addresses, none of the calls that start programs or code, no attributes by names that
// nobody can read in it, and no imports but, where it is added, of what the repository, the file's own packages or
// harmless parts of the standard library hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "writer/cited_sides.h"

namespace lockstep::writer {

struct Replacement {
  std::uint32_t first = 0, last = 0;  ///< Lines of the version after the change, from 1, as written.
  std::string code;                   ///< May be indented otherwise than the lines.
};

/// New code, a test for the most part.
struct Addition {
  std::string path;
  std::uint32_t after = 0;  ///< The line behind which it stands, from 1; 0: before the first.
  std::string code;         ///< May be indented otherwise than what stands there.
};

/// The text that stands in place of the lines, each with its end; or why it cannot. `quoted` (from 0) is the line that
/// the proposal quotes; `beside` is other code of the proposal, which may set attributes that this one reads.
Result<std::string> checked_replacement(const Replacement& replacement, const std::string& path, std::uint32_t quoted,
                                        std::string_view beside, const CitedSides& sides);

/// The text that stands behind the line, each line with its end; or why it cannot.
Result<std::string> checked_addition(const Addition& addition, const CitedSides& sides);

/// Words of a proposal none of whose code is printed, without the sentences that point at it ("The code below costs one
/// read."), unless nothing else is said. Lines stay lines.
std::string without_pointers_to_code(std::string_view text);

}  // namespace lockstep::writer
