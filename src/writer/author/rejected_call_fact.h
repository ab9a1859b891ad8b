// What the code itself says behind a claim that a call fails: the call stands on one of the lines that the claim names,
// and a definition that does not take it on another. Without such a fact no proposal of a model blocks a merge.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/inputs.h"
#include "rules/finding.h"

namespace lockstep::writer {

/// A file of the version after the change and a line of it, from 0.
using LineOfFile = std::pair<std::string, std::uint32_t>;

/// A call on one of the lines that the change touches, and a function of the same name that is defined on another of
/// them and rejects it, at that definition: "`f(x, k=1)` at `a.py:3` does not fit `f`: no parameter `k`". nullopt: no
/// such pair.
std::optional<rules::Evidence> rejected_call(const report::DocumentInputs& inputs,
                                             const std::vector<LineOfFile>& lines);

}  // namespace lockstep::writer
