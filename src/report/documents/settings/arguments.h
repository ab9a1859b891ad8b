// Command-line arguments that a change takes away: scripts that still give them stop.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Options ("--x") that files of the change declared and that nothing declares any more: no `add_argument`, and no
/// field of that name of a class of settings, from which arguments may be made. Sorted.
std::vector<std::string> gone_arguments(const DocumentInputs& inputs);

/// One risk of compatibility for all of these; none where there are none.
void add_gone_arguments(const std::vector<std::string>& gone, std::vector<Risk>& risks);

/// Options that stay and are kept under another name now (`args.tokenizer_path` -> `args.path`): at most three, with
/// the code outside tests that still reads the old one off `args`.
void add_moved_destinations(const DocumentInputs& inputs, std::vector<Risk>& risks);

/// As add_gone_arguments, of scripts with a parser of their own that no longer take an option which others still
/// declare; `gone` are those that nothing declares.
void add_arguments_gone_from_scripts(const DocumentInputs& inputs, const std::vector<std::string>& gone,
                                     std::vector<Risk>& risks);

}  // namespace lockstep::report
