// What calls that make tensors hold: one element, nothing, or a copy of what lies in another order.
#pragma once

#include <cstddef>

#include "report/story/story.h"

namespace lockstep::report {

/// `torch.ones(())`, `torch.zeros(1)`, `torch.tensor(0.0)`: a tensor whose size no run makes a matter; and those of the
/// meta device, which hold nothing.
bool makes_one_element(const python::Call& call);

/// `x.transpose(0, 1).contiguous()`: whatever lies in another order than it is read in is copied.
bool copies_rearranged(const python::Call& call);

/// Whether a length that is written out is 0: `torch.empty((0, size))` holds nothing.
bool is_empty_shape(const python::Call& call);

/// How many allocations a step makes itself, those of numpy left out: they are another cost.
std::size_t allocations_of(const program::Program& program, const Step& step);

}  // namespace lockstep::report
