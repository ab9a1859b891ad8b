// What a change means for checkpoints: functions that write or read them, and attributes and buffers of modules that
// decide what one holds. Functions are known by the names that torch and Megatron-LM give them.
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// Functions and attributes that decide what a checkpoint holds.
void add_checkpoint(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
