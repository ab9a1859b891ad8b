// What a call gives a function, and what it leaves out, as packs and tools tell it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "program/program.h"

namespace lockstep::writer {

/// "  [leaves out a, b]", "  [gives all parameters]": of the parameters that have defaults; of more than a few their
/// number. Empty where nothing is known.
std::string left_out_text(const program::Program& program, const program::CallSite& site, program::FunctionId function);

enum class Gives : std::uint8_t { kNothing, kUnknown, kValue };
/// What the call gives the parameter of `function`, with the argument's source in short; empty where that does not
/// show.
std::pair<Gives, std::string> given_to_parameter(const program::Program& program, const program::CallSite& site,
                                                 program::FunctionId function, std::string_view parameter);

}  // namespace lockstep::writer
