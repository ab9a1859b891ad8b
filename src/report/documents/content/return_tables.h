// Functions that leave by the first condition that holds (story/steps/ordered_returns.h), as a table: what each case
// comes to, before and after.
#pragma once

#include "report/document.h"
#include "report/inputs.h"
#include "report/story/story.h"

namespace lockstep::report {

/// Puts the table of the function into the document, below its caption; nothing where there is none to tell.
void add_return_table(Document& document, const DocumentInputs& inputs, const Story& story, const Actor& actor);

}  // namespace lockstep::report
