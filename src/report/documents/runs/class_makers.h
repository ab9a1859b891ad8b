// Classes that a function defines and gives back: whoever calls the function may make their objects, though no call
// names the class.
//   def quantized(parent):
//       class Quantized(parent): …
//       return Quantized
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep::report {

/// The function outside tests in whose body the class of the method is defined; none for other methods.
program::FunctionId class_maker(const program::Program& program, program::FunctionId method);

/// "its class is defined in `quantized` (`q.py:3`), which `convert` (`q.py:40`) calls", with what the class is
/// registered with there ("which hands it to `Registry.add` and which `convert` calls"): of a method that no call is
/// found to enter; empty where no such function, or no caller of it outside tests, is known.
/// `is_caller`: the method was told as one that calls another.
std::string maker_callers_text(const program::Program& program, program::FunctionId method, bool is_caller = false);

/// "the class is defined in `quantized`, which `test_q` (`t.py:9`) calls; what is done there with the class was not
/// followed"; empty where no test function surely calls it.
std::string maker_tests_text(const program::Program& program, program::FunctionId method);

}  // namespace lockstep::report
