// Parameters that go while callers still pass them by name, and `**kwargs` takes them without a word:
//   def forward(self, x, **kwargs): …     # had `bias=None`
//   layer(x, bias=bias)                   # stays
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// A question for each parameter that a function loses and that calls outside tests still give it by its name, where
/// the function takes any keyword, hands them on to nobody and asks for none of that name. At most two.
void add_swallowed_arguments(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
