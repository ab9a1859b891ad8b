// The fact of the code without which no proposal of a model blocks a merge (P0): that ranks part ways at a collective,
// that a definition does not take a call, or at least by which way, and under which conditions, runs of a script can come
// to the line, or who calls its function and when. The first two bear the claim out, the others its weight.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/story/story.h"
#include "rules/finding.h"
#include "writer/author/rejected_call_fact.h"

namespace lockstep::writer {

/// `lines`: all that the claim names, from 0, its own first. nullopt: no such fact.
std::optional<rules::Evidence> blocking_fact(const report::DocumentInputs& inputs, const report::Story& story,
                                             const std::vector<LineOfFile>& lines);

}  // namespace lockstep::writer
