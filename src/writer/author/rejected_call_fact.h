// What the code itself says behind a claim that a call fails: a definition on one of the lines that the claim names
// does not take a call that the change wrote, on another of them or anywhere. Without such a fact no proposal of a
// model blocks a merge.
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

/// A call that the change touches, and a function that is defined on one of the lines and rejects it, at that
/// definition. The call graph lets the call enter it (a module's `forward`, too), or the call stands on another of the
/// lines and has its name: "`f(x, k=1)` at `a.py:3` does not fit `f`: no parameter `k`". nullopt: no
/// such pair.
std::optional<rules::Evidence> rejected_call(const report::DocumentInputs& inputs,
                                             const std::vector<LineOfFile>& lines);

}  // namespace lockstep::writer
