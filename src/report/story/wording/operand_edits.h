// `return a or b` that becomes `return a or b or c`, and the other way round: which operands came and which went.
#pragma once

#include <string>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::report {

/// "adds `c` and `d` to the alternatives in what it returns", "takes `c` out of the conditions in what it returns": of
/// two returns of `or` or `and`. Empty where operands changed or changed places, and where the values are no such
/// chains.
std::string returned_operand_words(const python::Node& before, const SourceText& before_source,
                                   const python::Node& after, const SourceText& after_source);

}  // namespace lockstep::report
