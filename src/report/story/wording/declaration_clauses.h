// What differs in how an entity is declared: parameters, bases, decorators, values -> verb phrases.
#pragma once

#include <string>
#include <vector>

#include "report/story/wording/clauses.h"

namespace lockstep::report {

/// "takes the new `a` and `b`", "no longer takes `c`".
std::vector<Clause> parameter_clauses(const Actor& actor);
/// Of names, defaults and types of parameters, of bases and decorators.
std::vector<Clause> signature_clauses(const DocumentInputs& inputs, const Actor& actor);
/// For entities without steps: values of fields and variables.
std::vector<Clause> value_clauses(const DocumentInputs& inputs, const Actor& actor);

/// "takes the new `x`; sets `self.x` to `x`" as "takes the new `x` and keeps it": in a constructor that says all.
void join_kept(std::vector<Clause>& clauses, const Actor& actor);

/// ", given by `f` and `g`" of the one parameter that comes in with a default: who makes use of it; empty where none is
/// known to.
std::string givers_words(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
