// Tests that a change only edits to keep out what it brings: they set the setting that its code stands under to the
// value with which that code does not run (`args.save_assets = False`).
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each setting that a changed condition asks for around changed steps, where tests that the change
/// edits set it to the value with which these do not run, and no file of the tests names it to set it otherwise; at
/// most two.
void add_switched_off_tests(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
