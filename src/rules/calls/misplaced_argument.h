// Arguments by position that stand in another parameter's place, as their names say. A signature and a call in, the
// first such argument out; what the call reaches is for others to tell.
//
// Left out: two arguments that are exchanged (arguments-swapped judges those), short names, `out`.
#pragma once

#include <optional>
#include <string>

#include "rules/calls/signatures.h"

namespace lockstep::rules {

struct Misplaced {
  const python::Name* argument = nullptr;       ///< Bears the name of a parameter that gets nothing else.
  const AcceptedParameter* taken_by = nullptr;  ///< Where it goes; of the signature.
};

/// Nullopt where every argument stands in its place, or may.
std::optional<Misplaced> misplaced_argument(const Signature& signature, const python::Call& call);

/// How the call gives each argument from the misplaced one on to the parameter of its name, where each has one and
/// nothing else of the call goes there; else in general words.
std::string advice_for(const Misplaced& misplaced, const Signature& signature, const python::Call& call);

}  // namespace lockstep::rules
