// Methods with rare names -> the calls `x.name(…)` outside tests that enter nothing known: they may enter these.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "program/program.h"
#include "report/source/import_closure.h"

namespace lockstep::report {

/// By method; only calls whose arguments fit it. Left out: names that methods of tensors, streams and the like have,
/// and those of collectives, which wrappers of groups mirror (`dist_wrapper.reduce_scatter(…)`). A file that imports a
/// class with such a method holds objects of that one, and none of a class that it does not know. `is_test`: by module.
std::map<std::uint32_t, std::vector<program::CallId>> calls_of_namesakes(const program::Program& program,
                                                                         const std::vector<bool>& is_test,
                                                                         ImportClosure& closure);

}  // namespace lockstep::report
