// Tests that wait for one error that is raised at one place: the error, its message and the names by which tests come
// there have to fit.
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// A `raise` that tests may wait for.
struct ExpectedRaise {
  std::string_view error;                    ///< "ValueError"
  const python::Expr* message = nullptr;     ///< May be null.
  std::vector<program::FunctionId> leading;  ///< The function that raises it, and what calls that, near by.
  std::vector<std::string_view> named;       ///< One of these a test of it has in its text, or what it is run with.
};

/// Whether a test, or code at the top of a test file, may expect the error of that place.
bool is_expected(const program::Program& program, const ExpectedRaise& raise);

}  // namespace lockstep::report
