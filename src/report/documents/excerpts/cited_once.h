// Sentences on the excerpts of one function name a callee with its place and what its docstring says; said once, that
// is not said again of the next call.
#pragma once

#include <set>
#include <string>

namespace lockstep::report {

/// The marked sentence without each " (`a.py:3`: “What it does”)" that `cited` holds; the others are added to it.
std::string cited_once(std::string sentence, std::set<std::string>& cited);

}  // namespace lockstep::report
