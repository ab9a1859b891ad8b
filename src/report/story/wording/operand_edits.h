// `a or b` that becomes `a or b or c`, and the other way round: which operands came and which went.
#pragma once

#include <string>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::report {

/// "adds `c` and `d` to the alternatives in what it returns", "takes `c` out of the conditions in what it returns" of
/// `or` and `and`; `where` is "what it returns". Empty where operands changed or
/// changed places, and where the values are no such chains.
std::string operand_words(const python::Expr& before, const SourceText& before_source, const python::Expr& after,
                          const SourceText& after_source, const std::string& where);

/// The same of two returns.
std::string operand_words(const python::Node& before, const SourceText& before_source, const python::Node& after,
                          const SourceText& after_source);

}  // namespace lockstep::report
