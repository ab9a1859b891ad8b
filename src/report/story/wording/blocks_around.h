// What a place waits for beside branches: an error that is caught, a case that matches, an item of a loop.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/source/code.h"

namespace lockstep::report {

/// "`OSError` is caught" of each handler of `function` that holds the place, the outermost first. `own`: a handler or
/// case that is itself the step told, left out; may be null.
std::vector<std::string> catches_around(const python::Node& function, const python::Node* own, Span place,
                                        const SourceText& source);

/// "`kind` is `"ring"`": what the cases that hold the place ask of what they match, the outermost first. `said` gets
/// what need not be told beside it: what is a text is set.
std::vector<std::string> cases_around(const python::Node& function, const python::Node* own, Span place,
                                      const SourceText& source, std::set<std::string>& said);

/// "in a loop over `rows`", "in a `while` loop" of each loop in whose body the place stands, and of
/// each comprehension that comes to it item by item, the outermost first.
std::vector<std::string> loops_around(const python::Node& function, Span place, const SourceText& source);

}  // namespace lockstep::report
