// A function that takes `**kwargs` and gives all of them to one other: what it takes by name is what that one takes.
//   def __init__(self, *args, spec=None, **kwargs): super().__init__(*args, **kwargs)
#pragma once

#include "program/program.h"

namespace lockstep::report {

/// The one function to which it surely hands its `**` on whole; none where there is no such, several take it, or it
/// takes something out first.
program::FunctionId taker_of_keywords(const program::Program& program, program::FunctionId function);

}  // namespace lockstep::report
