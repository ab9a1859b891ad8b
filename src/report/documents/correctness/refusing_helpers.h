// New functions that raise, called by code that was there and refused nothing of the kind: what passed before may be
// refused now.
//   before: scale = config.scale_func(x)
//   after:  scale = _loss_scale(config, x)      # def _loss_scale: … if scale.numel() != 1: raise ValueError(…)
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk of compatibility for each such function, at most two: who newly calls it, and when it raises what. Not for
/// those that took their code over, whose raise asks for what the change brings, or under a new setting alone, nor
/// where the change takes a check of the same error away.
void add_refusing_helpers(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
