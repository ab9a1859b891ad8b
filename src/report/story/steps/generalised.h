// Steps that a function did for one constant and does in a loop over several now:
//   mamba = env.get("MAMBA")              for name in ("MAMBA", "CONV"):
//   if mamba:                        ->       value = env.get(name)
//       assert mamba[0] == "1"                if value:
//                                                 assert value[0] == "1"
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct GeneralisedSteps {
  std::size_t loop = Step::kNone;   ///< Of the after side.
  std::vector<std::size_t> before;  ///< What it did for the one constant, in the order of the source.
  std::string was;                  ///< That constant, as written.
  std::vector<std::string> others;  ///< The loop's other constants.
};

/// Only where the loop's body does the same, but for names of locals and words of messages. Bounded: of long functions
/// and loops over many constants nothing is said.
std::vector<GeneralisedSteps> generalised_steps(const Actor& actor);

/// "does for `"CONV"`, too, what it did for `"MAMBA"`: "; empty where the step of the after side is no such loop.
std::string generalised_words(const std::vector<GeneralisedSteps>& all, std::size_t loop);

/// Whether the step of the before side is done in such a loop now.
bool is_generalised(const std::vector<GeneralisedSteps>& all, std::size_t index);

}  // namespace lockstep::report
