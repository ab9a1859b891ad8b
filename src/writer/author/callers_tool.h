// callers: the call sites of a function, each with what it gives and what it leaves out.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep::writer {

/// One line for each call site, the sure and near ones first, tests last, at most thirty; where there are more, how
/// many. With `parameter`, whether each call gives it, and those that leave it out first.
std::string callers_text(const program::Program& program, program::FunctionId function, const std::string& parameter);

}  // namespace lockstep::writer
