// A change -> the deep dive (spec: dive): TL;DR, big picture, design rationale, execution path, module relationships,
// risks, quick reference: seven sections with every subsection and every diagram, or "N/A - reason". From facts alone;
// an average change takes under 4,000 words.
#pragma once

#include "report/document.h"
#include "report/inputs.h"

namespace lockstep::report {

Document write_dive(const DocumentInputs& inputs);

}  // namespace lockstep::report
