// What a function is called in a box of a drawing.
#pragma once

#include <string>

namespace lockstep::report {

/// "Class.method" and "Class.Inner.method" as they are; of a function inside a function its own name.
std::string drawn_name(std::string short_name);

}  // namespace lockstep::report
