// Methods with rare names -> the calls `x.name(…)` outside tests that enter nothing known: they may enter these.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// By method. `is_test`: by module.
std::map<std::uint32_t, std::vector<program::CallId>> calls_of_namesakes(const program::Program& program,
                                                                         const std::vector<bool>& is_test);

}  // namespace lockstep::report
