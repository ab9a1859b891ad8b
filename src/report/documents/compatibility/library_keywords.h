// Keywords that changed code newly gives to what an optional library brings (imported in a `try`): which versions of
// the library take them is nowhere said.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk for each call of something imported so, made in the function before the change, too, that newly gets a
/// keyword, be it by `**kwargs` of a local dictionary; none where a condition around it, or the function, asks for a
/// version, a signature or an attribute.
void add_library_keywords(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
