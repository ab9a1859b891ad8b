// What the code itself says behind a claim that ranks part ways: a collective that a changed line issues, or decides
// about. Without such a fact no proposal of a model blocks a merge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/inputs.h"
#include "rules/finding.h"

namespace lockstep::writer {

/// `line` (from 0) of the version after the change -> the collective, or the call that leads to one, which stands on it
/// and is run under a condition, or whose condition (of a branch, a loop, an early way out) stands on it, with that
/// condition in words. nullopt: none, or the change does not touch the line.
std::optional<rules::Evidence> conditional_collective(const report::DocumentInputs& inputs, const std::string& path,
                                                      std::uint32_t line);

}  // namespace lockstep::writer
