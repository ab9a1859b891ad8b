// "`path:97` `name` - why": a pointer to a definition -> the same with the line of its `def`. A model that has seen a
// part of a function names the first line that it saw.
#pragma once

#include <string>
#include <string_view>

#include "program/program.h"

namespace lockstep::writer {

/// The sentence as it is where it does not begin with a place and a name, or where the place is not within what the
/// name means in that file.
std::string with_definition_line(std::string_view sentence, const program::Program& program);

}  // namespace lockstep::writer
