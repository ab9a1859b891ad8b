// Test code of a change that is no test function (a configuration that a list of runs names, a helper): what it leads
// to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// "Test code of the change that is no test function leads there: `f` (place)": by calls that surely enter what they
/// call; empty where none does.
std::string leading_test_code(const DocumentInputs& inputs, const Story& story,
                              const std::vector<program::FunctionId>& functions);

/// "Tests start `tools/serve.py`, from which a run can get there (tests/recipes/serve.yaml:44 and 3 more files)": where
/// files of tests (Python, YAML, shell …) name the script from which a run gets to central[index]; empty where none
/// does. With which settings they start it is not looked at.
std::string tests_that_start(const DocumentInputs& inputs, const Story& story, std::size_t index);

/// "`tests/tools/launch.py` holds no test and is run as a script, named in tests/tools/make_jobs.py:44.": of the files
/// among the tests that the change adds or edits, with the files of tests and workflows that name them to start them.
std::vector<std::string> scripts_among_tests(const DocumentInputs& inputs);

/// Whether the file stands among the tests, holds none, and can be run as a script.
bool is_script_among_tests(const DocumentInputs& inputs, std::string_view path);

/// Whether the actor is a test itself: a function or method of this name at the top of a file of tests, which pytest
/// collects.
bool is_collected(const DocumentInputs& inputs, const Actor& actor);

/// Of a change that only touches files among the tests: "tests"; "scripts among the tests" where all that it adds or
/// edits is run by hand or by jobs and holds none; "tests and scripts among them".
std::string_view changed_test_code(const DocumentInputs& inputs);

/// Whether files change that are no tests.
bool changes_beside_tests(const DocumentInputs& inputs);

}  // namespace lockstep::report
