// The collectives that ranks meet in below a function, a few sure calls deep. Branches that the arguments on the way
// close are left out, in the backward pass of an autograd function those that what its `forward` kept closes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/story/wording/words.h"

namespace lockstep::report {

/// "`f` (…): `all_reduce` over …" of each function below that issues some: at most four, none where the function calls
/// more than a reader can follow. What only the backward pass of something called issues is said to be that: code that
/// never asks for gradients does not run it; where nothing else was found, and calls that may enter several functions
/// may communicate, that is said, too. Where `counts` is given, only of calls of the function for which it holds.
std::vector<std::string> collectives_below(const WordsContext& context,
                                           const std::function<bool(const python::Node&)>& counts = {});

}  // namespace lockstep::report
