// Where a repository keeps the tests of a module, after its own layout. Paths in, a path out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

/// The test file that should hold tests of the module, and whether it exists. `tests`: the paths of all tests, sorted.
/// An existing test file that is named after the module wins; then a new one in the folder of tests that mirrors most
/// of the module's: of several such the one that adds least of its own, then the one that holds most tests itself.
std::pair<std::string, bool> home_of_tests(const std::vector<std::string>& tests, const program::Module& module);

}  // namespace lockstep::rules
