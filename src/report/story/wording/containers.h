// Names of a function that surely hold a list, a dictionary or the like: of them a condition asks whether they are
// empty, not whether they are set.
#pragma once

#include <string>

#include "python/tree.h"
#include "text/source.h"

namespace lockstep::report {

/// `words`, a condition in words as condition_words() gives it, with "`x` is empty" for "`x` is not set" of such names.
std::string told_as_containers(std::string words, const python::Node& function);
/// condition_words() of a condition in `function`, so told.
std::string condition_words_in(const python::Expr& condition, const python::Node& function, const SourceText& source,
                               bool negated = false);

}  // namespace lockstep::report
