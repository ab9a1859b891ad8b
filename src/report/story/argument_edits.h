// Two calls of one callee -> what they give otherwise, in words.
#pragma once

#include <string>

#include "report/story/words.h"

namespace lockstep::report {

/// "also passes a to f", "no longer passes b to f", where only arguments differ; empty for others, and where that is
/// too much to say.
std::string argument_words(const python::Call& before, const WordsContext& before_context, const python::Call& after,
                           const WordsContext& after_context);

/// Whether two calls of one callee differ in nothing but locals that stand for their values.
bool only_locals_differ(const python::Call& before, const WordsContext& before_context, const python::Call& after,
                        const WordsContext& after_context);

}  // namespace lockstep::report
