// A new way out of a function under a setting, before steps that stay and read others: who gives both gets one of them.
//   if args.recipe is not None: return load_recipe(args.recipe)   # new
//   if args.weight_only: config.disable_inputs()
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each changed function of which a new branch at its top level, under a setting, always returns, and
/// of which unchanged steps behind it read settings that nothing else outside tests reads: neither the function before
/// them or in that branch, nor other code. At most two.
void add_passed_over_settings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
