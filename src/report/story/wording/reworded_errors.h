// An error that is raised as before, with another message.
#pragma once

#include <string>

#include "report/story/steps/steps.h"
#include "text/source.h"

namespace lockstep::report {

/// The exception ("ValueError") where both steps raise it with one text alone, which differs, and from the same cause;
/// empty for others: classes that are not Python's own or take no message, texts that make other calls.
std::string reworded_error(const Step& before, const SourceText& before_source, const Step& after,
                           const SourceText& after_source);

}  // namespace lockstep::report
