// Where a repository keeps the tests of a module, after its own layout. Paths in, a path out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

/// The test file that should hold tests of the module, and whether it exists. `tests`: the paths of all tests, sorted.
/// An existing test file that is named after the module wins; then the folder that mirrors most of the module's; then
/// the one that most tests are below.
std::pair<std::string, bool> home_of_tests(const std::vector<std::string>& tests, const program::Module& module);

}  // namespace lockstep::rules
