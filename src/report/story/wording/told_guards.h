// The conditions of a place that a reader has to be told.
#pragma once

#include <vector>

#include "report/source/code.h"

namespace lockstep::report {

/// The guards, each once, without those that others of them decide: not `x == "a"` where `x` is to be `"b"`.
std::vector<Guard> told_guards(const std::vector<Guard>& guards, const SourceText& source);

}  // namespace lockstep::report
