// A condition in which another object is asked and nothing else differs: `self.act == F.silu and glu` as
// `self.config.act == F.silu and glu`. Where several conditions of a function change so, that is one thing.
#pragma once

#include <string>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// "asks `self.config.act` instead of `self.act`": of a branch before and after. Empty where more differs, or
/// nothing, and for names of locals.
std::string other_operand_words(const Step& before, const SourceText& before_source, const Step& after,
                                const SourceText& after_source);

}  // namespace lockstep::report
