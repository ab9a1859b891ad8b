// Edits that only call another function where one was called (`safe_load(path)` for `numpy.load(path)`), as several
// functions of a change do: what they do is one thing, told once, of the function that they call now.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Finds such edits, marks their steps (`Step::swaps_call`), and gives what is called the weight of the heaviest
/// function that calls it now, where the change brings or edits it; functions that do nothing else follow. Three places
/// in two functions outside tests at least.
std::vector<SwappedCall> swap_calls(const DocumentInputs& inputs, std::vector<Actor>& actors);

/// Whether all that changes in the function are such edits.
bool only_swaps_calls(const Actor& actor);

/// "Called in place of `numpy.load` at 9 places: in `f` (`a.py:3`), `g` (`b.py:7`) and 4 more functions."
std::string swapped_words(const DocumentInputs& inputs, const SwappedCall& swapped);

}  // namespace lockstep::report
