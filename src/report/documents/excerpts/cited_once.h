// Sentences on the excerpts of one function name a callee with its place and what its docstring says; said once, that
// is not said again of the next call.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace lockstep::report {

/// Takes " (`a.py:3`: “What it does”)" out of the sentences where one before has the same; `cited` holds those that
/// were, and gets the others.
void cite_once(std::vector<std::string>& sentences, std::set<std::string>& cited);

}  // namespace lockstep::report
